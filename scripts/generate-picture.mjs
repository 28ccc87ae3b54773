// Draws docs/images/agent.svg: what a terminal shows while an agent runs whose hook refuses `rm -rf`. The run is real.
//   node scripts/generate-picture.mjs
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { escapeHtml } from './site/render.mjs';
import { root, run } from './tools.mjs';

const colours = { 31: '#ff7b72', 32: '#7ee787', 36: '#79c0ff', 90: '#8b949e' };

/** One line with colours of a terminal as parts of an SVG text. */
const spans = (line) =>
  line
    .split('\u001b[')
    .map((part, index) => {
      if (index === 0) return escapeHtml(part);
      const [, code, words] = /^(\d+)m(.*)$/s.exec(part);
      return words === ''
        ? ''
        : `<tspan${code in colours ? ` fill="${colours[code]}"` : ''}>${escapeHtml(words)}</tspan>`;
    })
    .join('');

const picture = (lines) => {
  const height = 62 + lines.length * 22;
  const text = lines.map(
    (line, index) => `  <text x="20" y="${66 + index * 22}" xml:space="preserve">${spans(line)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 ${height}" role="img" aria-label="A terminal: an agent tries rm -rf, the hook refuses, the model reads why">
  <style>text { font: 14px ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #e6edf3; }</style>
  <rect width="800" height="${height}" rx="10" fill="#0d1117"/>
  <circle cx="22" cy="22" r="6" fill="#ff5f57"/><circle cx="42" cy="22" r="6" fill="#febc2e"/><circle cx="62" cy="22" r="6" fill="#28c840"/>
${text.join('\n')}
</svg>
`;
};

/** Runs the example as a user with one hook of their own, and returns the lines a terminal would show. */
const session = async () => {
  const home = mkdtempSync(join(tmpdir(), 'hookwright-picture-'));
  try {
    cpSync(join(root, 'examples/agent/home'), home, { recursive: true });
    const env = { ...process.env, HOME: home, HOOKWRIGHT_TAP: '' };
    const { code, output } = await run(process.execPath, [join(root, 'examples/agent/agent.mjs')], { cwd: home, env });
    if (code !== 0) throw new Error(`the agent of the picture ended with ${code}:\n${output}`);
    return [
      '\u001b[90m$ cat ~/.hookwright/settings.json\u001b[0m',
      ...readFileSync(join(home, '.hookwright/settings.json'), 'utf8').trimEnd().split('\n'),
      '',
      `\u001b[90m$ node agent.mjs 'free some disk space'\u001b[0m`,
      ...output.trimEnd().split('\n'),
    ];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
};

export const agentPicture = async () => picture(await session());

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  mkdirSync(join(root, 'docs/images'), { recursive: true });
  writeFileSync(join(root, 'docs/images/agent.svg'), await agentPicture());
  console.log('docs/images/agent.svg written');
}

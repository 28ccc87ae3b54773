// A project that lives as long as the demo, with hooks like those of any project.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const scripts = fileURLToPath(new URL('../hooks', import.meta.url));

export const createProject = () => {
  const directory = mkdtempSync(join(tmpdir(), 'hookwright-demo-'));
  cpSync(scripts, join(directory, '.hookwright', 'hooks'), { recursive: true });
  writeFileSync(join(directory, 'greeting.mjs'), "// Says hello.\nconsole.log('Helo, world');\n");
  mkdirSync(join(directory, 'build'));
  writeFileSync(join(directory, '.env'), 'API_KEY=abc123\n');
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
};

export const hasPython = () => spawnSync('python3', ['--version']).status === 0;

const hook = (script, more = {}) => ({
  name: script.replace(/\.\w+$/, ''),
  command: `.hookwright/hooks/${script}`,
  ...more,
});

/** Hooks by event, as they would stand in a settings file. */
export const projectHooks = ({ python }) => ({
  SessionStart: [{ hooks: [hook('project-notes.sh')] }],
  BeforeModel: [{ hooks: [hook('model-budget.mjs')] }],
  BeforeTool: [
    { matcher: 'read_file', hooks: [hook('allow-reads.sh'), hook('secrets.mjs')] },
    { matcher: 'edit_file|run_shell', hooks: [hook('ask-first.sh')] },
    {
      matcher: 'run_shell',
      hooks: [hook('time-limit.mjs'), hook('usage-report.mjs'), hook('slow-audit.sh', { timeout: 300 })],
    },
    { matcher: '*', hooks: [{ name: 'old-audit', command: 'audit --all' }] },
  ],
  AfterTool: python ? [{ matcher: 'edit_file', hooks: [hook('line-count.py')] }] : [],
});

/** What the person at the machine wants everywhere. */
export const userHooks = { BeforeTool: [{ matcher: 'run_shell', hooks: [hook('no-rm.sh')] }] };

export const disabledHooks = ['old-audit'];

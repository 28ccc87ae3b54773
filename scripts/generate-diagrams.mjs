// Draws docs/images/lifecycle.svg (where each event fires in an agent's turn) and message.svg (the path of a message).
//   node scripts/generate-diagrams.mjs
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { escapeHtml } from './site/render.mjs';
import { root } from './tools.mjs';

const style = `
    text { font: 14px system-ui, "Segoe UI", Roboto, Arial, sans-serif; fill: #1d1f21; }
    .event { font-weight: 600; fill: #0b5cad; }
    .note { font-size: 12.5px; fill: #5b6067; }
    .box { fill: #f4f4f1; stroke: #c9c9c2; }
    .hook { fill: #e8f1fb; stroke: #0b5cad; }
    .loop { fill: none; stroke: #8a8f96; stroke-dasharray: 5 4; }
    .line { fill: none; stroke: #5b6067; stroke-width: 1.5; marker-end: url(#arrow); }
    #arrow path { fill: #5b6067; }
    .paper { fill: #fdfdfc; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e4e5e6; } .event { fill: #7cb7ff; } .note { fill: #a2a8b0; } .paper { fill: #16181b; }
      .box { fill: #1e2125; stroke: #444a52; } .hook { fill: #1a2838; stroke: #7cb7ff; }
      .loop { stroke: #767d86; } .line { stroke: #a2a8b0; } #arrow path { fill: #a2a8b0; }
    }`;

const text = (x, y, words, kind = '') =>
  `<text x="${x}" y="${y}"${kind && ` class="${kind}"`}>${escapeHtml(words)}</text>`;
const box = (x, y, width, height, kind) =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="7" class="${kind}"/>`;
const line = (path) => `<path d="${path}" class="line"/>`;

const drawing = (
  width,
  height,
  title,
  parts,
) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(title)}">
  <title>${escapeHtml(title)}</title>
  <style>${style}
  </style>
  <defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>
  <rect width="${width}" height="${height}" class="paper"/>
  ${parts.join('\n  ')}
</svg>
`;

/** The steps of a turn from top to bottom: an event with what its hooks can change, or what the agent does. */
const steps = [
  { event: 'SessionStart', note: 'add context' },
  { event: 'BeforeAgent', note: 'read the prompt, add context, block it' },
  { event: 'BeforeToolSelection', note: 'limit which tools the model may call' },
  { event: 'BeforeModel', note: 'change the request, or answer instead of the model' },
  { agent: 'the model answers' },
  { event: 'AfterModel', note: 'change the answer' },
  { event: 'BeforeTool', note: 'allow, ask, deny; change the arguments' },
  { event: 'PermissionRequest', note: 'answer instead of the person, where one would be asked' },
  { agent: 'the tool runs' },
  { event: 'AfterTool', note: 'add context, replace the result, withhold it' },
  { event: 'AfterToolFailure', note: 'add context, instead of AfterTool' },
  { event: 'AfterAgent', note: 'send the agent back to work' },
  { event: 'SessionEnd', note: 'observe' },
];
const beside = [
  { event: 'SubagentStart', note: 'add context, or refuse to start' },
  { event: 'SubagentStop', note: 'send the other agent back to work' },
  { event: 'PreCompress', note: 'observe' },
  { event: 'Notification', note: 'observe' },
];

export const lifecycle = () => {
  const top = (index) => 24 + index * 46;
  const step = ({ event, agent, note = '' }, x, y) =>
    event === undefined
      ? [box(x, y, 250, 32, 'box'), text(x + 14, y + 21, agent)]
      : [box(x, y, 176, 32, 'hook'), text(x + 14, y + 21, event, 'event'), text(x + 190, y + 21, note, 'note')];
  const at = (event) => steps.findIndex((one) => one.event === event);
  const loop = (from, to, x, width) => box(x, top(at(from)) - 10, width, (at(to) - at(from)) * 46 + 52, 'loop');
  return drawing(960, 660, 'Where each event fires in a turn of an agent, and what its hooks can change', [
    loop('BeforeAgent', 'AfterAgent', 24, 604),
    loop('BeforeToolSelection', 'AfterToolFailure', 36, 580),
    ...steps.slice(0, -1).map((_, index) => line(`M60 ${top(index) + 32}v12`)),
    ...steps.flatMap((one, index) => step(one, 48, top(index))),
    text(462, top(at('AfterToolFailure')) + 21, 'again for each tool call', 'note'),
    text(482, top(at('AfterAgent')) + 21, 'again for each prompt', 'note'),
    text(660, 46, 'at any time'),
    ...beside.flatMap(({ event, note }, index) => [
      box(660, 60 + index * 72, 176, 32, 'hook'),
      text(674, 81 + index * 72, event, 'event'),
      text(660, 110 + index * 72, note, 'note'),
    ]),
    text(48, 646, 'Every hook can also stop the agent (continue: false) and show a message (systemMessage).', 'note'),
  ]);
};

const rooms = [
  { name: 'plan', note: 'which hooks run, and why the others do not' },
  { name: 'run', note: 'each hook to its end: an answer, silence or a fault' },
  { name: 'merge', note: 'many answers become one; every field has its fate' },
  { name: 'report', note: 'one response, and one trace with a row per hook' },
];

export const messagePath = () =>
  drawing(960, 320, 'The path of a message: a call or a request on the bus, the engine, one answer', [
    box(20, 30, 200, 60, 'hook'),
    text(34, 55, 'your agent', 'event'),
    text(34, 76, 'callTool, beforeTool, …', 'note'),
    box(20, 230, 200, 60, 'hook'),
    text(34, 255, 'a UI, an extension', 'event'),
    text(34, 276, 'requestHooks(bus, …)', 'note'),
    line('M220 60h40v70h26'),
    line('M220 260h40v-70h26'),
    text(230, 52, 'call', 'note'),
    text(20, 310, 'hook-execution-request', 'note'),
    box(288, 20, 470, 280, 'loop'),
    text(304, 44, 'the engine'),
    ...rooms.flatMap(({ name, note }, index) => [
      box(304, 58 + index * 58, 438, 42, 'box'),
      text(318, 84 + index * 58, name, 'event'),
      text(376, 84 + index * 58, note, 'note'),
      ...(index === rooms.length - 1 ? [] : [line(`M523 ${100 + index * 58}v14`)]),
    ]),
    line('M758 110h36'),
    text(802, 106, 'one answer'),
    text(802, 124, 'a verdict, changes', 'note'),
    line('M758 220h36'),
    text(802, 208, 'to all listeners'),
    text(802, 226, 'hook-started, -finished', 'note'),
    text(802, 243, 'response, trace', 'note'),
  ]);

const isMain = import.meta.url === pathToFileURL(process.argv[1] ?? '').href;
if (isMain) {
  const folder = join(root, 'docs/images');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'lifecycle.svg'), lifecycle());
  writeFileSync(join(folder, 'message.svg'), messagePath());
  console.log('docs/images/lifecycle.svg and message.svg written');
}

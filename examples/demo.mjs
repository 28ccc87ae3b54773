// A session of a scripted agent with real hooks: run it with `npm start`. No model and no network is needed.
import { Config, MessageBus, requestHooks } from 'hookwright';
import { work } from './demo/agent.mjs';
import { scriptedModel } from './demo/model.mjs';
import { startObserver } from './demo/observer.mjs';
import { say } from './demo/print.mjs';
import { createProject, disabledHooks, hasPython, projectHooks, userHooks } from './demo/project.mjs';
import { toolsIn } from './demo/tools.mjs';
import { startUi } from './demo/ui.mjs';
import { whatBecameOfIt, whatItSaid } from './demo/words.mjs';

const prompt = 'Correct the greeting, run it, and clean up.';
const python = hasPython();
const project = createProject();
const session = new AbortController();
const leaveWith = (code) => () => {
  session.abort();
  process.exit(code);
};
process.once('SIGINT', leaveWith(130));
process.once('SIGTERM', leaveWith(143));
process.once('exit', project.remove);

const bus = new MessageBus();
const config = new Config({
  enableHooks: true,
  sessionId: 'demo',
  workingDir: project.directory,
  hooks: projectHooks({ python }),
  userHooks,
  disabledHooks,
  bus,
});
startUi(bus);
const observer = startObserver(bus);

const report = {
  turn: (number) => say.title(`Turn ${number}`),
  model({ config: { temperature } }, { parts: [{ text }] }) {
    say.story('model', `temperature ${temperature}`, `"${text}"`);
  },
  ran: (name, { llmContent }) => say.story('tool', name, `ran: ${llmContent.replaceAll('\n', ' / ')}`),
  // What hooks tell the model beside the reason comes in paragraphs of its own.
  didNotRun: (name, { llmContent }) => say.story('tool', name, `did not run: ${llmContent.split('\n\n')[0]}`),
};

say.title('A scripted agent works on a small project. Hooks watch, and have a say.');
say.story('user', '', `"${prompt}"`);
say.story('hooks', '', 'scripts in examples/hooks (sh, node, python3)');
if (!python) say.story('', '', 'python3 was not found: line-count.py is left out', 'yellow');

say.title('The session starts');
const { finalOutput } = await requestHooks(bus, 'SessionStart', { source: 'startup' });
const notes = finalOutput?.getAdditionalContext();

const stopped = await work({
  config,
  model: scriptedModel,
  tools: toolsIn(project.directory),
  prompt: notes === undefined ? prompt : `${prompt}\n\n${notes}`,
  report,
  signal: session.signal,
});
say.story('agent', '', `ends its work: ${stopped ?? 'the model has no further wish'}`);
await requestHooks(bus, 'SessionEnd', { reason: 'exit' });

say.title('The observer, an extension that holds only the bus, has counted');
say.paragraph(observer.summary());
await config.getHookSystem().dispose();

const blocked = observer.blockedCall();
if (blocked !== undefined) {
  const { command, path } = blocked.request.payload.tool_input;
  say.title(`Why was "${command ?? path}" blocked? The trace of this call, a row for every hook:`);
  say.line();
  say.table(
    [
      { title: 'hook', width: 12 },
      { title: 'from', width: 7 },
      { title: 'what it said', width: 29 },
      { title: 'what became of it', width: 24 },
    ],
    blocked.rows.map((row) => {
      const { text, colour } = whatItSaid(row);
      return { cells: [row.name, row.source.kind, text, whatBecameOfIt(row)], colour };
    }),
  );
  say.line();
  say.paragraph('A deny is never lost, whatever fails beside it.');
  say.paragraph('A fault is no verdict, unless the onFault of the hook says so.');
}

say.title('Try next');
say.line('  change a script in examples/hooks, and run npm start again');
say.line('  node examples/embed.mjs        the ten lines around your own tool calls');
say.line('  node examples/define-hook.mjs  hooks that are functions');
say.line('  node examples/inspect.mjs --stay   requests, verdicts and times in the browser');
say.line('  docs/architecture.md           the path of a message, on one page');

// Settings are followed while the agent runs: what is written to a file holds for the next event.
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHooks, formatProblem, loadConfig, watchConfig } from 'hookwright';

const home = realpathSync(mkdtempSync(join(tmpdir(), 'hookwright-watch-')));
const file = join(home, '.hookwright', 'settings.json');
const looks = { name: 'looks', command: 'true' };
const noRm = { name: 'no-rm', command: `echo '{"decision":"deny","reason":"not here"}'` };
const settings = (...hooks) => JSON.stringify({ hooks: { BeforeTool: [{ hooks }] } }, null, 2);
mkdirSync(join(home, '.hookwright'));
writeFileSync(file, settings(looks));

const reloads = new EventTarget();

const { config } = await loadConfig({ cwd: home, home });
const hooks = await createHooks({ config });
const watching = watchConfig(config, {
  onReload: ({ added, removed, changed }) => {
    console.log(`reloaded: ${added.length} added, ${removed.length} removed, ${changed.length} changed`);
    reloads.dispatchEvent(new Event('reload'));
  },
  onProblem: (problem) => console.log(formatProblem(problem, home)),
});
await watching.ready;

const write = async (text) => {
  // Watching keeps no process alive: whoever waits for a reload has to stay for it.
  const stay = setInterval(() => {}, 1_000);
  const reloaded = once(reloads, 'reload');
  writeFileSync(file, text);
  await reloaded;
  clearInterval(stay);
  const { verdict } = await hooks.beforeTool({ tool: 'rm', input: { path: '/' } });
  console.log(`  rm: ${verdict}`);
};

await write(settings(looks, noRm));
await write(settings(noRm).slice(0, 60));
await write(settings(noRm));

await watching.close();
await hooks.close();
rmSync(home, { recursive: true });

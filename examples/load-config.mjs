// Reads settings files and says what is wrong with them, what would run, and why the rest would not.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatProblem, loadConfig, printable } from 'hookwright';

const directory = mkdtempSync(join(tmpdir(), 'hookwright-load-'));
const [cwd, home] = [join(directory, 'project'), join(directory, 'home')];

const write = (place, settings) => {
  mkdirSync(join(place, '.hookwright'), { recursive: true });
  writeFileSync(join(place, '.hookwright', 'settings.json'), settings);
};

write(
  home,
  `{
  // What I want to have everywhere.
  "hooks": {
    "BeforeTool": [{ "matcher": "shell", "hooks": [{ "name": "no-rm", "command": "~/no-rm.sh", "timeout": "5s" }] }],
    "SessionStrat": [{ "hooks": [{ "name": "greet", "command": "./greet.sh" }] }],
  },
}`,
);
write(
  cwd,
  `{
  "hooksConfig": { "disabled": ["no-rm"] },
  "hooks": {
    "BeforeTool": [{ "hooks": [{ "name": "lint", "comand": "npm run lint" }, { "name": "test", "command": "npm test" }] }]
  }
}`,
);

const { config, problems } = await loadConfig({ cwd, home });
for (const problem of problems) console.log(formatProblem(problem, directory));

const hooks = config.getHookSystem();
for (const { name, planned, reason } of await hooks.explain()) {
  console.log(`${printable(name)}: ${planned}${reason ? `, ${reason}` : ''}`);
}
await hooks.dispose();
rmSync(directory, { recursive: true });

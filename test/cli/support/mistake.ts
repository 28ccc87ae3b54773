// A mistake of a person who writes hooks, made and mended with the built command line: what they see, and whether the fix works.
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { createStage, type Stage } from './story.ts';

export type Files = Readonly<Record<string, string>>;

/** A title, the files, the command a person would try, what it has to say of cause and fix, and the files after the fix; then what it says if the fix works. */
export type Mistake = readonly [
  title: string,
  files: Files,
  command: string,
  says: readonly RegExp[],
  fixed: Files,
  setup?: string,
  works?: RegExp,
];

export const SETTINGS = '.hookwright/settings.json';
export const USER = '~/.hookwright/settings.json';
export const RUN = 'hookwright run BeforeTool --tool Bash';
export const EXPLAIN = 'hookwright explain BeforeTool --tool Bash';
export const LIST = 'hookwright list';
export const DOCTOR = 'hookwright doctor';
export const TRUST = 'hookwright trust --yes';

export const DENY = `#!/bin/sh\necho '{"decision": "deny", "reason": "no"}'\n`;

export const file = (hooks: object, more: object = {}): Files => ({ [SETTINGS]: JSON.stringify({ hooks, ...more }) });
export const group = (hook: object, matcher?: unknown): object => ({
  ...(matcher === undefined ? {} : { matcher }),
  hooks: [hook],
});
/** One hook before a tool. */
export const before = (hook: object, matcher?: unknown): Files => file({ BeforeTool: [group(hook, matcher)] });
export const at = (event: string, hook: object, matcher?: unknown): Files => file({ [event]: [group(hook, matcher)] });
/** A hook whose script has this text. */
export const script = (text: string, command = './check.sh', path = 'check.sh'): Files => ({
  ...before({ command }),
  [path]: text,
});
export const prints = (text: string): Files => script(`#!/bin/sh\ncat <<'END'\n${text}\nEND\n`);

export const yes = { command: 'true' };
export const denies = prints('{"decision": "deny", "reason": "no"}');

/** A script that refuses rm -rf, and such an answer in JavaScript. */
export const SH = "#!/bin/sh\nif grep -q 'rm -rf'; then echo 'no rm -rf' >&2; exit 2; fi\n";
export const DENIAL = "{ decision: 'deny', reason: 'no rm -rf' }";
export const fields = (hook: object, matcher: unknown = 'Bash') => ({
  BeforeTool: [group({ name: 'no-rm', ...hook }, matcher)],
});

/** A guard of the project, with the script that it starts. */
export const guard = (more: object = {}, matcher?: unknown): Files => ({
  ...file(fields({ command: './no-rm.sh', ...more }, matcher)),
  'no-rm.sh': SH,
});

const write = (stage: Stage, files: Files): void => {
  for (const [path, text] of Object.entries(files)) {
    const target = path.startsWith('~/') ? join(stage.home, path.slice(2)) : join(stage.cwd, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
    if (text.startsWith('#!')) chmodSync(target, 0o755);
  }
};

/** All that a command prints, on one line: where lines break is no part of what they say. */
const perform = (command: string, { cwd, env }: Stage): Promise<string> =>
  new Promise((done) => {
    const options = { cwd, env: { ...env, COLUMNS: '100' }, timeout: 20_000 };
    execFile('bash', ['-c', command], options, (_error, stdout, stderr) =>
      done(`${stderr}\n${stdout}`.replace(/\s+/g, ' ')),
    );
  });

/** The first command names the cause and a fix; with the fix it says that no more, and the hook does its work. */
export const checkMistake = async ([
  ,
  files,
  command,
  says,
  fixed,
  setup = TRUST,
  works = /^/,
]: Mistake): Promise<void> => {
  const stage = await createStage();
  try {
    write(stage, files);
    await perform(setup, stage);
    const from = performance.now();
    const told = await perform(command, stage);
    const tookMs = performance.now() - from;
    for (const words of says) expect(told).toMatch(words);
    // Two seconds on a machine that does nothing else.
    expect(tookMs).toBeLessThan(15_000);
    if (Object.keys(fixed).length === 0) return;
    for (const path of Object.keys(files))
      rmSync(join(path.startsWith('~/') ? stage.home : stage.cwd, path.replace(/^~\//, '')));
    write(stage, fixed);
    await perform(TRUST, stage);
    const [first] = says;
    const then = await perform(command, stage);
    expect(then).not.toMatch(first ?? /^/);
    expect(then).toMatch(works);
  } finally {
    stage.remove();
  }
};

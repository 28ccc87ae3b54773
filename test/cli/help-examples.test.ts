/** The examples of the help, run as they stand. */
import { execFile } from 'node:child_process';
import { expect, test } from 'vitest';
import { commands } from '../../src/cli/index.ts';
import { createStage, type Stage } from './support/story.ts';

/** They wait for another process, a broker or an edit; that they are read is tested with the pages of the commands. */
const waiting = /--watch|--follow|--stream|--nats|^hookwright (?:serve|inspect|mcp-proxy|record)\b|<\(|[<>]/;

const examples = commands.flatMap(({ spec }) =>
  spec.hidden === true ? [] : spec.examples.map(({ command }) => command).filter((command) => !waiting.test(command)),
);

const settings = {
  hooks: {
    BeforeTool: [
      {
        matcher: 'Bash',
        hooks: [
          { name: 'format', command: 'true' },
          { name: 'no-rm', command: 'true', timeout: 5000 },
        ],
      },
    ],
  },
};

const perform = (command: string, { cwd, env }: Stage): Promise<{ readonly code: unknown; readonly told: string }> =>
  new Promise((done) => {
    const options = { cwd, env, timeout: 50_000 };
    execFile('bash', ['-c', command], options, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : error.code, told: `${stderr}\n${stdout}` }),
    );
  });

test.concurrent.each(examples)('R1638 %s', { timeout: 60_000 }, async (command) => {
  const stage = await createStage([
    { path: '~/.hookwright/settings.json', isExecutable: false, text: JSON.stringify(settings) },
    { path: 'my-hook.sh', isExecutable: true, text: '#!/bin/sh\ncat\n' },
  ]);
  try {
    await perform('hookwright run BeforeTool --tool Bash --record', stage);
    const { code, told } = await perform(command, stage);
    // Nothing is wrong with the command line itself: what it names may not be here.
    expect(told).not.toMatch(/has no flag|takes no argument|there is no command|needs <|must be (?:one of|a number)/);
    expect([0, 1, 64]).toContain(code);
  } finally {
    stage.remove();
  }
});

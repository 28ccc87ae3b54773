import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  Bench,
  type BenchedHook,
  splitDuration,
  summarizeDurations,
  TimeLimit,
} from '../../../src/cli/benching/bench.ts';
import { type BenchReport, formatBenchReports } from '../../../src/cli/benching/bench-report.ts';
import { createStartupProbes } from '../../../src/cli/benching/hook-probes.ts';
import { toTerminal } from '../../../src/cli/rendering/text.ts';
import { type HookConfig, loadConfig } from '../../../src/index.ts';
import { parseCommands } from '../../../src/runners/process-api.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const directory = (): string => temporaryFolder('bench');

const write = (folder: string, file: string, text: string): void => {
  const path = join(folder, file);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
};

describe('samples', () => {
  test.each<[durations: number[], p50Ms: number, p95Ms: number]>([
    [[3], 3, 3],
    [[9, 1, 2], 2, 9],
    [[4, 2, 3, 1], 3, 4],
    [Array.from({ length: 100 }, (_, index) => index), 50, 95],
  ])('of %j', (durations, p50Ms, p95Ms) => {
    expect(summarizeDurations(durations)).toEqual({ runs: durations.length, p50Ms, p95Ms });
  });
});

describe('parts of a run', () => {
  const none = { process: undefined, shell: undefined, interpreter: undefined, modules: undefined };

  test('each is what its probe took longer than the one before', () => {
    expect(splitDuration(60, { process: 1, shell: 2, interpreter: 41, modules: 50 })).toEqual([
      { part: 'process', ms: 1 },
      { part: 'shell', ms: 1 },
      { part: 'interpreter', ms: 40 },
      { part: 'modules', ms: 9 },
      { part: 'own', ms: 9 },
    ]);
  });

  test('together they are never more than the whole, and what is not known is own work', () => {
    expect(splitDuration(10, { process: 1, shell: undefined, interpreter: 40, modules: 50 })).toEqual([
      { part: 'process', ms: 1 },
      { part: 'interpreter', ms: 9 },
    ]);
    expect(splitDuration(10, { ...none, process: 1 })).toEqual([
      { part: 'process', ms: 1 },
      { part: 'own', ms: 9 },
    ]);
    expect(splitDuration(10, none)).toEqual([{ part: 'own', ms: 10 }]);
  });
});

describe('what is run besides, to tell the parts apart', () => {
  const probesFor = (command: string, folder: string) => {
    const {
      process: program,
      shell,
      interpreter,
    } = createStartupProbes(
      { command, env: { A: 'b' } },
      { commands: parseCommands(command, {}), directory: folder, byShell: true },
    );
    return { program, shell, interpreter };
  };

  test('imports of a module, from where it stands', () => {
    const folder = directory();
    write(folder, 'hooks/check.mjs', "import a from 'node:fs';\nimport {\n  b,\n} from './b.mjs';\nimport 'left';\n");
    const { program, shell, interpreter } = probesFor('node --no-warnings hooks/check.mjs --strict', folder);
    expect(program).toMatchObject({ command: 'true', args: [], env: { A: 'b' } });
    expect(shell).toMatchObject({ command: 'exit 0' });
    const imports = `import "node:fs"; import "file://${folder}/hooks/b.mjs"; import "left";`;
    expect(interpreter).toMatchObject({
      name: 'node',
      nothing: { command: 'node', args: ['--no-warnings', '-e', '0'] },
      imports: { cwd: join(folder, 'hooks'), args: ['--no-warnings', '--input-type=module', '-e', imports] },
    });
  });

  test('what a script requires, and what python imports', () => {
    const folder = directory();
    write(folder, 'a.cjs', "const a = require('node:fs');\nconst b = require('./b.cjs');\n");
    write(
      folder,
      'a.py',
      '#!/usr/bin/env python3\nimport sys, json\nfrom os import path\n\ndef f():\n    import late\n',
    );
    expect(probesFor('cat x | node a.cjs', folder).interpreter?.imports?.args).toEqual([
      '-e',
      `require("node:fs"); require("${folder}/b.cjs");`,
    ]);
    expect(probesFor('./a.py', folder).interpreter).toMatchObject({
      name: 'python3',
      imports: {
        args: ['-c', `import sys\nsys.path.insert(0, "${folder}")\nimport sys, json\nfrom os import path`],
      },
    });
  });

  test('nothing of a program that is no interpreter, or is given its program in the line', () => {
    const folder = directory();
    expect(probesFor('jq .decision', folder).interpreter).toBeUndefined();
    expect(probesFor("python3 -c 'import json'", folder).interpreter).toMatchObject({ name: 'python3' });
    expect(probesFor("python3 -c 'import json'", folder).interpreter).not.toHaveProperty('imports');
  });
});

describe.skipIf(process.platform === 'win32')('a bench', { retry: 1 }, () => {
  const benched = async (hooks: readonly HookConfig[], seconds: number, folder: string) => {
    const { config } = await loadConfig({ cwd: folder, home: folder, files: [], env: {} });
    const bench = new Bench(config, new TimeLimit(seconds * 1_000, new AbortController().signal));
    const subjects = hooks.map((hook): BenchedHook => {
      const commands = parseCommands(hook.command ?? '', {});
      return {
        hook,
        eventName: 'BeforeTool',
        inputs: [{}],
        probes: createStartupProbes(hook, { commands, directory: folder, byShell: false }),
      };
    });
    await bench.measure(subjects, () => undefined);
    await bench.compare(subjects, () => undefined);
    await bench.dispose();
    return { results: subjects.map((subject) => bench.resultOf(subject)), runs: bench.runs };
  };

  test('R850 says of each hook where its time goes, and what it takes when it is started ahead', async () => {
    const folder = directory();
    write(
      folder,
      'slow.mjs',
      "import { readFileSync } from 'node:fs';\nreadFileSync(0);\nawait new Promise((go) => setTimeout(go, 60));\n",
    );
    // A start that stands out from what a busy machine adds to a process that does nothing.
    write(folder, 'start.cjs', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);\n');
    const slow: HookConfig = { type: 'command', command: 'node --require=./start.cjs slow.mjs', cwd: folder };
    const early: HookConfig = { type: 'command', command: 'echo early; cat > /dev/null' };
    const { results } = await benched([slow, early], 30, folder);
    const [first, second] = results;
    const msOf = (name: string): number => first?.parts?.find(({ part }) => part === name)?.ms ?? 0;
    expect(first).toMatchObject({ runs: 3, interpreter: 'node' });
    expect(msOf('interpreter')).toBeGreaterThan(5);
    expect(msOf('process') + msOf('interpreter') + msOf('modules') + msOf('own')).toBeCloseTo(first?.p50Ms ?? 0, 0);
    expect(first?.warm).toMatchObject({ p50Ms: expect.any(Number), savesMs: expect.any(Number) });
    expect(first?.worker).toMatchObject({ isEstimate: true });
    expect(second?.warm).toMatchObject({ why: expect.stringContaining('wrote something before it had read') });
  });

  test('a hook of which there was no time to see more is not said to spend all of it on its own work', async () => {
    const { config } = await loadConfig({ cwd: directory(), home: directory(), files: [], env: {} });
    const stop = new AbortController();
    const bench = new Bench(config, new TimeLimit(30_000, stop.signal));
    const hook: HookConfig = { type: 'command', command: 'cat' };
    const probes = createStartupProbes(hook, { commands: parseCommands('cat', {}), directory: '/', byShell: false });
    const subject: BenchedHook = { hook, eventName: 'BeforeTool', inputs: [{}], probes };
    await bench.measure([subject], () => undefined);
    stop.abort();
    await bench.compare([subject], () => undefined);
    await bench.dispose();
    const measured = bench.resultOf(subject);
    expect(measured).not.toHaveProperty('parts');
    expect(measured).not.toHaveProperty('worker');
    const report = { hookId: 'a', name: 'a', eventName: 'BeforeTool', type: 'command', isWarm: false };
    const told = toTerminal(
      formatBenchReports([measured === undefined ? report : { ...report, measured }], [], 80),
      false,
    );
    expect(told).toContain('where its time goes was not measured');
  });

  test('ends when its time is over, and says nothing of what it did not get to', async () => {
    const folder = directory();
    const slow: HookConfig = { type: 'command', command: 'sleep 5' };
    const startedAt = performance.now();
    const { results } = await benched([slow, slow], 0.4, folder);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    expect(results).toEqual([undefined, undefined]);
  });
});

describe('what a person sees', () => {
  const report = (name: string, more: Partial<BenchReport>): BenchReport => ({
    hookId: name,
    name,
    eventName: 'BeforeTool',
    type: 'command',
    isWarm: false,
    ...more,
  });

  test('R851 a bar for each hook, the chain against its budget, and what would be saved', () => {
    const reports = [
      report('guard', {
        measured: {
          runs: 20,
          p50Ms: 60,
          p95Ms: 71,
          parts: [
            { part: 'process', ms: 2 },
            { part: 'interpreter', ms: 40 },
            { part: 'modules', ms: 12 },
            { part: 'own', ms: 6 },
          ],
          interpreter: 'node',
          warm: { p50Ms: 7, savesMs: 53 },
          worker: { p50Ms: 6, savesMs: 54, isEstimate: true },
        },
      }),
      report('quick', { isWarm: true, measured: { runs: 2, p50Ms: 4, p95Ms: 5, fault: 'exit-code' } }),
      report('early', {
        measured: {
          ...{ runs: 9, p50Ms: 4, p95Ms: 5, parts: [{ part: 'own', ms: 4 }] },
          warm: { why: 'it acts before it reads' },
        },
      }),
      report('other', { eventName: 'AfterTool', skipped: 'untrusted' }),
    ];
    const chain = {
      eventName: 'BeforeTool',
      subject: 'Bash',
      hooks: ['guard', 'quick'],
      runs: 3,
      p50Ms: 62,
      p95Ms: 80,
      budgetMs: 50,
      isOverBudget: true,
    } as const;
    expect(
      toTerminal(formatBenchReports(reports, [chain], 80), false),
    ).toBe(`BeforeTool for Bash: 2 hooks together in 62 ms, at worst 80 ms, over its budget of 50 ms
  guard    60 ms    71 ms  ··▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▓▓▓▓▓▓▓▓▓▓█████
    started ahead it takes 7 ms, which saves 53 ms
    as a worker it would save about 54 ms
  quick     4 ms     5 ms  ███
    a run of it failed: exit-code
    only 2 runs: time was up
    it is started ahead of its event already
  early     4 ms     5 ms  ███
    it cannot be started ahead: it acts before it reads

AfterTool
  other  not measured: untrusted

· start of a process   ▒ interpreter start   ▓ module load   █ own work

does a hook behave the same when started ahead?
  hookwright bench --warm guard

create a worker:
  hookwright new --worker
`);
  });
});

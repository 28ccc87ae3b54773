import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chaosFaults, findRemedy, isBlocking, rateTrial } from '../../../src/cli/hook-tests/chaos/run-chaos.ts';
import { HookAggregator } from '../../../src/merging/index.ts';
import { faultCodes, verdicts } from '../../../src/protocol/index.ts';
import { applyOnFault, createFaultResult } from '../../../src/runners/index.ts';
import { toEventVerdict } from '../../../src/triggers/index.ts';
import { processesWith, until } from '../../support/processes.ts';
import { createProject, type Project, type TestRun } from './support.ts';

const aVerdict = fc.constantFrom(...verdicts);

describe('promises', () => {
  test('whoever says no under a fault never fails open, and whoever says no never is unknown', () => {
    fc.assert(
      fc.property(aVerdict, aVerdict, (normal, found) => {
        const fate = rateTrial(normal, found);
        expect(fate === 'unknown').toBe(!isBlocking(normal));
        if (isBlocking(found)) expect(fate).not.toBe('fails-open');
        if (fate === 'fails-open') expect(['none', 'allow']).toContain(found);
      }),
    );
  });

  test('where onFault is named as the remedy, onFault: deny is one', () => {
    fc.assert(
      fc.property(aVerdict, fc.constantFrom(...faultCodes), (normal, code) => {
        const fault = { code, message: 'broken' };
        const verdictUnder = (onFault: 'allow' | 'deny') => {
          const result = applyOnFault(createFaultResult({ command: 'x', onFault }, 'BeforeTool', fault));
          return toEventVerdict(new HookAggregator().aggregateResults([result], 'BeforeTool').finalOutput).verdict;
        };
        const fate = rateTrial(normal, verdictUnder('allow'));
        if (findRemedy(fate, { code }) === 'on-fault') expect(rateTrial(normal, verdictUnder('deny'))).toBe('holds');
      }),
    );
  });
});

const guard = `
let text = '';
for await (const piece of process.stdin) text += piece;
if (JSON.parse(text).tool_input.command === 'rm') console.log(JSON.stringify({ decision: 'deny', reason: 'no rm' }));
`;

const MARK = 'HOOKWRIGHT_CHAOS_TEST=1';

const prepare = (project: Project): void => {
  project.script('guard.mjs', guard);
  project.write('.hookwright/tests/a.test.json', {
    event: 'BeforeTool',
    payload: { tool_name: 'Bash', tool_input: { command: 'rm' } },
    expect: { verdict: 'deny' },
  });
};

const hook = (more: object = {}) => ({
  name: 'guard',
  command: process.execPath,
  args: ['guard.mjs'],
  env: { HOOKWRIGHT_CHAOS_TEST: '1' },
  ...more,
});

type Trials = NonNullable<TestRun['chaos']>['hooks'][number];

const fates = ({ faults }: Trials): Record<string, string> =>
  Object.fromEntries(faults.map(({ fault, code, outcome, fate }) => [fault, `${code ?? outcome} ${fate}`]));

/** What `test --chaos` found, and its exit code. */
const tried = async ({ run }: Project, ...words: readonly string[]) => {
  const { code, chaos } = await run('--chaos', ...words);
  if (chaos === undefined) throw new Error('nothing was tried');
  return { code, ...chaos };
};

const onlyHook = ({ hooks: [hook] }: { readonly hooks: readonly Trials[] }): Trials => {
  if (hook === undefined) throw new Error('no hook was tried');
  return hook;
};

/** What a person reads, on one line. */
const textOf = async ({ start }: Project, ...words: readonly string[]): Promise<string> =>
  (await start('--chaos', ...words).ended).stdout.replace(/\s+/g, ' ');

test('every fault is tried with real processes, and it is told who fails open', { timeout: 60_000 }, async () => {
  const project = createProject({ BeforeTool: [{ hooks: [hook()] }] });
  prepare(project);
  const limit = ['--timeout', '3000'];
  const [chaos, text] = await Promise.all([tried(project, ...limit), textOf(project, ...limit)]);
  expect(fates(onlyHook(chaos))).toEqual({
    'input-never-ends': 'timeout fails-open',
    'input-closed': 'exit-code fails-open',
    'input-garbage': 'exit-code fails-open',
    'input-slow': 'answered holds',
    'input-huge': 'answered holds',
    'prints-garbage': 'malformed-output fails-open',
    'prints-two-documents': 'answered holds',
    'exits-1': 'exit-code fails-open',
    'exits-2': 'answered holds',
    'exits-127': 'spawn-failed fails-open',
    killed: 'killed-by-signal fails-open',
    'too-slow': 'timeout fails-open',
    floods: 'output-too-large fails-open',
    missing: 'spawn-failed fails-open',
  });
  expect(chaos).toMatchObject({ code: 1, failsOpen: ['project/BeforeTool/guard'], unreached: [] });
  expect(text).toContain('"onFault": "deny" in its entry makes it hold 10 of these; now it is "allow"');
  expect(text).toContain('Would have failed open: guard (10 faults)');
  expect(processesWith(MARK)).toEqual([]);
});

test('a hook with onFault: deny holds under every fault', { timeout: 60_000 }, async () => {
  const project = createProject({ BeforeTool: [{ hooks: [hook({ onFault: 'deny' })] }] });
  prepare(project);
  const limit = ['--timeout', '3000'];
  const [chaos, text] = await Promise.all([tried(project, ...limit), textOf(project, ...limit)]);
  expect(onlyHook(chaos).faults.map(({ fate }) => fate)).toEqual(chaosFaults.map(() => 'holds'));
  expect(chaos.code).toBe(0);
  expect(text).toContain('No hook would have failed open');
});

test('hooks of one name are tried all the same', { timeout: 60_000 }, async () => {
  const twins = [hook({ onFault: 'deny' }), hook({ args: ['guard.mjs', 'twin'] })];
  const project = createProject({ BeforeTool: [{ hooks: twins }] });
  prepare(project);
  const { hooks } = await tried(project, '--hook', 'guard', '--timeout', '3000');
  expect(hooks.map(({ faults }) => faults.filter(({ fate }) => fate === 'fails-open').length)).toEqual([0, 10]);
});

test('a hook that never says no, and one that no test reaches, are named and not judged', {
  timeout: 60_000,
}, async () => {
  const project = createProject({
    BeforeTool: [
      { matcher: 'Bash', hooks: [{ name: 'quiet', command: 'cat > /dev/null' }] },
      { matcher: 'Edit', hooks: [{ name: 'unreached', command: 'exit 2' }] },
    ],
  });
  project.write('.hookwright/tests/a.test.json', {
    event: 'BeforeTool',
    payload: { tool_name: 'Bash' },
    expect: { verdict: 'none' },
  });
  const limit = ['--timeout', '2000'];
  const [chaos, text] = await Promise.all([tried(project, ...limit), textOf(project, ...limit)]);
  expect(new Set(onlyHook(chaos).faults.map(({ fate }) => fate))).toEqual(new Set(['unknown']));
  expect(chaos.code).toBe(0);
  expect(text).toContain('No test makes it deny');
  expect(text).toContain('No test reaches unreached');
});

test('Ctrl-C ends it at once, says that not all was tried, and leaves nothing behind', {
  timeout: 30_000,
}, async () => {
  const project = createProject({ BeforeTool: [{ hooks: [hook()] }] });
  prepare(project);
  const { stderr, interrupt, ended } = project.start('--chaos', '--timeout', '20000');
  await until('the faults are tried', 20_000, () => stderr().includes('chaos: hooks run for real'));
  await new Promise((resolve) => setTimeout(resolve, 200));
  const interruptedAt = performance.now();
  interrupt();
  const { code, stdout } = await ended;
  expect(performance.now() - interruptedAt).toBeLessThan(5_000);
  expect(code).toBe(1);
  expect(stdout).toContain('It was not tried with all faults.');
  expect(processesWith(MARK)).toEqual([]);
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chaosData, chaosText, hasNoFailOpen } from '../../../src/cli/hook-tests/chaos/chaos-lines.ts';
import {
  type ChaosRun,
  chaosFate,
  chaosFaults,
  chaosRemedy,
  type HookTrials,
  isBlocking,
  runChaos,
} from '../../../src/cli/hook-tests/chaos/run-chaos.ts';
import { toTerminal } from '../../../src/cli/rendering/text.ts';
import { HookAggregator } from '../../../src/merging/index.ts';
import { faultCodes, verdicts } from '../../../src/protocol/index.ts';
import { applyOnFault, faultResult } from '../../../src/runners/index.ts';
import { decisionOf } from '../../../src/triggers/index.ts';
import { processesWith } from '../../support/processes.ts';
import { createProject, type Project } from './support.ts';

const aVerdict = fc.constantFrom(...verdicts);

describe('promises', () => {
  test('whoever says no under a fault never fails open, and whoever says no never is unknown', () => {
    fc.assert(
      fc.property(aVerdict, aVerdict, (normal, found) => {
        const fate = chaosFate(normal, found);
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
          const result = applyOnFault(faultResult({ command: 'x', onFault }, 'BeforeTool', fault));
          return decisionOf(new HookAggregator().aggregateResults([result], 'BeforeTool').finalOutput).verdict;
        };
        const fate = chaosFate(normal, verdictUnder('allow'));
        if (chaosRemedy(fate, { code }) === 'on-fault') expect(chaosFate(normal, verdictUnder('deny'))).toBe('holds');
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

const fates = ({ cells }: HookTrials): Record<string, string> =>
  Object.fromEntries(cells.map(({ fault, row, fate }) => [fault.id, `${row.code ?? row.outcome} ${fate}`]));

const onlyLine = ({ lines: [line] }: ChaosRun): HookTrials => {
  if (line === undefined) throw new Error('there is no line');
  return line;
};

const textOf = (run: ChaosRun, cwd: string): string => toTerminal(chaosText(run, { cwd, width: 100 }), false);

test('every fault is tried with real processes, and it is told who fails open', { timeout: 60_000 }, async () => {
  const project = createProject({ BeforeTool: [{ hooks: [hook()] }] });
  prepare(project);
  const run = await project.run();
  const chaos = await runChaos(run, { hooks: [], timeoutMs: 3_000 }, project.context);
  expect(fates(onlyLine(chaos))).toEqual({
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
  expect(hasNoFailOpen(chaos)).toBe(false);
  expect(chaosData(chaos)).toMatchObject({ failsOpen: ['project/BeforeTool/guard'], unreached: [] });
  const text = textOf(chaos, project.cwd);
  expect(text).toContain('"onFault": "deny" in its entry makes it hold 10 of these; now it is "allow"');
  expect(text).toContain('Would have failed open: guard (10 faults)');
  expect(processesWith(MARK)).toEqual([]);
});

test('a hook with onFault: deny holds under every fault', { timeout: 60_000 }, async () => {
  const project = createProject({ BeforeTool: [{ hooks: [hook({ onFault: 'deny' })] }] });
  prepare(project);
  const chaos = await runChaos(await project.run(), { hooks: [], timeoutMs: 3_000 }, project.context);
  expect(onlyLine(chaos).cells.map(({ fate }) => fate)).toEqual(chaosFaults.map(() => 'holds'));
  expect(hasNoFailOpen(chaos)).toBe(true);
  expect(textOf(chaos, project.cwd)).toContain('No hook would have failed open');
});

test('hooks of one name are tried all the same', { timeout: 60_000 }, async () => {
  const twins = [hook({ onFault: 'deny' }), hook({ args: ['guard.mjs', 'twin'] })];
  const project = createProject({ BeforeTool: [{ hooks: twins }] });
  prepare(project);
  const { lines } = await runChaos(await project.run(), { hooks: ['guard'], timeoutMs: 3_000 }, project.context);
  expect(lines.map(({ cells }) => cells.filter(({ fate }) => fate === 'fails-open').length)).toEqual([0, 10]);
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
  project.write('.hookwright/tests/a.test.json', { event: 'BeforeTool', payload: { tool_name: 'Bash' } });
  const chaos = await runChaos(await project.run(), { hooks: [], timeoutMs: 2_000 }, project.context);
  expect(new Set(onlyLine(chaos).cells.map(({ fate }) => fate))).toEqual(new Set(['unknown']));
  expect(hasNoFailOpen(chaos)).toBe(true);
  const text = textOf(chaos, project.cwd);
  expect(text).toContain('No test makes it deny');
  expect(text).toContain('No test reaches unreached');
});

test('Ctrl-C ends it at once, says that not all was tried, and leaves nothing behind', {
  timeout: 30_000,
}, async () => {
  const project = createProject({ BeforeTool: [{ hooks: [hook()] }] });
  prepare(project);
  const run = await project.run();
  const startedAt = performance.now();
  setTimeout(() => project.context.stop(), 200);
  const chaos = await runChaos(run, { hooks: [], timeoutMs: 20_000 }, project.context);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  expect(hasNoFailOpen(chaos)).toBe(false);
  expect(textOf(chaos, project.cwd)).toContain('It was not tried with all faults.');
  expect(processesWith(MARK)).toEqual([]);
});

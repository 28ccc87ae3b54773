import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  createHooks,
  type HookConfig,
  type HookDeps,
  type HookExecutionTrace,
  type Lane,
  MessageBus,
  MessageBusType,
} from '../../src/index.ts';
import { createPlace, OWN, type Place, USER } from '../settings/support.ts';
import { approveAll as approve } from './approve-all.ts';

const settings = (hook: HookConfig | undefined, group: object = {}): object => ({
  hooks: { BeforeTool: [{ ...group, hooks: hook === undefined ? [] : [hook] }] },
});

const guard = (onFault: HookConfig['onFault']): HookConfig => ({ name: 'guard', command: './guard.sh', onFault });

const prepared = async (onFault: HookConfig['onFault'], group = { matcher: 'Bash' }): Promise<Place> => {
  const place = createPlace();
  place.write(OWN, settings(guard(onFault), group));
  place.write('project/guard.sh', '#!/bin/sh\n');
  await approve(place);
  return place;
};

const engine = async (place: Place, deps?: HookDeps) => {
  const { config } = await place.load({ deps });
  const hooks = await createHooks({ config });
  onTestFinished(() => hooks.close());
  const traces: HookExecutionTrace[] = [];
  hooks.bus.subscribe(MessageBusType.HOOK_EXECUTION_TRACE, (trace) => traces.push(trace));
  return { hooks, row: () => traces.at(-1)?.rows[0] };
};

const changes: readonly [string, (place: Place) => void][] = [
  ['its script is another', ({ project }) => writeFileSync(join(project, 'guard.sh'), '#!/bin/sh\nexit 0\n')],
  ['its script is gone', ({ project }) => rmSync(join(project, 'guard.sh'))],
];

const told = { planned: 'skip', reason: 'changed-since-trusted', outcome: 'faulted', code: 'changed-since-trusted' };

test.each(changes)(
  'R672 a guard refuses when %s, in the running session and after a restart alike',
  async (_what, change) => {
    const place = await prepared('deny');
    writeFileSync(join(place.project, 'guard.sh'), '#!/bin/sh\n');
    const running = await engine(place);
    change(place);
    const restarted = await engine(place);
    for (const { hooks, row } of [running, restarted]) {
      expect(await hooks.beforeTool({ tool: 'Bash', input: {} })).toMatchObject({
        verdict: 'deny',
        faults: [{ code: 'changed-since-trusted' }],
      });
      expect(row()).toMatchObject(told);
    }
  },
);

describe('R1735 a hook that is not as it was approved is named in the same words, with what changed', () => {
  const named: readonly [what: string, detail: string, change: (place: Place) => void][] = [
    ['a script that was edited', '(guard.sh)', ({ project }) => writeFileSync(join(project, 'guard.sh'), 'exit 0\n')],
    ['a script that is gone', '(guard.sh is gone)', ({ project }) => rmSync(join(project, 'guard.sh'))],
    [
      'a script that cannot be executed any more',
      '(guard.sh lost its execute permission: chmod +x guard.sh)',
      ({ project }) => chmodSync(join(project, 'guard.sh'), 0o644),
    ],
    ['an entry that changed', '(onFault)', (place) => place.write(OWN, settings(guard('ask'), { matcher: 'Bash' }))],
  ];

  test.skipIf(process.platform === 'win32').each(named)('%s', async (_what, detail, change) => {
    const place = createPlace();
    place.write(OWN, settings(guard('deny'), { matcher: 'Bash' }));
    chmodSync(place.write('project/guard.sh', '#!/bin/sh\n'), 0o755);
    await approve(place);
    const running = await engine(place);
    change(place);
    const restarted = await engine(place);
    // A running session has the entry that was approved.
    for (const { hooks, row } of detail === '(onFault)' ? [restarted] : [running, restarted]) {
      const { reason } = await hooks.beforeTool({ tool: 'Bash', input: {} });
      const words = `it changed after it was approved ${detail}; review it: hookwright trust`;
      expect(reason).toContain(`Hook "guard": ${words}`);
      expect(row()?.message).toBe(words);
    }
  });

  test('a script that a session in a folder below looks for there, which is no change, says so', async () => {
    const place = await prepared('deny');
    const cwd = join(place.project, 'below');
    mkdirSync(cwd);
    const { config, problems } = await place.load({ cwd });
    const hooks = await createHooks({ config });
    onTestFinished(() => hooks.close());
    const why = 'guard.sh is looked for in below, where the agent works; write "$HOOKWRIGHT_PROJECT_DIR"/guard.sh';
    expect((await hooks.beforeTool({ tool: 'Bash', input: {} })).reason).toContain(why);
    expect(problems.map(({ message }) => message).join()).toContain(why);
  });
});

test('R672 a lane of the host is not asked to run a guard that changed since it was approved', async () => {
  const place = await prepared('deny');
  let runs = 0;
  const lane: Lane = {
    run: ({ answered }) => {
      runs += 1;
      return answered({ decision: 'allow' });
    },
  };
  const { hooks, row } = await engine(place, { lanes: { command: lane } });
  expect(await hooks.beforeTool({ tool: 'Bash', input: {} })).toMatchObject({ verdict: 'allow' });
  writeFileSync(join(place.project, 'guard.sh'), '#!/bin/sh\nexit 0\n');
  expect(await hooks.beforeTool({ tool: 'Bash', input: {} })).toMatchObject({ verdict: 'deny' });
  expect(row()).toMatchObject(told);
  expect(runs).toBe(1);
});

test.each([
  // Nobody is there to be asked.
  ['ask', 'deny'],
  ['deny', 'deny'],
  ['allow', 'none'],
] as const)(
  'R672 a changed entry obeys the onFault %s it was approved with, whatever it says now',
  async (onFault, verdict) => {
    const place = await prepared(onFault);
    place.write(
      OWN,
      settings({ ...guard(onFault === 'allow' ? 'deny' : 'allow'), command: 'true' }, { matcher: 'Nothing' }),
    );
    const { hooks, row } = await engine(place);
    expect((await hooks.beforeTool({ tool: 'Bash', input: {} })).verdict).toBe(verdict);
    expect(row()).toMatchObject(verdict === 'none' ? { planned: 'skip', reason: 'changed-since-trusted' } : told);
    expect(hooks.problems.map(({ code }) => code)).toEqual(['awaiting-approval']);
    const fate = { ask: 'are asked about;', deny: 'are refused;', allow: 'for an approval' }[onFault];
    expect(hooks.problems[0]?.message).toContain(fate);
    // What it was approved for, and nothing else.
    expect((await hooks.beforeTool({ tool: 'Read', input: {} })).verdict).toBe('none');
  },
);

test('R672 an entry that was removed is a problem and refuses nothing', async () => {
  const place = await prepared('deny');
  place.write(OWN, settings(undefined));
  place.write(USER, settings({ name: 'other', command: 'true' }));
  const { problems } = await place.load();
  expect(problems).toMatchObject([{ code: 'removed', severity: 'error', message: expect.stringContaining('guard') }]);
  const { hooks } = await engine(place);
  expect((await hooks.beforeTool({ tool: 'Bash', input: {} })).verdict).toBe('none');
  expect(hooks.problems).toEqual(problems);
});

test('R672 approvals of an older store count as never given, which is told, and the next approval takes their place', async () => {
  const place = await prepared('deny');
  const store = join(place.home, '.hookwright/trust.json');
  writeFileSync(store, readFileSync(store, 'utf8').replace('"version": 2', '"version": 1'));
  const { hooks, row } = await engine(place);
  expect((await hooks.beforeTool({ tool: 'Bash', input: {} })).verdict).toBe('none');
  expect(row()).toMatchObject({ planned: 'skip', reason: 'untrusted' });
  await approve(place);
  const again = await engine(place);
  await again.hooks.beforeTool({ tool: 'Bash', input: {} });
  expect(again.row()).toMatchObject({ planned: 'run' });
});

test('R674 hooks that wait for an approval are a problem, a line in the log and an error of the bus', async () => {
  const place = createPlace();
  place.write(OWN, settings(guard('allow')));
  const waits = expect.stringContaining(
    '1 hook waits for an approval and will not run: guard; review with hookwright trust',
  );
  const lines: string[] = [];
  const bus = new MessageBus();
  const errors: string[] = [];
  bus.on('error', ({ message }) => errors.push(message));
  const logger = { log: (line: string) => lines.push(line), warn: (line: string) => lines.push(line) };
  const { config, problems } = await place.load({ deps: { logger }, bus });
  expect(problems).toMatchObject([{ code: 'awaiting-approval', message: waits }]);
  const hooks = await createHooks({ config });
  onTestFinished(() => hooks.close());
  expect(hooks.problems).toMatchObject([{ code: 'awaiting-approval', message: waits }]);
  expect(errors).toEqual([waits]);
  expect(lines).toEqual([
    expect.stringContaining('1 hook waits for an approval'),
    '[hookwright:registry] Hook registry initialized with 0 hook entries; 1 more cannot run before they are approved',
  ]);
});

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { backtestAbilities, runHooks } from '../../src/abilities/index.ts';
import { MessageBus } from '../../src/bus/index.ts';
import { Config } from '../../src/index.ts';
import { backtest } from '../../src/sessions/backtest/index.ts';
import { readSession, record } from '../../src/sessions/index.ts';
import { answers, caller, declaration, loadTrusted } from './hooks-support.ts';
import { repositoryWith } from './support.ts';

const denies = answers({ hook_signals: [{ code: 'ABILITY_DENIED', payload: { reason: 'not here' } }] });
const guardEdits = 'match: {ability_scope: "edit_*"}';

/** A session in which one guard denied an edit, let a read pass, and another one broke. */
const recorded = async (): Promise<string> => {
  const bus = new MessageBus();
  const hookSet = await loadTrusted(
    {
      'a.yaml': declaration({ id: 'guard', command: denies, more: guardEdits }),
      'b.yaml': declaration({ id: 'breaks', command: 'exit 1' }),
      'c.yaml': declaration({ id: 'beside', blocking: false }),
    },
    { bus },
  );
  const file = join(repositoryWith(), 'session.jsonl');
  const recording = record(bus, { file });
  await runHooks(hookSet, 'PreAbilityCall', { ability_id: 'edit_file', caller });
  await runHooks(hookSet, 'PreAbilityCall', { ability_id: 'read_file', caller });
  await hookSet.idle();
  await recording.close();
  return file;
};

const guard = declaration({ id: 'guard', command: 'touch ran', more: guardEdits });
const breaks = declaration({ id: 'breaks', command: 'touch ran' });

const backtested = async (file: string, files: Readonly<Record<string, string>>) => {
  const hookSet = await loadTrusted(files);
  const report = await backtestAbilities(readSession(file), hookSet);
  expect(existsSync(join(hookSet.root, 'ran'))).toBe(false);
  return { counts: report.counts, text: report.toText(), decisions: report.decisions };
};

test('recorded decisions are held against the hooks of today, and nothing is run', async () => {
  const file = await recorded();
  const same = await backtested(file, { 'a.yaml': guard, 'b.yaml': breaks });
  expect(same.counts).toMatchObject({ unchanged: 2, 'newly-allowed': 0 });

  const without = await backtested(file, { 'b.yaml': breaks });
  expect(without.counts).toMatchObject({ unchanged: 1, 'newly-allowed': 1 });
  expect(without.text).toContain('PreAbilityCall edit_file: refused: not here → goes on');

  const strict = await backtested(file, { 'a.yaml': guard, 'b.yaml': `${breaks}on_fault: fail\n` });
  expect(strict.decisions).toMatchObject([{ kind: 'newly-blocked', subject: 'read_file' }]);
});

test('a hook nobody has an answer of is unknown, unless another one refuses in any case', async () => {
  const file = await recorded();
  const fresh = declaration({ id: 'fresh', command: 'touch ran' });
  const { decisions } = await backtested(file, { 'a.yaml': guard, 'b.yaml': breaks, 'd.yaml': fresh });
  expect(decisions).toMatchObject([
    { kind: 'unknown', subject: 'read_file', unknown: [{ hook: 'fresh', why: 'no recorded answer: it is new' }] },
  ]);
  const heard = await backtested(file, { 'c.yaml': declaration({ id: 'beside', command: 'touch ran' }) });
  expect(heard.decisions[0]?.unknown).toMatchObject([{ why: 'it was not waited for when this was recorded' }]);
});

test('where the id of a guard is taken today, what it allowed then is refused', async () => {
  const again = declaration({ id: 'breaks', command: 'touch ran' });
  const { decisions } = await backtested(await recorded(), { 'a.yaml': guard, 'b.yaml': breaks, 'c.yaml': again });
  expect(decisions).toMatchObject([{ kind: 'newly-blocked', subject: 'read_file' }]);
});

test('R2049 a backtest of the events of an agent names those of abilities, which it does not compare', async () => {
  const session = readSession(await recorded());
  const { total, notice } = await backtest(session, new Config({ enableHooks: true }));
  expect({ total, notice }).toEqual({
    total: 0,
    notice: expect.stringContaining('Not compared: 2 events of abilities; backtestAbilities compares them.'),
  });
  const chosen = await backtest(session, new Config({ enableHooks: true }), { events: ['BeforeTool'] });
  expect(chosen.notice).not.toContain('abilities');
});

import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import type { CreateHooksOptions } from '../../src/index.ts';
import { project } from '../agents/project.ts';

// Events are added to the catalogue of the process, which other files of tests share: this one has its own.
vi.resetModules();
afterAll(() => vi.resetModules());
const { agentEvents, createHooks, defineEvent, requestHooks } = await import('../../src/index.ts');
const { readSession, record, replay } = await import('../../src/sessions/index.ts');

const deploy = defineEvent({
  name: 'BeforeDeploy',
  when: 'before a deployment',
  payload: z.object({ target: z.string() }),
  subject: 'target',
  denied: 'it is not deployed',
});

const open = async (options: CreateHooksOptions) => {
  const hooks = await createHooks(options);
  onTestFinished(() => hooks.close());
  return hooks;
};

const guard = { type: 'command', name: 'deploy-guard', command: 'echo not on a Friday >&2; exit 2' };
const settings = { hooks: { BeforeDeploy: [{ matcher: 'prod', hooks: [guard] }] } };

test('an event of the host is fired by its name, over the bus and for hooks from settings', async () => {
  const { cwd, home } = project({ 'home/.hookwright/settings.json': settings });
  const hooks = await open({ load: true, cwd, home, events: [deploy] });
  expect(hooks.problems).toEqual([]);
  expect(await hooks.explain('BeforeDeploy', { trigger: 'test' })).toMatchObject([
    { name: 'deploy-guard', planned: 'skip', reason: 'matcher-mismatch' },
  ]);
  expect(await hooks.fire('BeforeDeploy', { target: 'prod' })).toMatchObject({
    verdict: 'deny',
    reason: 'not on a Friday',
  });
  expect(await hooks.fire(deploy, { target: 'test' })).toMatchObject({ verdict: 'none' });
  const answered = await requestHooks(hooks.bus, deploy, { target: 'prod' });
  expect(answered.finalOutput).toMatchObject({ decision: 'block', reason: 'not on a Friday' });
  hooks.on(deploy, ({ target }) => ({ hookSpecificOutput: { additionalContext: `to ${target}` } }), { name: 'where' });
  expect(await hooks.fire(deploy, { target: 'test' })).toMatchObject({ verdict: 'none', context: 'to test' });
});

test('a payload that does not fit the schema of the event is refused before any hook runs', async () => {
  const hooks = await open({ events: [deploy] });
  const seen: unknown[] = [];
  hooks.on(deploy, (input) => void seen.push(input), { name: 'looks' });
  await expect(hooks.fire('BeforeDeploy', { target: 5 })).rejects.toThrow('fire BeforeDeploy: payload.target:');
  const answered = await requestHooks(hooks.bus, { ...deploy, name: 'BeforeDeploy' }, JSON.parse('{"target": 5}'));
  expect(answered).toMatchObject({ success: false, errors: [{ code: 'validation_failure' }] });
  await expect(hooks.fire('BeforDeploy', {})).rejects.toThrow('did you mean "BeforeDeploy"?');
  expect(seen).toEqual([]);
});

describe('an event is defined once per process, by defineEvent, under a name of its own', () => {
  const when = 'never';
  test.each([
    ['a second record', [defineEvent({ name: 'BeforeDeploy', when })], '"BeforeDeploy" is an event already'],
    ['a name of ours', [defineEvent({ name: 'BeforeTool', when })], '"BeforeTool" is an event already'],
    ['an object that defineEvent did not make', [{ ...deploy, name: 'Other' }], 'make each with defineEvent'],
    ['an event beside a list', JSON.parse('{}'), 'events must be a list'],
  ])('%s is refused', async (_what, events, message) => {
    await open({ events: [deploy] });
    await expect(createHooks({ events })).rejects.toThrow(message);
  });

  test('the same record may be given to several engines', async () => {
    for (const _engine of ['first', 'second']) await open({ events: [deploy] });
  });

  test.each([
    [{ name: '', when }, 'needs name'],
    [{ name: 'A b', when }, 'needs name'],
    [{ name: 'Fine', when: ' ' }, 'needs when'],
    [{ name: 'Fine', when, payload: JSON.parse('{"type": "object"}') }, 'needs payload as a schema'],
    [{ name: 'Fine', when, merge: JSON.parse('"first"') }, 'needs merge'],
  ])('%j is no definition', (definition, message) => {
    expect(() => defineEvent(definition)).toThrow(message);
  });
});

test('a hook of Claude Code under ConfigChange runs where the host fires it, and is a problem elsewhere', async () => {
  const { cwd, home } = project({
    'home/.claude/settings.json': {
      hooks: {
        ConfigChange: [{ matcher: 'project_settings', hooks: [{ type: 'command', command: 'cat >&2; exit 2' }] }],
      },
    },
  });
  const options = { load: true, cwd, home, agents: { 'claude-code': true } };
  const without = await open(options);
  expect(without.problems.map(({ message }) => message)).toEqual([
    "Claude Code's ConfigChange has no moment here; the hook does not run",
  ]);
  const hooks = await open({ ...options, events: [agentEvents.ConfigChange] });
  expect(hooks.problems).toEqual([]);
  const { verdict, reason = '' } = await hooks.fire('ConfigChange', {
    source: 'project_settings',
    file_path: 'a.json',
  });
  expect(verdict).toBe('deny');
  expect(JSON.parse(reason)).toMatchObject({
    hook_event_name: 'ConfigChange',
    source: 'project_settings',
    file_path: 'a.json',
  });
  expect(await hooks.fire('ConfigChange', { source: 'user_settings' })).toMatchObject({ verdict: 'none' });
});

test('an event of the host can be recorded and replayed', async () => {
  const { cwd } = project({});
  const hooks = await open({ cwd, events: [deploy] });
  hooks.on(deploy, ({ target }) => (target === 'prod' ? { decision: 'deny', reason: 'no' } : undefined), {
    name: 'no',
  });
  const file = join(cwd, 'session.jsonl');
  const recorder = record(hooks.bus, { file });
  await requestHooks(hooks.bus, deploy, { target: 'prod' });
  await recorder.close();
  const report = await replay(readSession(file), hooks.bus, { mode: 'drive' });
  expect(report).toMatchObject({ pairs: [{ eventName: 'BeforeDeploy', subject: 'prod', same: true }], problems: [] });
});

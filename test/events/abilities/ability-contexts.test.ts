import { describe, expect, test } from 'vitest';
import type { AbilityEventType } from '../../../src/events/index.ts';
import { abilityCatalogue, abilityEventTypes, isAbilityEventType } from '../../../src/events/index.ts';

const caller = { source: 'ai_session' };

/** The least of each context, and all of it. */
const contexts: Record<AbilityEventType, { least: Record<string, unknown>; more: Record<string, unknown> }> = {
  PromptSubmit: { least: { session_id: 's', user_raw_input: '' }, more: { current_files: ['a.ts'] } },
  PreAbilityCreate: {
    least: { ability_ref: { kind: 'operation_key', value: 'deploy' }, caller },
    more: { session_id: 's', input_summary: 'path=a', input: { path: 'a' }, environment: 'ci' },
  },
  PreAbilityCall: {
    least: { ability_id: 'edit', caller },
    more: { session_id: 's', task_key: 't', args_summary: 'edits a.ts', args: ['a.ts'] },
  },
  PostAbilityCall: {
    least: { ability_id: 'edit', status: 'partial' },
    more: { session_id: 's', task_key: 't', duration_ms: 0, input_summary: 'a', output_summary: '', error_message: '' },
  },
  SessionStop: {
    least: { session_id: 's' },
    more: {
      changed_files: ['a'],
      abilities_used: ['edit'],
      tasks_summary: [{ task_key: 't', ability_id: 'edit', status: 'success' }],
      started_at: '2026-01-01T00:00:00Z',
      ended_at: '2026-01-01T00:01:00Z',
    },
  },
};

const messageOf = (eventType: AbilityEventType, context: unknown): string => {
  const read = abilityCatalogue[eventType].read(context);
  return read.ok ? 'fine' : read.message;
};

describe.each(abilityEventTypes.filter(isAbilityEventType))('the context of %s', (eventType) => {
  const { least, more } = contexts[eventType];

  test('R381 R382 R386 R387 R389 has required and optional fields, and keeps those of the host', () => {
    const full = { ...least, ...more, mine: { deep: true } };
    expect(abilityCatalogue[eventType].read(full)).toEqual({ ok: true, payload: full });
    expect(messageOf(eventType, least)).toBe('fine');
    for (const key of Object.keys(least)) {
      expect(messageOf(eventType, { ...least, [key]: undefined })).toMatch(
        new RegExp(`^context\\.${key}.*got nothing`),
      );
    }
    for (const key of Object.keys(more)) {
      const proceedsFreely = ['input', 'args', 'environment'].includes(key);
      expect(messageOf(eventType, { ...least, [key]: Symbol.iterator.toString })).not.toBe('fine');
      if (!proceedsFreely) expect(messageOf(eventType, { ...least, [key]: { no: 1 } })).toContain(`context.${key}`);
    }
  });

  test('has to be plain JSON', () => {
    expect(messageOf(eventType, null)).toBe('context: expected an object');
    expect(messageOf(eventType, { ...least, big: 1n })).toContain('bigint');
  });
});

test('R383 R384 R385 an ability is named by id or operation, and a caller by one of four sources', () => {
  const create = (kind: string) =>
    messageOf('PreAbilityCreate', {
      ability_ref: { kind, value: 'x' },
      caller: { ...caller, job_id: 'j', triggered_by: 'me' },
    });
  expect([create('ability_id'), create('operation_key')]).toEqual(['fine', 'fine']);
  expect(create('name')).toBe('context.ability_ref.kind: expected "ability_id" or "operation_key", got "name"');
  const call = (source: string) => messageOf('PreAbilityCall', { ability_id: 'x', caller: { source } });
  for (const source of ['ai_session', 'background_job', 'ci_pipeline', 'manual_cli']) expect(call(source)).toBe('fine');
  expect(call('me')).toContain('context.caller.source: expected "ai_session"');
});

test('R388 R390 a call ends with success, failure or partial; so does a task in the summary of a session', () => {
  const post = (status: string) => messageOf('PostAbilityCall', { ability_id: 'x', status });
  expect(['success', 'failure', 'partial'].map(post)).toEqual(['fine', 'fine', 'fine']);
  expect(post('done')).toContain('context.status');
  expect(messageOf('SessionStop', { session_id: 's', tasks_summary: [{ task_key: 't' }] })).toContain('ability_id');
});

test('R380 the engine says which event it is; R391 R392 R393 R394 R395 each has its moment, in words', () => {
  for (const name of abilityEventTypes.filter(isAbilityEventType)) {
    expect(abilityCatalogue[name].when).toMatch(/^(when|before|right before|right after) /);
  }
  expect(abilityEventTypes).toEqual([
    'PromptSubmit',
    'PreAbilityCreate',
    'PreAbilityCall',
    'PostAbilityCall',
    'SessionStop',
  ]);
});

test('R390 a task in the summary of a session has one of three states', () => {
  const stop = (status: string) =>
    messageOf('SessionStop', { session_id: 's', tasks_summary: [{ task_key: 't', ability_id: 'edit', status }] });
  for (const status of ['success', 'failure', 'partial']) expect(stop(status)).toBe('fine');
  for (const status of ['created', 'running', 'interrupted']) expect(stop(status)).toContain('tasks_summary');
});

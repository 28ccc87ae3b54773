import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AbilityEventType, SignalContext } from '../../../src/events/index.ts';
import {
  abilityCatalogue,
  abilityEventTypes,
  isAbilityEventType,
  readAbilityAnswer,
} from '../../../src/events/index.ts';
import { ownNow } from '../../support/own-clock.ts';

const speakerAt = (eventType: AbilityEventType): SignalContext => ({
  eventType,
  hookId: 'a-hook',
  signals: abilityCatalogue[eventType].signals,
});

const read = (eventType: AbilityEventType, answer: Record<string, unknown>) => {
  const { answer: kept, problems, verdictLost } = readAbilityAnswer(answer, speakerAt(eventType));
  return { ...kept, problems: problems.map(({ field, fate }) => `${field} ${fate}`), verdictLost };
};

const signal = (kind: unknown, code: unknown, more: object = {}) => ({
  kind,
  code,
  payload: { reason: 'why' },
  ...more,
});

describe('signals each event takes', () => {
  test.each([
    ['PromptSubmit', 'routing_hint', 'ROUTE_SUGGESTION'],
    ['PromptSubmit', 'normalized_intent', 'INTENT'],
    ['PreAbilityCreate', 'ability_preflight', 'ABILITY_AVAILABLE'],
    ['PreAbilityCreate', 'ability_preflight', 'ABILITY_UNAVAILABLE'],
    ['PreAbilityCreate', 'ability_preflight', 'ABILITY_REQUIRES_HUMAN'],
    ['PreAbilityCall', 'ability_guard', 'ABILITY_ALLOWED'],
    ['PreAbilityCall', 'ability_guard', 'ABILITY_DENIED'],
    ['PreAbilityCall', 'ability_guard', 'ABILITY_REQUIRES_HUMAN'],
  ] as const)('R404 R406 R407 R408 %s takes %s with %s', (eventType, kind, code) => {
    expect(read(eventType, { hook_signals: [signal(kind, code, { severity: 'warning' })] })).toEqual({
      hook_signals: [
        { source_event: eventType, hook_id: 'a-hook', kind, code, severity: 'warning', payload: { reason: 'why' } },
      ],
      problems: [],
      verdictLost: false,
    });
  });

  test('R420 R424 only the three events that face the AI take signals', () => {
    const facing = abilityEventTypes.filter((name) => isAbilityEventType(name) && abilityCatalogue[name].isAiFacing);
    const taking = abilityEventTypes.filter(
      (name) => isAbilityEventType(name) && Object.keys(abilityCatalogue[name].signals).length > 0,
    );
    expect(facing).toEqual(['PromptSubmit', 'PreAbilityCreate', 'PreAbilityCall']);
    expect(taking).toEqual(facing);
  });

  test.each(['PostAbilityCall', 'SessionStop'] as const)(
    'R422 signals from %s are not heard, and that is told',
    (eventType) => {
      expect(read(eventType, { hook_signals: [signal('ability_guard', 'ABILITY_DENIED')] })).toEqual({
        problems: ['hook_signals unsupported'],
        verdictLost: false,
      });
    },
  );

  test.each([
    ['a kind of another event', signal('ability_guard', 'ROUTE_SUGGESTION'), 'hook_signals[0] unsupported'],
    ['an unknown kind', signal('routing-hint', 'ROUTE_SUGGESTION'), 'hook_signals[0].kind malformed'],
    ['no code', { kind: 'routing_hint' }, 'hook_signals[0].code malformed'],
    ['no object', 'deny', 'hook_signals[0] malformed'],
  ])('%s is not heard, and that is told', (_what, said, problem) => {
    expect(read('PromptSubmit', { hook_signals: [said] })).toEqual({ problems: [problem], verdictLost: false });
  });

  test('a code nobody knows in a signal that decides makes the answer a fault: it may have been a refusal', () => {
    const { problems, verdictLost } = read('PreAbilityCall', {
      hook_signals: [signal('ability_guard', 'ABILITY_DENY')],
    });
    expect([problems, verdictLost]).toEqual([['hook_signals[0].code malformed'], true]);
    expect(read('PreAbilityCall', { hook_signals: 'ABILITY_DENIED' }).verdictLost).toBe(true);
  });

  test('what is meant for another event and would permit something is dropped without a fault', () => {
    expect(read('PreAbilityCall', { hook_signals: [signal('routing_hint', 'ROUTE_SUGGESTION')] })).toEqual({
      problems: ['hook_signals[0] unsupported'],
      verdictLost: false,
    });
  });

  test('R403 a hook speaks for itself alone, and about this event', () => {
    const said = signal('ability_guard', 'ABILITY_ALLOWED', { hook_id: 'other', source_event: 'PromptSubmit' });
    const { hook_signals, problems } = read('PreAbilityCall', { hook_signals: [said] });
    expect(hook_signals).toMatchObject([{ hook_id: 'a-hook', source_event: 'PreAbilityCall' }]);
    expect(problems).toEqual(['hook_signals[0].source_event malformed', 'hook_signals[0].hook_id malformed']);
  });

  test('R405 a severity nobody knows is dropped, the signal is not', () => {
    const said = signal('ability_guard', 'ABILITY_DENIED', { severity: 'fatal' });
    const { hook_signals, problems } = read('PreAbilityCall', { hook_signals: [said] });
    expect(hook_signals?.[0]).not.toHaveProperty('severity');
    expect(problems).toEqual(['hook_signals[0].severity malformed']);
  });

  test('R409 R410 R416 what a payload should have is looked at; the signal is passed on as it is', () => {
    const hint = {
      suggested_abilities: [{ id: 'edit', reason: 'a file', confidence: 0.9 }],
      suggested_documents: [{ path: 'a.md', reason: 'says how' }],
    };
    const intent = { scope: 'billing', topic: 'typo', stage: 'fix', more: 1 };
    const good = [
      signal('routing_hint', 'ROUTE_SUGGESTION', { payload: hint }),
      signal('normalized_intent', 'INTENT', { payload: intent }),
    ];
    expect(read('PromptSubmit', { hook_signals: good }).problems).toEqual([]);
    const bad = signal('routing_hint', 'ROUTE_SUGGESTION', { payload: { suggested_abilities: ['edit'] } });
    const { hook_signals, problems } = read('PromptSubmit', { hook_signals: [bad] });
    expect(hook_signals).toMatchObject([{ payload: { suggested_abilities: ['edit'] } }]);
    expect(problems).toEqual(['hook_signals[0].payload.suggested_abilities.0 malformed']);
    const guard = signal('ability_guard', 'ABILITY_DENIED', { payload: { require_human: 'yes' } });
    expect(read('PreAbilityCall', { hook_signals: [guard] })).toMatchObject({
      hook_signals: [{ code: 'ABILITY_DENIED' }],
      problems: ['hook_signals[0].payload.require_human malformed'],
      verdictLost: false,
    });
  });

  test('a kind that only one event could mean may be left out', () => {
    expect(read('PreAbilityCreate', { hook_signals: { code: 'ABILITY_UNAVAILABLE' } })).toMatchObject({
      hook_signals: [{ kind: 'ability_preflight', payload: {} }],
      problems: [],
    });
  });
});

describe('the rest of an answer', () => {
  test('R400 R401 logs, usage and an error are read', () => {
    const error = { code: 'NO_REGISTRY', message: 'there is none' };
    const answer = { logs: ['one', { level: 'info' }], usage_recorded: true, error };
    expect(read('PostAbilityCall', answer)).toEqual({ ...answer, problems: [], verdictLost: false });
    expect(read('PostAbilityCall', { logs: 'one', error: 'broken' })).toMatchObject({
      logs: ['one'],
      error: { code: 'error', message: 'broken' },
    });
  });

  test('what cannot be used is told and costs nothing else', () => {
    expect(read('PostAbilityCall', { logs: 3, usage_recorded: 'yes', hook_signal: [], error: null })).toEqual({
      problems: ['hook_signal unsupported', 'logs malformed', 'usage_recorded malformed'],
      verdictLost: false,
    });
  });

  test('F28 keys that reach a prototype are dropped at any depth', () => {
    const said: Record<string, unknown> = JSON.parse(
      '{"__proto__": {"usage_recorded": true}, "hook_signals": [{"code": "ABILITY_DENIED", "payload": {"__proto__": {"require_human": true}}}]}',
    );
    const { hook_signals, problems } = read('PreAbilityCall', said);
    expect(hook_signals).toMatchObject([{ code: 'ABILITY_DENIED', payload: {} }]);
    expect(hook_signals?.[0]?.payload.require_human).toBeUndefined();
    expect(problems).toEqual(['__proto__ malformed', 'hook_signals[0].payload.__proto__ malformed']);
  });

  test('F26 an answer of a million keys or signals is read in no time, and a refusal among them counts', () => {
    const many = [...Array.from({ length: 200_000 }, () => ({})), signal('ability_guard', 'ABILITY_DENIED')];
    const keys = Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`k${index}`, 1]));
    const startedAt = ownNow();
    expect(read('PreAbilityCall', { ...keys, hook_signals: many })).toMatchObject({
      hook_signals: [{ code: 'ABILITY_DENIED' }],
      verdictLost: true,
    });
    expect(ownNow() - startedAt).toBeLessThan(2_000);
  });
});

const anything = fc.oneof(
  fc.anything(),
  fc.constantFrom('ability_guard', 'routing_hint', 'ABILITY_ALLOWED', 'ABILITY_DENIED'),
);
const aSignal = fc.record(
  { kind: anything, code: anything, payload: anything, hook_id: anything },
  { requiredKeys: [] },
);

test('P4 whatever else a hook says, its refusal is heard', () => {
  const refusal = fc.record({
    code: fc.constantFrom('ABILITY_DENIED', 'ABILITY_UNAVAILABLE', 'ABILITY_REQUIRES_HUMAN'),
    kind: fc.oneof(fc.constantFrom('ability_guard', 'ability_preflight', undefined), fc.anything()),
    payload: fc.anything(),
    severity: fc.anything(),
  });
  const others = fc.array(fc.oneof(aSignal, fc.anything()), { maxLength: 5 });
  const rest = fc.dictionary(fc.constantFrom('logs', 'error', 'usage_recorded', 'x'), fc.anything());
  const event = fc.constantFrom('PreAbilityCreate' as const, 'PreAbilityCall' as const);
  fc.assert(
    fc.property(event, others, others, refusal, rest, (eventType, before, after, said, more) => {
      const { hook_signals = [] } = readAbilityAnswer(
        { ...more, hook_signals: [...before, said, ...after] },
        speakerAt(eventType),
      ).answer;
      expect(hook_signals.filter(({ code }) => code === said.code).length).toBeGreaterThan(0);
    }),
  );
});

test('a signal that is heard is always one that its event takes, from the hook that ran', () => {
  const event = fc.constantFrom(...abilityEventTypes.filter(isAbilityEventType));
  fc.assert(
    fc.property(event, fc.array(aSignal), (eventType, said) => {
      const { hook_signals = [] } = readAbilityAnswer({ hook_signals: said }, speakerAt(eventType)).answer;
      for (const { kind, hook_id, source_event } of hook_signals) {
        expect(abilityCatalogue[eventType].signals).toHaveProperty(kind);
        expect([hook_id, source_event]).toEqual(['a-hook', eventType]);
      }
    }),
  );
});

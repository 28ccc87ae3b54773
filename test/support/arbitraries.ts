import fc from 'fast-check';
import { type HookEventName, hookEventNames } from '../../src/events/index.ts';
import type { HookDecision, HookOutput, LLMMessage } from '../../src/protocol/index.ts';

export const anEvent: fc.Arbitrary<HookEventName> = fc.constantFrom(...hookEventNames);

/** Each of them: the compiler misses a new one here. */
const decisions: Readonly<Record<HookDecision, HookDecision>> = {
  allow: 'allow',
  approve: 'approve',
  ask: 'ask',
  deny: 'deny',
  block: 'block',
};

/** Few of them, so that hooks often say the same and often differ. */
const word = fc.constantFrom('red', 'green', 'blue');
const names = fc.uniqueArray(fc.constantFrom('ls', 'rm', 'cat'), { maxLength: 3 });
const settings = fc.dictionary(fc.constantFrom('temperature', 'topP', 'toString'), fc.integer({ max: 2 }), {
  maxKeys: 2,
});
const toolConfig = fc.record(
  { mode: fc.constantFrom('AUTO', 'ANY', 'NONE'), allowedFunctionNames: names },
  { requiredKeys: [] },
);

const specific = fc.record(
  {
    hookEventName: fc.constant('BeforeTool'),
    additionalContext: word,
    clearContext: fc.boolean(),
    updatedOutput: fc.oneof(word, fc.dictionary(word, word, { maxKeys: 2, noNullPrototype: true })),
    tool_input: fc.dictionary(fc.constantFrom('path', 'mode'), word, { maxKeys: 2 }),
    llm_request: fc.record(
      { model: word, messages: fc.constant<LLMMessage[]>([{ role: 'user', content: 'hi' }]), config: settings },
      { requiredKeys: [] },
    ),
    llm_response: fc.record({ text: word }),
    toolConfig,
    tailToolCallRequest: fc.record({ name: word, args: fc.constant({}) }),
    mine: word,
  },
  { requiredKeys: [], noNullPrototype: true },
);

/** Anything a well-behaved hook may answer, unknown fields among it. */
export const anOutput: fc.Arbitrary<HookOutput> = fc.record(
  {
    decision: fc.constantFrom(...Object.values(decisions)),
    reason: word,
    continue: fc.boolean(),
    stopReason: word,
    suppressOutput: fc.boolean(),
    systemMessage: word,
    hookSpecificOutput: specific,
    toString: word,
    flavour: word,
  },
  { requiredKeys: [], noNullPrototype: true },
);

/** An answer that must win: it refuses, stops, or both. */
export const aBlock: fc.Arbitrary<HookOutput> = fc
  .tuple(
    anOutput,
    fc.constantFrom<HookOutput[]>(
      { decision: 'block' },
      { decision: 'deny' },
      { continue: false },
      { decision: 'deny', continue: false },
    ),
  )
  .map(([rest, verdict]) => ({ ...rest, ...verdict }));

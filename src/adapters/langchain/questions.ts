import { AIMessage, type HITLRequest, type WrapToolCallHook } from 'langchain';
import { HookwrightError } from '../../errors.ts';
import { describeValue, isRecord } from '../../kit/index.ts';
import type { ConfirmQuestion } from '../../protocol/index.ts';
import { Newest } from '../core/newest.ts';

export type ToolRequest = Parameters<WrapToolCallHook>[0];
type Members = Readonly<Record<string, unknown>>;
type Interrupt = (value: unknown) => unknown;

/** Calls of one answer of the model that wait for a person, in the order of the answer; by all calls of that answer. */
const waiting = new Newest<readonly string[]>();
/** Whose an answer is that names no call. */
const takers = new WeakMap<object, string | undefined>();

/** The calls of the answer of the model to which this one belongs. */
const siblingsOf = ({ state, toolCall }: ToolRequest): readonly string[] => {
  const messages: unknown = isRecord(state) ? state.messages : undefined;
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [];
  for (const message of list.toReversed()) {
    if (!AIMessage.isInstance(message)) continue;
    const ids = (message.tool_calls ?? []).flatMap(({ id }) => (id === undefined ? [] : [id]));
    if (toolCall.id !== undefined && ids.includes(toolCall.id)) return ids;
  }
  return toolCall.id === undefined ? [] : [toolCall.id];
};

const decisionsIn = (answer: unknown): readonly Members[] => {
  const decisions = isRecord(answer) ? answer.decisions : undefined;
  return Array.isArray(decisions) ? decisions.filter(isRecord) : [];
};

/** A person is asked in the form of the SDK's own middleware for that. */
const questionFor = ({ toolCall }: ToolRequest, question: ConfirmQuestion | undefined): HITLRequest => {
  const { name, args, id } = toolCall;
  const description = question?.reason ?? `A hook asks whether ${name} may be called`;
  const action = { name, args: { ...(question?.toolInput ?? args) }, description, id };
  return {
    actionRequests: [action],
    reviewConfigs: [{ actionName: name, allowedDecisions: ['approve', 'reject'] }],
  };
};

/** What a person answered about a call; a bare `true` will do, too. */
const isApproved = (answer: unknown, id: string | undefined): boolean => {
  if (typeof answer === 'boolean') return answer;
  const decisions = decisionsIn(answer);
  const decision = decisions.find((one) => one.id === id) ?? decisions.find((one) => one.id === undefined);
  if (decision?.type === 'approve' || decision?.type === 'reject') return decision.type === 'approve';
  throw new HookwrightError(
    'invalid_argument',
    `a question of a hook is answered with {decisions: [{type: 'approve'}]} or 'reject'; got ${describeValue(answer)}`,
  );
};

/**
 * Whose an answer is that was sent to the graph and to no question of it: every call that waits is shown it. It is that of the
 * call it names, else of the first that waits; nobody's if no process here knows which do.
 */
const takerOf = (answer: unknown, group: readonly string[], key: string): string | undefined => {
  const calls = waiting.get(key) ?? [];
  const named = decisionsIn(answer).flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  if (named.length > 0) return named.find((id) => group.includes(id));
  if (!isRecord(answer)) return calls.length === 1 ? calls[0] : undefined;
  if (!takers.has(answer)) takers.set(answer, calls[0]);
  return takers.get(answer);
};

/** Puts the question of a hook to a person: throws what interrupts the graph, and has the answer when that goes on. */
export const askPerson = (
  interrupt: Interrupt,
  request: ToolRequest,
  question: ConfirmQuestion | undefined,
): boolean => {
  const { id } = request.toolCall;
  const group = siblingsOf(request);
  const { configurable } = request.runtime;
  const key = [configurable?.thread_id, ...group].join(' ');
  const scratchpad: unknown = configurable?.__pregel_scratchpad;
  const bare = isRecord(scratchpad) ? scratchpad.nullResume : undefined;
  if (bare !== undefined && group.length > 1 && isRecord(scratchpad) && takerOf(bare, group, key) !== id) {
    // An answer that is another call's is not read here: this one asks anew.
    Reflect.deleteProperty(scratchpad, 'nullResume');
  }
  try {
    const answer = interrupt(questionFor(request, question));
    waiting.keep(key, without(key, id));
    return isApproved(answer, id);
  } catch (error) {
    if (id !== undefined && !HookwrightError.is(error)) {
      const calls = [...without(key, id), id];
      waiting.keep(
        key,
        group.filter((one) => calls.includes(one)),
      );
    }
    throw error;
  }
};

const without = (key: string, id: string | undefined): string[] => (waiting.get(key) ?? []).filter((one) => one !== id);

import { AIMessage, type BaseMessage, HumanMessage } from 'langchain';
import type { Hooks } from '../../facade/index.ts';
import { isAgainst } from '../../protocol/index.ts';
import { marked, markOf, retold, textIn, withText } from './messages.ts';

interface Turn {
  readonly messages: readonly BaseMessage[];
  readonly signal: AbortSignal | undefined;
}

/** What becomes of the agent's state; nothing when it stays as it is. */
interface Update {
  messages: BaseMessage[];
  jumpTo?: 'end' | 'model';
}

const isPrompt = (message: BaseMessage): boolean => HumanMessage.isInstance(message) && markOf(message) !== 'sent-back';

const promptIn = (messages: readonly BaseMessage[]): BaseMessage | undefined => messages.findLast(isPrompt);

/** Shows the hooks the user's prompt. A prompt that they block gets their reason as its answer, and no model is asked. */
export const beforeTurn = async (hooks: Hooks, { messages, signal }: Turn): Promise<Update | undefined> => {
  const last = messages.at(-1);
  if (last === undefined || !isPrompt(last)) return undefined;
  const original = textIn(last.content);
  const { verdict, reason, stopReason, prompt } = await hooks.beforeAgent({ prompt: original, signal });
  if (isAgainst(verdict)) {
    const content = `Prompt blocked by hook: ${reason ?? stopReason ?? 'no reason given'}`;
    return { messages: [new AIMessage({ content, ...marked('blocked') })], jumpTo: 'end' };
  }
  if (prompt === original) return undefined;
  // A message with an id that is there already takes its place.
  return { messages: [retold(last, withText(last.content, prompt))] };
};

/** Shows the hooks the agent's answer. One that they do not accept sends it back to work with their reason. */
export const afterTurn = async (hooks: Hooks, { messages, signal }: Turn): Promise<Update | undefined> => {
  const answer = messages.findLast((message) => AIMessage.isInstance(message));
  const prompt = promptIn(messages);
  if (answer === undefined || prompt === undefined || markOf(answer) !== undefined) return undefined;
  const stopHookActive = markOf(messages.findLast((message) => HumanMessage.isInstance(message))) === 'sent-back';
  const { retry, reason } = await hooks.afterAgent({
    prompt: textIn(prompt.content),
    response: textIn(answer.content),
    stopHookActive,
    signal,
  });
  if (!retry) return undefined;
  return {
    messages: [new HumanMessage({ content: reason ?? 'A hook wants more work.', ...marked('sent-back') })],
    jumpTo: 'model',
  };
};

import type { Hooks } from '../../facade/index.ts';

/** More sessions than this never run at once. */
const MAX_KEPT = 1_000;

const prompts = new WeakMap<Hooks, Map<string, string>>();

/** The SDK says at the end of a turn what was answered, and not what to. */
export const keepPrompt = (hooks: Hooks, session = '', prompt = ''): void => {
  const kept = prompts.get(hooks) ?? new Map<string, string>();
  prompts.set(hooks, kept);
  kept.delete(session);
  kept.set(session, prompt);
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
};

/** What the session works on; nothing where no prompt was seen. */
export const keptPrompt = (hooks: Hooks, session = ''): string => prompts.get(hooks)?.get(session) ?? '';

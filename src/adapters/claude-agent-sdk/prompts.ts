import type { Hooks } from '../../facade/index.ts';
import { Newest } from '../core/newest.ts';

const prompts = new WeakMap<Hooks, Newest<string>>();

/** The SDK says at the end of a turn what was answered, and not what to. */
export const keepPrompt = (hooks: Hooks, session = '', prompt = ''): void => {
  const kept = prompts.get(hooks) ?? new Newest<string>();
  prompts.set(hooks, kept);
  kept.keep(session, prompt);
};

/** What the session works on; empty if no prompt was seen. */
export const keptPrompt = (hooks: Hooks, session = ''): string => prompts.get(hooks)?.get(session) ?? '';

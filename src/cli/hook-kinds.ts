/** The kinds of hooks that `init` and `new` create, with example texts and tests for each kind. */
import { catalogue, type HookEventName } from '../events/index.ts';

/** A guard refuses calls, a context hook adds context for the model, a watch hook only observes. */
export type NewHookKind = 'guard' | 'context' | 'watch';

export const selectHookKind = (eventName: HookEventName): NewHookKind => {
  const supports: readonly string[] = catalogue[eventName].supports;
  if (supports.includes('tool_input')) return 'guard';
  return supports.includes('additionalContext') ? 'context' : 'watch';
};

export const FORBIDDEN_COMMAND = 'rm -rf /';
export const FORBIDDEN_REASON = `${FORBIDDEN_COMMAND} is not done here`;
export const EDIT_LINE = 'EDIT THIS LINE';
export const NO_EVENT_REASON = 'no event arrived, so there is nothing that could be allowed';

export const createExampleContext = (name: string): string =>
  `Context from ${name}: write here what the model should know.`;

export interface NewHookTest {
  readonly name: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly expect: Readonly<Record<string, unknown>>;
}

export const createHookTests = (kind: NewHookKind, name: string): readonly NewHookTest[] => {
  switch (kind) {
    case 'guard':
      return [
        {
          name: 'refuses what it is for',
          payload: { tool_input: { command: `${EDIT_LINE}: a command that ${name} refuses` } },
          expect: { verdict: 'deny' },
        },
        {
          name: 'has no opinion about anything else',
          payload: { tool_input: { command: 'ls' } },
          expect: { verdict: 'none' },
        },
      ];
    case 'context':
      return [{ name: 'adds context for the model', expect: { context: createExampleContext(name) } }];
    case 'watch':
      return [{ name: 'observes and has no opinion', expect: { verdict: 'none', hooks: { [name]: 'silent' } } }];
  }
};

import { catalogue, type HookEventName } from '../events/index.ts';

/** What a hook begins as: it refuses something, it tells the model something, or it only looks on. */
export type Kind = 'guard' | 'context' | 'watch';

/** What an event can do with an answer decides what a hook for it begins as. */
export const kindFor = (eventName: HookEventName): Kind => {
  const supports: readonly string[] = catalogue[eventName].supports;
  if (supports.includes('tool_input')) return 'guard';
  return supports.includes('additionalContext') ? 'context' : 'watch';
};

/** What the guard in the documentation refuses. */
export const FORBIDDEN = 'rm -rf /';
export const REASON = `${FORBIDDEN} is not done here`;
/** Marks the lines of a new guard that only its author can write. */
export const EDIT = 'EDIT THIS LINE';
/** Why a guard that cannot see what it is asked about refuses it. */
export const NO_EVENT = 'no event arrived, so there is nothing that could be allowed';

export const contextFrom = (name: string): string => `Context from ${name}: write here what the model should know.`;

export interface Case {
  readonly name: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly expect: Readonly<Record<string, unknown>>;
}

/** What a hook of a template does, as tests. */
export const casesFor = (kind: Kind, name: string): readonly Case[] => {
  switch (kind) {
    case 'guard':
      return [
        {
          name: 'refuses what it is for',
          payload: { tool_input: { command: `${EDIT}: a command that ${name} refuses` } },
          expect: { verdict: 'deny' },
        },
        {
          name: 'has no opinion about anything else',
          payload: { tool_input: { command: 'ls' } },
          expect: { verdict: 'none' },
        },
      ];
    case 'context':
      return [{ name: 'adds context for the model', expect: { context: contextFrom(name) } }];
    case 'watch':
      return [{ name: 'observes and has no opinion', expect: { verdict: 'none', hooks: { [name]: 'silent' } } }];
  }
};

import type { HookAnswer, HookEventName, HookInput } from '../events/catalogue.ts';
import type { HookActionContext, HookConfig, OnFault } from '../protocol/settings.ts';

/** A hook written as a function. Its event decides what it is given and what it may answer. */
export interface HookDefinitionOf<E extends HookEventName> {
  readonly event: E;
  readonly name: string;
  readonly matcher?: string | undefined;
  /** Hooks of an event run one after another when one of them asks for it. */
  readonly sequential?: boolean | undefined;
  readonly timeoutMs?: number | undefined;
  /** What a fault of this hook leads to; `allow` when left out. */
  readonly onFault?: OnFault | undefined;
  readonly run: (input: HookInput<E>, context: HookActionContext) => HookReply<E> | Promise<HookReply<E>>;
}

/** An answer, or nothing: no opinion. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook that only looks returns nothing at all
export type HookReply<E extends HookEventName> = HookAnswer<E> | undefined | void;

/** A function hook ready to be given to an engine. */
export interface DefinedHook {
  readonly event: HookEventName;
  readonly hook: HookConfig;
  readonly matcher?: string | undefined;
  readonly sequential?: boolean | undefined;
}

/** Writes a hook as a function, with the types of its event. Give the result to `createHooks({hooks: [ … ]})`. */
export const defineHook = <E extends HookEventName>(definition: HookDefinitionOf<E>): DefinedHook => {
  const { event, name, matcher, sequential, timeoutMs, onFault, run } = definition;
  const hook: HookConfig = { type: 'runtime', name, action: run, timeout: timeoutMs, onFault };
  return { event, hook, matcher, sequential };
};

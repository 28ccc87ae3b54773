import { type HookConfig, HookType } from '../protocol/settings.ts';

/** What a hook is told whose type is known and cannot be run yet. */
export const notYet = ({ type }: HookConfig): string => `hooks of type "${type}" are not supported by this version`;

/** What a function hook is told that has none, as it happens to those from a file. */
export const needsFunction = ({ type }: HookConfig): string =>
  `a ${type ?? HookType.Plugin} hook needs a function as its action`;

/** Why no run of a hook can succeed, whatever the machine looks like. */
export const notSupported = (hook: HookConfig): string | undefined => {
  switch (hook.type) {
    case HookType.Worker:
    case HookType.Http:
      return notYet(hook);
    case HookType.Runtime:
    case HookType.Plugin:
      return hook.action === undefined ? needsFunction(hook) : undefined;
    default:
      return undefined;
  }
};

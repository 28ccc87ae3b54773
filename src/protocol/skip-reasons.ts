// The closed list of skip reasons: why a hook is not run.

/** Reason → what to do. A row names the first reason that applies, in this order. */
export const skipReasons = {
  'hooks-disabled': 'Hooks are switched off: set enableHooks, or hooksConfig.enabled in the settings file, to true.',
  'unknown-event': 'No event has this name: use one of the known event names.',
  'event-not-fired': 'This host does not fire the event: name it in `events`, or use one that fires here.',
  'invalid-config': 'The entry cannot be read: correct what its problem names.',
  'source-inactive': 'The extension of this hook is not active: activate it.',
  disabled: 'The hook is switched off by name: remove it from the disabled list, or call setHookEnabled(name, true).',
  untrusted: 'The folder or extension of this hook is not trusted: approve the hook with hookwright trust.',
  'changed-since-trusted': 'The hook changed after it was approved: review and approve it with hookwright trust.',
  'matcher-mismatch': 'The matcher does not match: change the matcher, or leave it out to match everything.',
  'condition-mismatch': 'The `if` of the hook is about other calls: change it, or leave it out to run for every call.',
  duplicate: 'The same hook is configured twice: remove one of the two.',
  aborted: 'The request was cancelled before anything was planned: fire it again, with a signal that has not aborted.',
} as const;

export type SkipReason = keyof typeof skipReasons;

const reasonOrder: readonly string[] = Object.keys(skipReasons);

export const sortReasons = (reasons: readonly SkipReason[]): SkipReason[] =>
  [...new Set(reasons)].sort((a, b) => reasonOrder.indexOf(a) - reasonOrder.indexOf(b));

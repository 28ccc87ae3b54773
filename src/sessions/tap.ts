// The door of taps for other rooms; tap/index.ts is the one for users.

export * from './tap/index.ts';
export { TAP_VARIABLE, tapFromEnvironment } from './tap/open-tap.ts';
export { type FoundTap, findTaps, tapDirectory } from './tap/tap-directory.ts';

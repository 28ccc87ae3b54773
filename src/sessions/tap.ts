// The door of taps for other folders of `src`; tap/index.ts is for users of the package.

export * from './tap/index.ts';
export { openTapFromEnvironment, TAP_VARIABLE } from './tap/open-tap.ts';
export { type FoundTap, findTaps, getTapDirectory } from './tap/tap-directory.ts';

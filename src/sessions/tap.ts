// The door of this folder to taps: other folders of src import them only from here, users from tap/index.ts.

export * from './tap/index.ts';
export { openTapFromEnvironment, TAP_VARIABLE } from './tap/open-tap.ts';
export { type FoundTap, findTaps, getTapDirectory } from './tap/tap-directory.ts';

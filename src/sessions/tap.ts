// The door to taps for other folders of src, which must not import deeper; users import tap/index.ts.

export * from './tap/index.ts';
export { openTapFromEnvironment, TAP_VARIABLE } from './tap/open-tap.ts';
export { type FoundTap, findTaps, getTapDirectory } from './tap/tap-directory.ts';

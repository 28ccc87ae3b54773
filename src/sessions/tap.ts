// A door of sessions, that is, a file that other folders may import: exports taps. Users get tap/index.ts.

export * from './tap/index.ts';
export { openTapFromEnvironment, TAP_VARIABLE } from './tap/open-tap.ts';
export { type FoundTap, findTaps, getTapDirectory } from './tap/tap-directory.ts';

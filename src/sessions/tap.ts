// Exports of taps for other folders of src, which import no deeper file. Users import tap/index.ts.

export * from './tap/index.ts';
export { openTapFromEnvironment, TAP_VARIABLE } from './tap/open-tap.ts';
export { type FoundTap, findTaps, getTapDirectory } from './tap/tap-directory.ts';

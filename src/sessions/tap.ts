/** The door for the other rooms; index.ts is the one for users. */

export { TAP_VARIABLE, tapFromEnvironment } from './tap/from-environment.ts';
export * from './tap/index.ts';
export { type FoundTap, findTaps, tapDirectory } from './tap/place.ts';

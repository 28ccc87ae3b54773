/** The door for the other rooms; index.ts is the one for users. */
export { TAP_VARIABLE, tapFromEnvironment } from './from-environment.ts';
export { type FoundTap, findTaps, tapDirectory } from './place.ts';

/** The second door of kit: helpers that know nothing of hooks, and need Node. */
export { codeOf, isMissing } from './error-code.ts';
export { directoriesOf, findProgram, isExecutable } from './find-program.ts';
export { homeDirectory } from './home-directory.ts';
export { openRegular, openRegularNow } from './open-regular.ts';
export { type ProcessStat, processStat } from './process-stat.ts';
export { type RegularFile, readRegular, readRegularNow } from './read-regular.ts';
export { realPathOf } from './real-path.ts';
export { beginningOf, interpreterIn, shebangOf } from './script-head.ts';
export { isSeenByEachAlone } from './seen-by-each.ts';
export { sha256 } from './sha256.ts';
export { isWithin, within } from './within.ts';
export { createWhole, replaceWhole, type WholeFile } from './write-whole.ts';

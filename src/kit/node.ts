/** The second door of kit: helpers that know nothing of hooks, and need Node. */
export { bodyOf } from './body-of.ts';
export { codeOf, isMissing } from './error-code.ts';
export { directoriesOf, findProgram, isExecutable } from './files/find-program.ts';
export { homeDirectory } from './files/home-directory.ts';
export { openRegular, openRegularNow, readBeginning, readRegular } from './files/read-regular.ts';
export { realPathOf } from './files/real-path.ts';
export { beginningOf, interpreterIn, shebangOf } from './files/script-head.ts';
export { isSeenByEachAlone } from './files/seen-by-each.ts';
export { isWithin, within } from './files/within.ts';
export { createWhole, replaceWhole, type WholeFile } from './files/write-whole.ts';
export { type Admission, type LocalServer, refusalOfRequest, serveLocally, targetOf } from './local-server.ts';
export { type ProcessStat, processStat, readProc } from './process-stat.ts';
export { sha256 } from './sha256.ts';
export { isPipeline, TypedLines } from './typing-user.ts';

/** The door of this folder for code that needs Node: lists the helpers that other folders may import. */
export { homeDirectory } from './files/home-directory.ts';
export {
  differsByProcess,
  directoriesOf,
  findProgram,
  homeProblem,
  isExecutable,
  isWithin,
  realPathOf,
  within,
} from './files/locate.ts';
export { OwnFiles, ownFiles } from './files/own-files.ts';
export {
  checkDirectory,
  checkDirectoryNow,
  ensureDirectory,
  hasFileModes,
  makeDirectoryNow,
  readPrivateJson,
  writePrivateFile,
} from './files/private-files.ts';
export {
  beginningOf,
  interpreterIn,
  openRegularFile,
  openRegularFileNow,
  readBeginning,
  readRegularFile,
  shebangOf,
} from './files/read-regular.ts';
export { createFileNow, createWholeFile, replaceWholeFile, type WholeFile } from './files/write-whole.ts';
export {
  type Admission,
  type LocalServer,
  readBody,
  refusalOfRequest,
  requestUrl,
  serveLocally,
} from './local-server.ts';
export { type ProcessStat, processStat, readProcFile } from './process-stat.ts';
export { sha256 } from './sha256.ts';
export { isPipeline, TypedLines } from './typed-lines.ts';
export { codeOf, isMissing } from './values.ts';

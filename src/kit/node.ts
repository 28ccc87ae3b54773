/** The door of this folder for code that needs Node: lists the helpers that other folders may import. */
export { findHomeDirectory } from './files/home-directory.ts';
export {
  differsByProcess,
  findHomeProblem,
  findLostHome,
  findProgram,
  findRealPath,
  isDirectory,
  isExecutable,
  isWithin,
  splitSearchPath,
  toPathWithin,
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
  findInterpreter,
  openRegularFile,
  openRegularFileNow,
  parseShebang,
  readBeginning,
  readBeginningText,
  readRegularFile,
} from './files/read-regular.ts';
export { createFileNow, createWholeFile, replaceWholeFile, type WholeFile } from './files/write-whole.ts';
export {
  type Admission,
  findRequestRefusal,
  type LocalServer,
  readBody,
  requestUrl,
  serveLocally,
} from './local-server.ts';
export { type ProcessStat, processStat, readProcFile } from './process-stat.ts';
export { sha256 } from './sha256.ts';
export { isPipeline, TypedLines } from './typed-lines.ts';
export { isMissing, readErrorCode } from './values.ts';

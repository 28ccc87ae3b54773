/** A door of kit, that is, a file that other folders may import: exports the helpers that need Node. */
export {
  differsByProcess,
  explainUnusableHome,
  findHomeDirectory,
  findHomeProblem,
  findProgram,
  findRealPath,
  isDirectory,
  isExecutable,
  isFile,
  isProgram,
  isWithin,
  listNames,
  splitSearchPath,
  toPathWithin,
} from './files/locate.ts';
export {
  checkDirectory,
  checkDirectoryNow,
  ensureDirectory,
  ensureDirectoryNow,
  hasFileModes,
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
export { TemporaryFiles, temporaryFiles } from './files/temporary-files.ts';
export { createFileNow, createWholeFile, type FileToWrite, replaceWholeFile } from './files/write-whole.ts';
export {
  findRequestRefusal,
  type LocalServer,
  readBody,
  readRequestUrl,
  type ServerAccess,
  serveLocally,
} from './local-server.ts';
export { isProcessAlive, type ProcessStat, readProcessStat, readProcFile } from './process-stat.ts';
export { sha256 } from './sha256.ts';
export { isCiEnvironment, TerminalLines } from './terminal-lines.ts';
export { isMissingFileError, readErrorCode } from './values.ts';

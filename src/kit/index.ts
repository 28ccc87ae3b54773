/** Exports the helpers that run anywhere, even in browsers; node.ts exports those that need Node. */

export {
  describeThrown,
  describeValue,
  escapeRegex,
  explainBadPattern,
  explainNotJson,
  hasSameJsonText,
  isBuiltInObject,
  isPlainContainer,
  isPrototypeKey,
  isRecord,
  listInheritedMembers,
  MAX_JSON_DEPTH,
  MAX_JSON_VALUES,
  type Members,
  parseJson,
  readShortened,
  type SkippedKeys,
  shorten,
  textOf,
  toError,
  withChanges,
  withoutByteOrderMark,
} from './json.ts';
export {
  detectTextStyle,
  findMember,
  formatJson,
  getIndentAt,
  insertMember,
  type JsonTreeNode,
  removeMember,
  renderValue,
} from './json-edits.ts';
export { createLineIndex, type LineAndColumn } from './line-index.ts';
export { expectKnown, findNearestName, formatSuggestion, isTypingMistake } from './nearest.ts';
export { appendToPath, type FileOwnership, formatPath, readAtPath } from './paths.ts';
export { escapeUnprintable, formatLocalTime, joinNames, limitToBytes, printable, toOneLine } from './printable.ts';
export { RecentMap } from './recent-map.ts';
export { checkByStandard, formatStandardIssues, isStandardSchema, type StandardSchema } from './standard-schema.ts';
export { findJsonExcess, findTomlExcess } from './text-excess.ts';
export { toPlain } from './to-plain.ts';
export {
  attempt,
  cacheByKey,
  canCopyItself,
  copyMethod,
  doNothing,
  isPositiveNumber,
  isSameList,
  type MaybePromise,
  omitUndefined,
  once,
  onFirstUse,
} from './values.ts';
export {
  callAfterTwoTurns,
  createSlicer,
  MAX_TIMER_MS,
  onAbort,
  runInMicrotask,
  waitForNextTurn,
  waitForTurnIfLarge,
  waitWithinMs,
} from './waiting.ts';

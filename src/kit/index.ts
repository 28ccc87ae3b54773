/**
 * General helpers without knowledge of hooks. They run anywhere, including browsers; node.ts exports those that need
 * Node.
 */

export {
  describeThrown,
  describeValue,
  isPrototypeKey,
  isRecord,
  MAX_JSON_DEPTH,
  parseJson,
  type SkippedKeys,
  shorten,
  textOf,
  toError,
  whyNoPattern,
  whyNotJson,
  withChanges,
} from './json.ts';
export { type LineAndColumn, lineIndex } from './line-index.ts';
export { isTypingMistake, nearestName, suggestion } from './nearest.ts';
export { type FileOwnership, pathText, pathTo, valueAt } from './paths.ts';
export { localTime, onOneLine, printable, visibleJson, withinBytes } from './printable.ts';
export { RecentMap } from './recent-map.ts';
export { checkByStandard, isStandardSchema, type StandardSchema, standardIssues } from './standard-schema.ts';
export { findExcess, findTomlExcess } from './text-excess.ts';
export { toPlain } from './to-plain.ts';
export { cachedByKey, copiesItself, definedMembersOf, isSameList, once, onFirstUse, ownCopy } from './values.ts';
export { afterSettling, inMicrotask, inSlices, nextTurn, onAbort, waitForTurn, withinMs } from './waiting.ts';

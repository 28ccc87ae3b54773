import { isRecord, pathTo } from '../../../kit/index.ts';
import type { AnswerMessage } from '../../../protocol/index.ts';
import { holdsMark, sameButForMarks } from '../recording/marks.ts';
import { toPlain } from '../recording/plain.ts';

/** More would say no more than that everything is different. */
const MAX_DIFFERENCES = 100;

/** What is another one each time. Only where it is ours to write: a `duration` that a hook answers is a difference. */
const ignored =
  /^(?:correlationId|handledBy|result\.totalDuration|result\.hooks\[\d+\]\.duration_ms)$|^(?:error|result\.errors\[\d+\])\.details\.correlationId$/;

const isSame = (recorded: unknown, replayed: unknown): boolean => {
  if (Object.is(recorded, replayed)) return true;
  if (typeof recorded !== 'string' || !holdsMark(recorded)) return false;
  // The secret behind the mark of a key may have been anything; one in a text was a text.
  return typeof replayed === 'string' ? sameButForMarks(recorded, replayed) : sameButForMarks(recorded, '');
};

const keysOf = (one: object, other: object): readonly string[] => [
  ...new Set([...Object.keys(one), ...Object.keys(other)]),
];

const compare = (recorded: unknown, replayed: unknown, path: string, differences: string[]): void => {
  if (differences.length >= MAX_DIFFERENCES || ignored.test(path)) return;
  if (Array.isArray(recorded) && Array.isArray(replayed)) {
    const length = Math.max(recorded.length, replayed.length);
    for (let index = 0; index < length; index += 1) {
      compare(recorded[index], replayed[index], pathTo(path, index), differences);
    }
  } else if (isRecord(recorded) && isRecord(replayed)) {
    for (const key of keysOf(recorded, replayed)) compare(recorded[key], replayed[key], pathTo(path, key), differences);
  } else if (!isSame(recorded, replayed)) {
    differences.push(path);
  }
};

/** As it would stand in a session: plain JSON. Recorded and replayed responses are then of one kind. */
export const asRecorded = (response: AnswerMessage): AnswerMessage => {
  const plain: unknown = JSON.parse(JSON.stringify(toPlain(response)));
  return isResponseLike(plain) ? plain : response;
};

const isResponseLike = (value: unknown): value is AnswerMessage => isRecord(value) && 'result' in value;

/** The paths at which two responses say different things, times, durations and ids aside. */
export const differencesBetween = (recorded: AnswerMessage, replayed: AnswerMessage): string[] => {
  const differences: string[] = [];
  compare(recorded, replayed, '', differences);
  return differences;
};

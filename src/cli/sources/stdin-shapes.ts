/** Records the field names and types that an agent sends, without the values. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RecordedStdin } from '../../agents/cli-api.ts';
import { describeThrown, escapeUnprintable, isRecord, parseJson } from '../../kit/index.ts';
import { listNames, readRegularFile } from '../../kit/node.ts';
import type { CliProblem } from '../command-outcome.ts';
import { findTargetOutside } from './sessions.ts';

const SHAPE_FILE_ENDING = '.stdin.json';

const MAX_SHAPE_DEPTH = 6;

const MAX_SHAPE_BYTES = 4 * 1_048_576;

const toShape = (value: unknown, depth = 0): unknown => {
  if (Array.isArray(value)) return value.length === 0 || depth >= MAX_SHAPE_DEPTH ? [] : [toShape(value[0], depth + 1)];
  if (!isRecord(value)) return value === null ? null : typeof value;
  if (depth >= MAX_SHAPE_DEPTH) return {};
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toShape(member, depth + 1)]));
};

export const writeShape = (
  session: string,
  { agent, event, document }: { agent: string; event: string; document: Readonly<Record<string, unknown>> },
): void => {
  const file = session.replace(/\.jsonl$/, SHAPE_FILE_ENDING);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const text = escapeUnprintable(JSON.stringify({ agent, event, shape: toShape(document) }));
  writeFileSync(file, `${text}\n`, { mode: 0o600, flag: 'wx' });
};

export const readShapeText = (cwd: string, file: string): string => {
  const target = findTargetOutside(cwd, file);
  if (target !== undefined) throw new Error(`it leads out of this directory, to ${target}`);
  const found = readRegularFile(file, { maxBytes: MAX_SHAPE_BYTES });
  if ('bytes' in found) return found.bytes.toString('utf8');
  throw new Error('missing' in found ? 'it no longer exists' : `it ${found.trouble}`);
};

export const readRecordedShapes = (cwd: string): { recorded: RecordedStdin[]; problems: CliProblem[] } => {
  const directory = join(cwd, '.hookwright', 'sessions');
  const recorded: RecordedStdin[] = [];
  const problems: CliProblem[] = [];
  const names = listNames(directory).filter((name) => name.endsWith(SHAPE_FILE_ENDING));
  for (const name of names.sort()) {
    const file = join(directory, name);
    try {
      const read = parseJson(readShapeText(cwd, file));
      const { agent, event, shape } = read.ok && isRecord(read.value) ? read.value : {};
      if (typeof agent !== 'string' || typeof event !== 'string' || !isRecord(shape))
        throw new Error('is not a shape that hookwright recorded');
      recorded.push({ from: file, document: shape, agent, event });
    } catch (error) {
      problems.push({ severity: 'warning', file, message: `cannot be used: ${describeThrown(error)}` });
    }
  }
  return { recorded, problems };
};

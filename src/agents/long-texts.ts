// Shortens long texts of an answer as its agent does.
import { limitToBytes } from '../kit/index.ts';
import { temporaryFiles } from '../kit/node.ts';
import type { Answer, Said } from './answers/answer.ts';

export interface TextLimit {
  readonly of: readonly ('context' | 'reason' | 'message')[];
  readonly most: number;
  readonly unit: 'characters' | 'bytes' | 'tokens';
  readonly rest: 'file' | 'cut';
}

const PREVIEW_CHARACTERS = 2_000;

/** An estimate; agents count with tokenizers of their own. */
const BYTES_PER_TOKEN = 4;

const lengthMeasures: Readonly<Record<TextLimit['unit'], (text: string) => number>> = {
  characters: (text) => text.length,
  bytes: (text) => Buffer.byteLength(text),
  tokens: (text) => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN),
};

/** A surrogate pair must not be split. */
const cutCharacters = (text: string, characters: number): string =>
  text.slice(0, characters).replace(/[\uD800-\uDBFF]$/, '');

const cutToLimit = (text: string, { most, unit }: TextLimit): string =>
  unit === 'characters'
    ? cutCharacters(text, most)
    : limitToBytes(text, unit === 'bytes' ? most : most * BYTES_PER_TOKEN);

const shortenText = (name: string, text: string, limit: TextLimit) => {
  const length = `${lengthMeasures[limit.unit](text)} ${limit.unit}`;
  const more = `more than the ${limit.most} that are handed on`;
  if (limit.rest === 'cut')
    return { text: cutToLimit(text, limit), note: `its ${name} has ${length}, ${more}: the rest is cut` };
  const file = temporaryFiles.write(`${name}.txt`, text);
  if ('trouble' in file) return { text, note: `its ${name} has ${length}, ${more}, and no file: ${file.trouble}` };
  const preview = `${cutCharacters(text, PREVIEW_CHARACTERS)}\n… (the beginning of ${length}; all of it is in ${file.path})`;
  return { text: preview, note: `its ${name} has ${length}, ${more}: all of it is in ${file.path}` };
};

export const cutAnswerToLimit = (answer: Answer, limit: TextLimit | undefined): Answer => {
  if (limit === undefined || answer.said === undefined) return answer;
  const notes: string[] = [];
  const texts: { -readonly [Name in TextLimit['of'][number]]?: Said[Name] } = {};
  for (const name of limit.of) {
    const text = answer.said[name];
    if (text === undefined || lengthMeasures[limit.unit](text) <= limit.most) continue;
    const short = shortenText(name, text, limit);
    texts[name] = short.text;
    notes.push(short.note);
  }
  return notes.length === 0
    ? answer
    : { ...answer, said: { ...answer.said, ...texts }, swallowed: [...answer.swallowed, ...notes] };
};

import type { GenerateResult, StreamPart } from './sdk-types.ts';

type Members = Readonly<Record<string, unknown>>;

/** Parts of a stream that make up one part of the content, by what they begin with. */
const grows: Readonly<Record<string, 'text' | 'reasoning'>> = { 'text-start': 'text', 'reasoning-start': 'reasoning' };

/** Parts of a stream that are part of the content as they are. */
const whole: ReadonlySet<string> = new Set([
  'tool-call',
  'tool-result',
  'tool-approval-request',
  'file',
  'reasoning-file',
  'source',
  'custom',
]);

const metadataOf = ({ providerMetadata }: Members): Members =>
  providerMetadata === undefined ? {} : { providerMetadata };

const withoutType = ({ type, ...members }: Members): Members => members;

/** The result that the parts of a stream come to, as `doGenerate` would have given it. */
export const joinParts = (parts: Iterable<StreamPart>): GenerateResult => {
  const content: Record<string, unknown>[] = [];
  const open = new Map<unknown, Record<string, unknown>>();
  let result: GenerateResult & Members = { content: [], finishReason: 'other', usage: {}, warnings: [] };
  for (const part of parts) {
    const members: Members = { ...part };
    const { type } = part;
    const kind = grows[type];
    if (kind !== undefined) {
      const begun = { type: kind, text: '', ...metadataOf(members) };
      open.set(members.id, begun);
      content.push(begun);
    } else if (type.endsWith('-delta') || type.endsWith('-end')) {
      const begun = open.get(members.id);
      if (begun === undefined) continue;
      if (typeof members.delta === 'string') begun.text = `${begun.text}${members.delta}`;
      Object.assign(begun, metadataOf(members));
    } else if (whole.has(type)) content.push({ ...members });
    else if (type === 'stream-start') result = { ...result, ...withoutType(members) };
    else if (type === 'response-metadata') result = { ...result, response: withoutType(members) };
    else if (type === 'finish') result = { ...result, ...withoutType(members) };
  }
  return { ...result, content };
};

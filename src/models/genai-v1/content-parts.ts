import { isRecord } from '../../kit/index.ts';
import { textParts } from '../text-parts.ts';

/** Keys that describe a part and carry nothing themselves: a part that has only these left is empty. */
const annotations: ReadonlySet<string> = new Set([
  'thought',
  'thoughtSignature',
  'partMetadata',
  'videoMetadata',
  'mediaResolution',
  'mediaProcessing',
  'speechMetadata',
]);

const withoutText = (part: unknown): Record<string, unknown> | undefined => {
  if (!isRecord(part)) return undefined;
  const { text, ...rest } = part;
  const carriesMore = Object.entries(rest).some(([key, value]) => value != null && !annotations.has(key));
  return carriesMore ? rest : undefined;
};

/**
 * A part with `thought: true` is not text for hooks: it is the model talking to itself, the SDK's own `text` getter leaves
 * it out too, and a hook that rewrites an answer must not turn reasoning into answer. Like every other part without text
 * it stays where it is. A thought signature is opaque to us, and an API may refuse a turn that lost it: it stays too.
 */
export const {
  textsOf: textsOfParts,
  removeText,
  replaceText,
  replaceTexts,
} = textParts({
  textOf: (part) => {
    if (typeof part === 'string') return part;
    return isRecord(part) && typeof part.text === 'string' && part.thought !== true ? part.text : undefined;
  },
  withText: (part, text) => (typeof part === 'string' || !isRecord(part) ? text : { ...part, text }),
  withoutText,
  leads: (part) => isRecord(part) && part.thought === true,
});

/** Text parts of `@google/genai` contents. */
import { isRecord } from '../../kit/index.ts';
import { textParts } from '../text-parts.ts';

/** A part with only these keys is empty. */
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
 * Parts with `thought: true` are not text for hooks: a hook that rewrites an answer must not turn reasoning into
 * answer. They keep their position, as do thought signatures, without which an API may refuse the turn.
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

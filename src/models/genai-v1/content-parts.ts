/** Reads and replaces the text parts of `@google/genai` contents. */
import { isRecord } from '../../kit/index.ts';
import { createTextPartOperations } from '../text-parts.ts';

/** Keys that describe a message part but hold no content. A part with only these keys is treated as empty. */
const annotationKeys: ReadonlySet<string> = new Set([
  'thought',
  'thoughtSignature',
  'partMetadata',
  'videoMetadata',
  'mediaResolution',
  'mediaProcessing',
  'speechMetadata',
]);

const removePartText = (part: unknown): Record<string, unknown> | undefined => {
  if (!isRecord(part)) return undefined;
  const { text, ...rest } = part;
  const carriesMore = Object.entries(rest).some(([key, value]) => value != null && !annotationKeys.has(key));
  return carriesMore ? rest : undefined;
};

/**
 * Parts with `thought: true` are not shown to hooks: a hook that rewrites an answer must not turn reasoning into an
 * answer. Parts with a thought signature keep their position, because the API may refuse the turn without them.
 */
export const {
  textsOf: textsOfParts,
  removeText,
  replaceText,
  replaceTexts,
} = createTextPartOperations({
  textOf: (part) => {
    if (typeof part === 'string') return part;
    return isRecord(part) && typeof part.text === 'string' && part.thought !== true ? part.text : undefined;
  },
  withText: (part, text) => (typeof part === 'string' || !isRecord(part) ? text : { ...part, text }),
  withoutText: removePartText,
  leads: (part) => isRecord(part) && part.thought === true,
});

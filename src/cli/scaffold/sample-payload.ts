/** Chooses a payload for the test of a new hook, so that its matcher matches. */
import { catalogue, type HookEventName } from '../../events/index.ts';
import { compileMatcher, matchRegex } from '../../planner/index.ts';
import { UsageError } from '../usage-error.ts';

type Payload = Readonly<Record<string, unknown>>;

const createNoSampleError = (matcher: string, hint: string): UsageError =>
  new UsageError(`nothing that is known matches ${JSON.stringify(matcher)}, so no test can be written for it`, hint);

/** Even without a matcher, the payload has a tool name, because a matcher may be added later. */
export const createPayloadForMatcher = (
  eventName: HookEventName,
  matcher: string | undefined,
  { tool, known }: { readonly tool: string | undefined; readonly known: readonly string[] },
): Payload => {
  const { subject } = catalogue[eventName];
  if (subject === undefined) return {};
  const compiled = compileMatcher(matcher, subject.compare, matchRegex);
  if (compiled.warning !== undefined) {
    throw new UsageError(
      compiled.warning.message,
      'such a hook would probably never fire: correct it, or write \\( for a ( that is meant',
    );
  }
  const [firstWord] = (matcher ?? '').split('|');
  if (subject.from === 'toolName') {
    const candidates = tool === undefined ? [firstWord ?? '', ...known] : [tool];
    const name = candidates.find((candidate) => candidate !== '' && compiled.test(candidate) === true);
    if (name === undefined && tool !== undefined) {
      const message = `${JSON.stringify(tool)} does not match ${JSON.stringify(matcher)}, so its test could not pass`;
      throw new UsageError(message, 'name a tool that it matches with --tool, or change --matcher');
    }
    if (name === undefined) throw createNoSampleError(matcher ?? '', 'name a tool that it matches: --tool <name>');
    return { [subject.field]: name };
  }
  if (compiled.kind === 'everything') return {};
  const words = subject.words ?? [firstWord ?? ''];
  const word = words.find((one) => one !== '' && compiled.test(one) === true);
  if (word === undefined) throw createNoSampleError(matcher ?? '', `words of ${eventName}: ${words.join(', ')}`);
  return { [subject.field]: word };
};

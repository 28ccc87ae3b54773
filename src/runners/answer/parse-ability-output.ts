// Parses the output of an ability hook, which must be one JSON document or empty.
import { type CheckedAbilityAnswer, isRefusal, readAbilityAnswer, type SignalContext } from '../../events/index.ts';
import { shorten } from '../../kit/index.ts';
import { type HookResult, type Notice, notice } from '../../protocol/index.ts';
import { decode } from './decode.ts';
import { findDocument } from './find-document.ts';
import { findFailure, type ParsedOutput, type ProcessEnd, type ProcessFailure } from './parse-output.ts';

const listRefusals = ({ hook_signals = [] }: HookResult): HookResult => {
  const refusals = hook_signals.filter(isRefusal);
  return refusals.length === 0 ? {} : { hook_signals: refusals };
};

const MAX_STDERR_CHARACTERS = 300;

const withStderr = (failure: string, stderr: string): string =>
  stderr.trim() === '' ? failure : `${failure}; it printed to stderr: ${shorten(stderr.trim(), MAX_STDERR_CHARACTERS)}`;

const readAllAnswers = (
  documents: readonly Record<string, unknown>[],
  signalContext: SignalContext,
): CheckedAbilityAnswer => {
  const reads = documents.map((document) => readAbilityAnswer(document, signalContext));
  const last = reads.at(-1) ?? readAbilityAnswer({}, signalContext);
  const earlier = reads.slice(0, -1);
  const refusals = earlier.flatMap(({ answer }) => listRefusals(answer).hook_signals ?? []);
  const { hook_signals: signals = [] } = last.answer;
  return {
    answer: refusals.length === 0 ? last.answer : { ...last.answer, hook_signals: [...refusals, ...signals] },
    problems: reads.filter((read) => read === last || read.verdictLost).flatMap(({ problems }) => problems),
    verdictLost: reads.some((read) => read.verdictLost),
  };
};

export const parseAbilityOutput = (end: ProcessEnd, signalContext: SignalContext): ParsedOutput => {
  const stdout = decode(end.stdout, 'stdout');
  const stderr = decode(end.stderr, 'stderr');
  const printed = { stdout: stdout.text, stderr: stderr.text };
  const ending = findFailure(end);
  const found = findDocument(stdout.text, ['hook_signals', 'code', 'kind', 'error']);
  const seen = [...stdout.warnings, ...stderr.warnings, ...(found.kind === 'answer' ? found.warnings : [])];
  const warned = (more: readonly Notice[] = []): { warnings?: readonly Notice[] } =>
    seen.length + more.length === 0 ? {} : { warnings: [...seen, ...more] };

  if (found.kind !== 'answer') {
    const text = stdout.text.trim();
    if (ending === undefined && text === '') return { success: true, ...printed, ...warned() };
    const problem = found.kind === 'broken' ? found.problem : shorten(text, 80);
    const { failure, ...fault }: ProcessFailure = ending ?? {
      code: 'malformed-output',
      failure: `answered with something that is not a JSON object (${problem})`,
    };
    return { ...fault, ...warned(), ...printed, success: false, failure: withStderr(failure, stderr.text) };
  }

  const { answer, problems, verdictLost } = readAllAnswers(found.documents, signalContext);
  const kept = ending === undefined ? answer : listRefusals(answer);
  const misused = problems.filter(({ field }) => field.startsWith('hook_signals'));
  const base = {
    ...printed,
    ...(Object.keys(kept).length > 0 ? ({ output: kept, outputFormat: 'json' } as const) : {}),
    ...(problems.length === 0 ? {} : { fieldProblems: problems }),
    ...warned(misused.map(({ field, note }) => notice('misconfiguration', `${field}: ${note}`))),
  };
  if (ending !== undefined)
    return { ...ending, ...base, success: false, failure: withStderr(ending.failure, stderr.text) };
  const { error } = answer;
  if (error !== undefined) {
    const failure = `reported an error: ${error.code}: ${shorten(error.message)}`;
    return { ...base, success: false, code: 'threw', failure };
  }
  if (verdictLost || found.problem !== undefined) {
    const malformed = problems.find(({ fate }) => fate === 'malformed');
    const inOutput = found.problem === undefined ? '' : ` (its output ${found.problem})`;
    const why = malformed === undefined ? inOutput : ` (${malformed.field}: ${malformed.note})`;
    const failure = `answered with signals that cannot be read${why}`;
    return { ...base, success: false, code: 'malformed-output', failure };
  }
  return { ...base, success: true };
};

import { describeValue, isRecord } from '../../kit/index.ts';
import {
  AnswerWithWarnings,
  type HookConfig,
  type HookExecutionResult,
  notice,
  readOutput,
} from '../../protocol/index.ts';

const malformed = (
  hookConfig: HookConfig,
  eventName: string,
  message: string,
  duration: number,
): HookExecutionResult => ({
  hookConfig,
  eventName,
  success: true,
  duration,
  code: 'malformed-output',
  output: { decision: 'allow', systemMessage: message },
  outputFormat: 'text',
  warnings: [notice('malformed-output', message)],
});

/** An answer that is a value is an object, or nothing at all. Anything else is a mistake its author wants to hear of. */
export const readAnswer = (
  hookConfig: HookConfig,
  eventName: string,
  answer: unknown,
  duration: number,
): HookExecutionResult => {
  if (answer instanceof AnswerWithWarnings) {
    const read = readAnswer(hookConfig, eventName, answer.answer, duration);
    return { ...read, warnings: [...(read.warnings ?? []), ...answer.warnings] };
  }
  if (answer === undefined || answer === null) return { hookConfig, eventName, success: true, duration };
  if (!isRecord(answer)) {
    const message = `a hook must return an object or nothing, got ${describeValue(answer)}`;
    return malformed(hookConfig, eventName, message, duration);
  }
  const read = readOutput(answer);
  if (!read.ok) return malformed(hookConfig, eventName, `the answer cannot be used: ${read.message}`, duration);
  const { output, problems, notices } = read;
  if (problems.length === 0 && notices === undefined)
    return { hookConfig, eventName, success: true, output, outputFormat: 'json', duration };
  const answered: HookExecutionResult = {
    hookConfig,
    eventName,
    success: true,
    duration,
    output,
    outputFormat: 'json',
    ...(problems.length === 0 ? {} : { fieldProblems: problems }),
    ...(notices === undefined ? {} : { warnings: notices }),
  };
  return read.verdictLost ? { ...answered, code: 'malformed-output' } : answered;
};

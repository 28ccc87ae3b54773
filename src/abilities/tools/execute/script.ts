import type { HookExecutionResult } from '../../../protocol/index.ts';
import { findDocument } from '../../../runners/commands.ts';
import { faultText } from '../../../runners/index.ts';
import { type Execution, failed, readAnswer } from './answer.ts';

const failureOf = (result: HookExecutionResult): Execution => {
  const { error, stderr = '', exitCode, code } = result;
  const said = stderr.trim();
  if (said !== '') return failed(said);
  const message = error === undefined ? `exited with code ${exitCode}` : faultText(result);
  return failed(code === undefined || code === 'exit-code' ? message : `${code}: ${message}`);
};

/** What was printed, by the rules for hooks: one JSON document, noise around it allowed, or text. */
const readPrinted = (stdout: string): Execution => {
  const found = findDocument(stdout);
  if (found.kind === 'broken') return failed(`malformed-output: the output starts like JSON but ${found.problem}`);
  return readAnswer(found.kind === 'answer' ? found.value : stdout.trim());
};

/** Whether the process came to its own end; what happened to all others is a fault. */
const endedByItself = ({ exitCode, code }: HookExecutionResult): boolean =>
  exitCode !== undefined && (code === undefined || code === 'exit-code' || code === 'malformed-output');

/** Reads how the process of an ability ended. A code other than 0 fails it, unless it says itself that it got half-way. */
export const readProcess = (result: HookExecutionResult): Execution => {
  if (!endedByItself(result)) return failureOf({ ...result, stderr: '' });
  const printed = readPrinted(result.stdout ?? '');
  if (result.exitCode === 0 || (printed.status === 'partial' && printed.error_message !== undefined)) return printed;
  if (printed.status === 'failure' && printed.error_message !== undefined) return printed;
  return failureOf(result);
};

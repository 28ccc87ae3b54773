import { isRecord } from '../../kit/index.ts';

/** What stands where a tool's output would have stood. Plain JSON: messages with it are kept and read again. */
export interface RefusedOutput {
  readonly type: 'execution-denied' | 'result-withheld';
  readonly reason: string;
  readonly by: 'hook';
}

export const refusedOutput = (type: RefusedOutput['type'], reason: string): RefusedOutput => ({
  type,
  reason,
  by: 'hook',
});

const isRefused = (output: unknown): output is RefusedOutput =>
  isRecord(output) && output.by === 'hook' && (output.type === 'execution-denied' || output.type === 'result-withheld');

type ToModelOutput = (given: unknown) => unknown;

/** A refusal in the SDK's own form; every other output as the tool, or else the SDK, would have told the model. */
export const modelOutput =
  (own: ToModelOutput | undefined): ToModelOutput =>
  (given) => {
    const output = isRecord(given) ? given.output : undefined;
    if (isRefused(output)) {
      const { type, reason } = output;
      return type === 'execution-denied'
        ? { type, reason }
        : { type: 'error-text', value: `The tool has run; its result is withheld: ${reason}` };
    }
    if (own !== undefined) return own(given);
    return typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output ?? null };
  };

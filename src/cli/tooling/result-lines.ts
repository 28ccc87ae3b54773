import type { CreateTaskResult, RunAbilityResult } from '../../abilities/index.ts';
import type { HookSignal } from '../../protocol/index.ts';
import { paragraph } from '../rendering/layout.ts';
import { took } from '../rendering/verdict-text.ts';
import { styled, type Text } from '../terminal/text.ts';

const outputText = (output: unknown): Text =>
  output === undefined
    ? []
    : (typeof output === 'string' ? output.replace(/\n$/, '') : JSON.stringify(output, null, 2))
        .split('\n')
        .map((line) => `  ${line}`);

const signalText = (signals: readonly HookSignal[], width: number, said?: string): Text =>
  signals
    .filter(({ payload }) => said === undefined || payload.reason !== said)
    .flatMap(({ hook_id, code, payload, severity }): Text => {
      const reason = typeof payload.reason === 'string' ? `: ${payload.reason}` : '';
      const style = severity === 'error' || severity === 'warning' ? 'yellow' : 'dim';
      return paragraph(`${hook_id} says ${code}${reason}`, width, 2, 4, style);
    });

const faultText = ({ hooks }: CreateTaskResult | RunAbilityResult, width: number): Text =>
  hooks
    .filter(({ outcome }) => outcome === 'faulted')
    .flatMap(({ hook_id, code = '', message = '' }) =>
      paragraph(`${hook_id} failed: ${code} ${message}`, width, 2, 4, 'yellow'),
    );

/** What a person decided about hooks. */
const decisionText = ({ hooks, confirmed }: CreateTaskResult | RunAbilityResult, width: number): Text => [
  ...hooks
    .filter(({ outcome }) => outcome === 'skipped')
    .flatMap(({ hook_id, code = '' }) =>
      paragraph(`${hook_id} was skipped: ${code}, and --skip-unapproved names it`, width, 2, 4, 'yellow'),
    ),
  ...(confirmed === undefined
    ? []
    : paragraph(`a person said ${confirmed ? 'yes' : 'no'} to this`, width, 2, 4, 'yellow')),
];

/** What came of asking for a task. */
export const createdText = (result: CreateTaskResult, width: number): Text => [
  result.created
    ? [styled('green', result.task_key), ` is created: ${result.ability_id}`]
    : [styled('red', 'no task was created'), `: ${result.preflight.outcome.replaceAll('_', ' ')}`],
  ...(result.created ? [] : paragraph(result.preflight.reason ?? 'no reason was given', width, 2)),
  ...(result.preflight.suggestion === undefined
    ? []
    : paragraph(`→ ${JSON.stringify(result.preflight.suggestion)}`, width, 2, 4, 'cyan')),
  ...signalText(result.hook_signals, width, result.preflight.reason),
  ...faultText(result, width),
  ...decisionText(result, width),
  ...(result.created ? [`run it: hookwright task run ${result.task_key}`] : []),
];

/** What came of running an ability. */
export const ranText = (result: RunAbilityResult, width: number): Text => {
  const said = result.executed ? undefined : result.reason;
  const common = [
    ...signalText(result.hook_signals, width, said),
    ...faultText(result, width),
    ...decisionText(result, width),
  ];
  if (!result.executed) {
    return [[styled('red', 'not run'), `: ${result.code}`], ...paragraph(result.reason, width, 2), ...common];
  }
  const { status, ability_id, duration_ms, output, output_summary, error_message, warnings = [] } = result;
  return [
    [styled(status === 'success' ? 'green' : 'red', `${ability_id}: ${status}`), `, ${took(duration_ms)}`],
    ...(error_message === undefined ? [] : paragraph(error_message, width, 2, 2, 'red')),
    ...(output === undefined && output_summary !== undefined
      ? paragraph(output_summary, width, 2)
      : outputText(output)),
    ...warnings.flatMap((warning) => paragraph(warning, width, 2, 2, 'yellow')),
    ...common,
  ];
};

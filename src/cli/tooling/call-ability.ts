/** Calls one ability for `ability run`, `task create` and `task run`, and renders the result. */
import type { CreateTaskResult, RunAbilityResult } from '../../abilities/index.ts';
import type { AbilityRef } from '../../events/index.ts';
import { readJsonObject } from '../arguments/payload.ts';
import type { CliProblem, CommandOutcome } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import { formatParagraph } from '../rendering/layout.ts';
import { createProblemOutcome, formatProblemsNote } from '../rendering/problem-lines.ts';
import { createSpan, type Style, type Text } from '../rendering/text.ts';
import { formatDuration } from '../rendering/verdict-text.ts';
import {
  type CallFlagValues,
  expectSkippable,
  listHookProblems,
  type OpenAbilities,
  withAbilities,
} from './open-abilities.ts';

type CallResult = CreateTaskResult | RunAbilityResult;

const hasSucceeded = (result: CallResult): boolean =>
  'created' in result ? result.created : result.executed && result.status === 'success';

/** `checks` returns a problem for each hook that would check the call but is not approved. The call is then refused. */
export const callWithChecks = (
  given: CallFlagValues,
  context: Context,
  checks: (tools: OpenAbilities) => CliProblem[] | Promise<CliProblem[]>,
  perform: (tools: OpenAbilities) => Promise<CallResult>,
): Promise<CommandOutcome> =>
  withAbilities(context, given, async (tools) => {
    expectSkippable(tools, given['skip-unapproved']);
    const waiting = await checks(tools);
    if (waiting.length > 0) {
      const hooks = waiting.map(({ message }) => message);
      return createProblemOutcome({ refused: 'unapproved-hooks', hooks }, waiting, context);
    }
    const result = await perform(tools);
    tools.shown.push(...result.hooks.flatMap(({ message }) => message ?? []));
    return {
      findings: !hasSucceeded(result),
      data: result,
      problems: tools.problems,
      text: () => [
        ...('created' in result
          ? formatCreatedTask(result, context.width)
          : formatAbilityResult(result, context.width)),
        ...formatProblemsNote([...tools.abilityProblems, ...listHookProblems(tools)], context),
      ],
    };
  });

export const readCalledAbility = async (
  { ability: value, operation, input }: { ability: string; operation: boolean; input: string | undefined },
  context: Context,
) => {
  const ref: AbilityRef = { kind: operation ? 'operation_key' : 'ability_id', value };
  return { ref, input: input === undefined ? undefined : await readJsonObject('--input', input, context) };
};

const formatOutput = (output: unknown): Text =>
  output === undefined
    ? []
    : (typeof output === 'string' ? output.replace(/\n$/, '') : JSON.stringify(output, null, 2))
        .split('\n')
        .map((line) => `  ${line}`);

/** Leaves out the reason that is shown already. */
const formatHookNotes = (
  { hooks, hook_signals: signals, confirmed }: CallResult,
  width: number,
  shownReason: string | undefined,
): Text => {
  const format = (text: string, style: Style = 'yellow'): Text => formatParagraph(text, width, 2, 4, style);
  return [
    ...signals
      .filter(({ payload }) => shownReason === undefined || payload.reason !== shownReason)
      .flatMap(({ hook_id, code, payload, severity }) => {
        const reason = typeof payload.reason === 'string' ? `: ${payload.reason}` : '';
        const isBad = severity === 'error' || severity === 'warning';
        return format(`${hook_id} says ${code}${reason}`, isBad ? 'yellow' : 'dim');
      }),
    ...hooks
      .filter(({ outcome }) => outcome === 'faulted')
      .flatMap(({ hook_id, code = '', message = '' }) =>
        format(`${hook_id} failed: ${code} ${message === shownReason ? '' : message}`.trimEnd()),
      ),
    ...hooks
      .filter(({ outcome }) => outcome === 'skipped')
      .flatMap(({ hook_id, code = '' }) => format(`${hook_id} was skipped: ${code}, and --skip-unapproved names it`)),
    ...(confirmed === undefined ? [] : format(`a person said ${confirmed ? 'yes' : 'no'} to this`)),
  ];
};

const formatCreatedTask = (result: CreateTaskResult, width: number): Text => [
  result.created
    ? [createSpan('green', result.task_key), ` is created: ${result.ability_id}`]
    : [createSpan('red', 'no task was created'), `: ${result.preflight.outcome.replaceAll('_', ' ')}`],
  ...(result.created ? [] : formatParagraph(result.preflight.reason ?? 'no reason was given', width, 2)),
  ...(result.preflight.suggestion === undefined
    ? []
    : formatParagraph(`→ ${JSON.stringify(result.preflight.suggestion)}`, width, 2, 4, 'cyan')),
  ...formatHookNotes(result, width, result.preflight.reason),
  ...(result.created ? [`run it: hookwright task run ${result.task_key}`] : []),
];

const formatAbilityResult = (result: RunAbilityResult, width: number): Text => {
  if (!result.executed) {
    return [
      [createSpan('red', 'not run'), `: ${result.code}`],
      ...formatParagraph(result.reason, width, 2),
      ...formatHookNotes(result, width, result.reason),
    ];
  }
  const { status, ability_id, duration_ms, output, output_summary, error_message, warnings = [] } = result;
  return [
    [
      createSpan(status === 'success' ? 'green' : 'red', `${ability_id}: ${status}`),
      `, ${formatDuration(duration_ms)}`,
    ],
    ...(error_message === undefined ? [] : formatParagraph(error_message, width, 2, 2, 'red')),
    ...(output === undefined && output_summary !== undefined
      ? formatParagraph(output_summary, width, 2)
      : formatOutput(output)),
    ...warnings.flatMap((warning) => formatParagraph(warning, width, 2, 2, 'yellow')),
    ...formatHookNotes(result, width, undefined),
  ];
};

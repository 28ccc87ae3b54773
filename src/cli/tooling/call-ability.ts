/** Calls one ability for `ability run`, `task create` and `task run`, and renders the result. */
import type { CreateTaskResult, RunAbilityResult } from '../../abilities/index.ts';
import type { AbilityRef } from '../../events/index.ts';
import type { HookSignal } from '../../protocol/index.ts';
import { readJsonObject } from '../arguments/payload.ts';
import type { CliProblem, CommandOutcome } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import { formatParagraph } from '../rendering/layout.ts';
import { formatProblems, listProblemsNote } from '../rendering/problem-lines.ts';
import { createSpan, type Text } from '../rendering/text.ts';
import { formatDuration } from '../rendering/verdict-text.ts';
import {
  expectSkippable,
  listHookProblems,
  type OpenAbilities,
  type OpenOptions,
  withAbilities,
} from './open-abilities.ts';

export interface CallFlagValues {
  readonly ci: boolean;
  readonly environment: string | undefined;
  readonly 'trust-project': boolean;
  readonly caller: string | undefined;
  readonly 'skip-unapproved': readonly string[];
}

const openOptions = ({
  ci,
  caller,
  environment,
  'trust-project': trustProject,
  ...given
}: CallFlagValues): OpenOptions => ({
  isPipeline: ci,
  caller,
  environment,
  trustProject,
  without: given['skip-unapproved'],
});

const readInput = async (given: string | undefined, context: Context): Promise<Record<string, unknown> | undefined> =>
  given === undefined ? undefined : readJsonObject('--input', given, context);

const createRef = (value: string, isOperation: boolean): AbilityRef => ({
  kind: isOperation ? 'operation_key' : 'ability_id',
  value,
});

const createRefusedOutcome = (problems: readonly CliProblem[], context: Context): CommandOutcome => ({
  findings: true,
  data: { refused: 'unapproved-hooks', hooks: problems.map(({ message }) => message) },
  problems,
  text: () => formatProblems(problems, context),
});

const isGood = (result: CreateTaskResult | RunAbilityResult): boolean =>
  'created' in result ? result.created : result.executed && result.status === 'success';

const createResultOutcome = (
  result: CreateTaskResult | RunAbilityResult,
  tools: OpenAbilities,
  context: Context,
): CommandOutcome => {
  const { width } = context;
  return {
    findings: !isGood(result),
    data: result,
    problems: tools.problems,
    text: () => [
      ...('created' in result ? formatCreatedTask(result, width) : formatAbilityResult(result, width)),
      ...listProblemsNote([...tools.abilityProblems, ...listHookProblems(tools)], context),
    ],
  };
};

/** `checks` returns the hooks that would check the call but are not approved. The call is then refused. */
export const callWithChecks = (
  given: CallFlagValues,
  context: Context,
  checks: (tools: OpenAbilities) => CliProblem[] | Promise<CliProblem[]>,
  perform: (tools: OpenAbilities) => Promise<CreateTaskResult | RunAbilityResult>,
): Promise<CommandOutcome> =>
  withAbilities(context, openOptions(given), async (tools) => {
    expectSkippable(tools, given['skip-unapproved']);
    const waiting = await checks(tools);
    if (waiting.length > 0) return createRefusedOutcome(waiting, context);
    const result = await perform(tools);
    tools.shown.push(...result.hooks.flatMap(({ message }) => message ?? []));
    return createResultOutcome(result, tools, context);
  });

interface AbilityCallFlags extends CallFlagValues {
  readonly ability: string;
  readonly operation: boolean;
  readonly input: string | undefined;
}

interface Called {
  readonly ref: AbilityRef;
  readonly input: Record<string, unknown> | undefined;
}

export const callAbility = async (
  given: AbilityCallFlags,
  context: Context,
  checks: (tools: OpenAbilities, called: Called) => CliProblem[] | Promise<CliProblem[]>,
  perform: (tools: OpenAbilities, called: Called) => Promise<CreateTaskResult | RunAbilityResult>,
): Promise<CommandOutcome> => {
  const called = { ref: createRef(given.ability, given.operation), input: await readInput(given.input, context) };
  return callWithChecks(
    given,
    context,
    (tools) => checks(tools, called),
    (tools) => perform(tools, called),
  );
};

const formatOutput = (output: unknown): Text =>
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
      return formatParagraph(`${hook_id} says ${code}${reason}`, width, 2, 4, style);
    });

const formatFault = ({ hooks }: CreateTaskResult | RunAbilityResult, width: number, said?: string): Text =>
  hooks
    .filter(({ outcome }) => outcome === 'faulted')
    .flatMap(({ hook_id, code = '', message = '' }) =>
      formatParagraph(`${hook_id} failed: ${code} ${message === said ? '' : message}`.trimEnd(), width, 2, 4, 'yellow'),
    );

const formatDecision = ({ hooks, confirmed }: CreateTaskResult | RunAbilityResult, width: number): Text => [
  ...hooks
    .filter(({ outcome }) => outcome === 'skipped')
    .flatMap(({ hook_id, code = '' }) =>
      formatParagraph(`${hook_id} was skipped: ${code}, and --skip-unapproved names it`, width, 2, 4, 'yellow'),
    ),
  ...(confirmed === undefined
    ? []
    : formatParagraph(`a person said ${confirmed ? 'yes' : 'no'} to this`, width, 2, 4, 'yellow')),
];

const formatCreatedTask = (result: CreateTaskResult, width: number): Text => [
  result.created
    ? [createSpan('green', result.task_key), ` is created: ${result.ability_id}`]
    : [createSpan('red', 'no task was created'), `: ${result.preflight.outcome.replaceAll('_', ' ')}`],
  ...(result.created ? [] : formatParagraph(result.preflight.reason ?? 'no reason was given', width, 2)),
  ...(result.preflight.suggestion === undefined
    ? []
    : formatParagraph(`→ ${JSON.stringify(result.preflight.suggestion)}`, width, 2, 4, 'cyan')),
  ...signalText(result.hook_signals, width, result.preflight.reason),
  ...formatFault(result, width, result.preflight.reason),
  ...formatDecision(result, width),
  ...(result.created ? [`run it: hookwright task run ${result.task_key}`] : []),
];

const formatAbilityResult = (result: RunAbilityResult, width: number): Text => {
  const said = result.executed ? undefined : result.reason;
  const common = [
    ...signalText(result.hook_signals, width, said),
    ...formatFault(result, width, said),
    ...formatDecision(result, width),
  ];
  if (!result.executed) {
    return [[createSpan('red', 'not run'), `: ${result.code}`], ...formatParagraph(result.reason, width, 2), ...common];
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
    ...common,
  ];
};

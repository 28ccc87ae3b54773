/** Calls one ability for `ability run`, `task create` and `task run`, and renders the result. */
import type { CreateTaskResult, RunAbilityResult } from '../../abilities/index.ts';
import type { AbilityRef } from '../../events/index.ts';
import type { HookSignal } from '../../protocol/index.ts';
import { readJsonObject } from '../arguments/payload.ts';
import type { CliProblem, CommandOutcome } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import { paragraph } from '../rendering/layout.ts';
import { problemsNote, problemsText } from '../rendering/problem-lines.ts';
import { styled, type Text } from '../rendering/text.ts';
import { durationText } from '../rendering/verdict-text.ts';
import {
  expectSkippable,
  hookProblems,
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

const inputFrom = async (given: string | undefined, context: Context): Promise<Record<string, unknown> | undefined> =>
  given === undefined ? undefined : readJsonObject('--input', given, context);

const refFrom = (value: string, isOperation: boolean): AbilityRef => ({
  kind: isOperation ? 'operation_key' : 'ability_id',
  value,
});

const refusedOutcome = (problems: readonly CliProblem[], context: Context): CommandOutcome => ({
  findings: true,
  data: { refused: 'unapproved-hooks', hooks: problems.map(({ message }) => message) },
  problems,
  text: () => problemsText(problems, context),
});

const isGood = (result: CreateTaskResult | RunAbilityResult): boolean =>
  'created' in result ? result.created : result.executed && result.status === 'success';

const resultOutcome = (
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
      ...('created' in result ? createdText(result, width) : ranText(result, width)),
      ...problemsNote([...tools.abilityProblems, ...hookProblems(tools)], context),
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
    if (waiting.length > 0) return refusedOutcome(waiting, context);
    const result = await perform(tools);
    tools.shown.push(...result.hooks.flatMap(({ message }) => message ?? []));
    return resultOutcome(result, tools, context);
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
  const called = { ref: refFrom(given.ability, given.operation), input: await inputFrom(given.input, context) };
  return callWithChecks(
    given,
    context,
    (tools) => checks(tools, called),
    (tools) => perform(tools, called),
  );
};

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

const faultText = ({ hooks }: CreateTaskResult | RunAbilityResult, width: number, said?: string): Text =>
  hooks
    .filter(({ outcome }) => outcome === 'faulted')
    .flatMap(({ hook_id, code = '', message = '' }) =>
      paragraph(`${hook_id} failed: ${code} ${message === said ? '' : message}`.trimEnd(), width, 2, 4, 'yellow'),
    );

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

const createdText = (result: CreateTaskResult, width: number): Text => [
  result.created
    ? [styled('green', result.task_key), ` is created: ${result.ability_id}`]
    : [styled('red', 'no task was created'), `: ${result.preflight.outcome.replaceAll('_', ' ')}`],
  ...(result.created ? [] : paragraph(result.preflight.reason ?? 'no reason was given', width, 2)),
  ...(result.preflight.suggestion === undefined
    ? []
    : paragraph(`→ ${JSON.stringify(result.preflight.suggestion)}`, width, 2, 4, 'cyan')),
  ...signalText(result.hook_signals, width, result.preflight.reason),
  ...faultText(result, width, result.preflight.reason),
  ...decisionText(result, width),
  ...(result.created ? [`run it: hookwright task run ${result.task_key}`] : []),
];

const ranText = (result: RunAbilityResult, width: number): Text => {
  const said = result.executed ? undefined : result.reason;
  const common = [
    ...signalText(result.hook_signals, width, said),
    ...faultText(result, width, said),
    ...decisionText(result, width),
  ];
  if (!result.executed) {
    return [[styled('red', 'not run'), `: ${result.code}`], ...paragraph(result.reason, width, 2), ...common];
  }
  const { status, ability_id, duration_ms, output, output_summary, error_message, warnings = [] } = result;
  return [
    [styled(status === 'success' ? 'green' : 'red', `${ability_id}: ${status}`), `, ${durationText(duration_ms)}`],
    ...(error_message === undefined ? [] : paragraph(error_message, width, 2, 2, 'red')),
    ...(output === undefined && output_summary !== undefined
      ? paragraph(output_summary, width, 2)
      : outputText(output)),
    ...warnings.flatMap((warning) => paragraph(warning, width, 2, 2, 'yellow')),
    ...common,
  ];
};

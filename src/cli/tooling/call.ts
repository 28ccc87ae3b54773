import type { CreateTaskResult, RunAbilityResult } from '../../abilities/index.ts';
import type { AbilityRef } from '../../events/index.ts';
import { readJsonObject } from '../arguments/json-input.ts';
import type { Context } from '../context.ts';
import type { CliProblem, CommandOutcome } from '../outcome.ts';
import { problemsText } from '../rendering/problem-lines.ts';
import { expectSkippable, type OpenOptions, type Tools, withTools } from './open.ts';
import { problemsNotes } from './problems-note.ts';
import { createdText, ranText } from './result-lines.ts';

/** What the command line says about a call, in whatever command. */
export interface CallGiven {
  readonly ci: boolean;
  readonly environment: string | undefined;
  readonly 'trust-project': boolean;
  readonly caller: string | undefined;
  readonly 'skip-unapproved': readonly string[];
}

const openOptions = ({ ci, caller, environment, 'trust-project': trustProject, ...given }: CallGiven): OpenOptions => ({
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

/** Nothing was asked of anybody, because checks that the project wants are not approved. */
const refusedOutcome = (problems: readonly CliProblem[], context: Context): CommandOutcome => ({
  findings: true,
  data: { refused: 'unapproved-hooks', hooks: problems.map(({ message }) => message) },
  problems,
  text: () => problemsText(problems, context.screen.width, context.cwd),
});

const isGood = (result: CreateTaskResult | RunAbilityResult): boolean =>
  'created' in result ? result.created : result.executed && result.status === 'success';

const resultOutcome = (result: CreateTaskResult | RunAbilityResult, tools: Tools, context: Context): CommandOutcome => {
  const { width } = context.screen;
  return {
    findings: !isGood(result),
    data: result,
    problems: tools.problems,
    text: () => [
      ...('created' in result ? createdText(result, width) : ranText(result, width)),
      ...problemsNotes(tools),
    ],
  };
};

/** A call with the checks in front of it: `checks` says which hooks would have a say but are not approved. */
export const call = (
  given: CallGiven,
  context: Context,
  checks: (tools: Tools) => CliProblem[] | Promise<CliProblem[]>,
  perform: (tools: Tools) => Promise<CreateTaskResult | RunAbilityResult>,
): Promise<CommandOutcome> =>
  withTools(context, openOptions(given), async (tools) => {
    expectSkippable(tools, given['skip-unapproved']);
    const waiting = await checks(tools);
    if (waiting.length > 0) return refusedOutcome(waiting, context);
    return resultOutcome(await perform(tools), tools, context);
  });

interface AbilityGiven extends CallGiven {
  readonly ability: string;
  readonly operation: boolean;
  readonly input: string | undefined;
}

/** Which ability is called, and with what. */
interface Called {
  readonly ref: AbilityRef;
  readonly input: Record<string, unknown> | undefined;
}

/** The same for a call of an ability, whether it runs now or becomes a task. */
export const callAbility = async (
  given: AbilityGiven,
  context: Context,
  checks: (tools: Tools, called: Called) => CliProblem[] | Promise<CliProblem[]>,
  perform: (tools: Tools, called: Called) => Promise<CreateTaskResult | RunAbilityResult>,
): Promise<CommandOutcome> => {
  const called = { ref: refFrom(given.ability, given.operation), input: await inputFrom(given.input, context) };
  return call(
    given,
    context,
    (tools) => checks(tools, called),
    (tools) => perform(tools, called),
  );
};

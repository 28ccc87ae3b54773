import { HookRunner } from '../../runners/index.ts';
import { CleanEnvironment } from '../../runners/process-api.ts';
import type { CommandOutcome } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import { checksOfAgents } from '../doctor/checks.ts';
import { diagnose, type PlacedDiagnosis } from '../doctor/diagnose.ts';
import type { ExaminedHook } from '../doctor/diagnosis.ts';
import { diagnosesText, summaryText } from '../doctor/report-lines.ts';
import { definedIn, examine, ownVariables } from '../doctor/world.ts';
import { problemsText } from '../rendering/problem-lines.ts';
import { isFinding } from '../sources/ability-hooks.ts';
import { loadSettings } from '../sources/load-settings.ts';
import { waitingHere } from './agent-settings.ts';
import { cliProblem, configIn, findingsOn, rowOf } from './judged.ts';
import { installedProblems, installedText, startInstalled } from './try-own-line.ts';
import { type Whose, whoseData, whoseText } from './whose-hooks.ts';

const MISSING = 127;

/** What an agent does with a hook that cannot be started. */
const failsAs = ({ agent }: Whose, event: string): string | undefined => {
  const ending = agent.endingsOf(event).find(({ when }) => when.includes(`(${MISSING})`));
  return ending === undefined ? undefined : `${agent.title} then ${ending.effect.replace(/:.*/s, '')}.`;
};

/** Ways to end by which a guard is meant to block, and does not. */
const lostBlocks = (whose: Whose, events: readonly string[]): PlacedDiagnosis[] =>
  events.flatMap((event): PlacedDiagnosis[] => {
    const lost = whose.agent.endingsOf(event).filter(({ isLost }) => isLost);
    if (lost.length === 0) return [];
    return [
      {
        severity: 'note',
        check: 'lost-block',
        hookId: event,
        name: event,
        what: `these block nothing: ${lost.map(({ when }) => when).join('; ')}`,
        why: `${whose.agent.title} goes on and hardly shows it: a guard that ends like this does not block.`,
        fix: 'end with exit code 2 and a reason on stderr',
      },
    ];
  });

/** Whatever keeps the hooks of another agent from doing their work there, without running any. */
export const doctorOfAgent = async (whose: Whose, context: Context): Promise<CommandOutcome> => {
  const { agent } = whose;
  const { hooks: judged, problems: all } = await agent.judge();
  const installed = (await startInstalled(context)).filter((one) => one.agent === agent.name);
  const { config } = await loadSettings(context);
  const runner = new HookRunner(config, config.getDeps());
  const hooks = await Promise.all(
    judged.map(async (hook): Promise<ExaminedHook> => {
      const given = { row: rowOf(hook, agent.name), config: configIn(hook), isAbility: false };
      const examined = await examine(given, config, runner, findingsOn(hook));
      return { ...examined, failsAs: failsAs(whose, hook.event) };
    }),
  );
  const environment = { ...definedIn(context.env), ...ownVariables(config) };
  const foreignEnvironment = new CleanEnvironment().of(environment, undefined, {
    allowed: config.getAllowedEnv(),
    isListed: config.getProjectEnv() === 'listed',
  }).environment;
  const world = { hooks, tools: { names: [], isComplete: false, problems: [] }, environment, foreignEnvironment };
  const running = [...new Set(judged.flatMap(({ event, runs }) => (runs ? [event] : [])))];
  const diagnoses = [...diagnose(world, checksOfAgents), ...lostBlocks(whose, running)];
  const ofFiles = all
    .map(cliProblem)
    .filter(({ file, line }) => !diagnoses.some((one) => one.file === file && one.line === line));
  const problems = [...installedProblems(installed), ...ofFiles, ...(await waitingHere(whose, { hooks }, context))];
  const page = { width: context.screen.width, cwd: context.cwd };
  return {
    findings: problems.some(isFinding) || diagnoses.some(({ severity }) => severity !== 'note'),
    data: { agent: whoseData(whose), hooks: hooks.length, findings: diagnoses, remarks: agent.remarks, installed },
    problems,
    text: () => [
      ...whoseText(whose, context),
      ...diagnosesText(diagnoses, page),
      ...(problems.length === 0 ? [] : [...problemsText(problems, page.width, page.cwd), '']),
      ...installedText(installed),
      summaryText(hooks.length, diagnoses, problems),
    ],
  };
};

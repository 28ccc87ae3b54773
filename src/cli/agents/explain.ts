import type { EndingRule, JudgedHook, MatcherJudgement } from '../../agents/agents.ts';
import { suggestion } from '../../kit/index.ts';
import { HookRunner } from '../../runners/index.ts';
import type { MatcherReading } from '../arguments/read-matcher.ts';
import { UsageError } from '../arguments/usage-error.ts';
import { canNeverRun, type Explained, explainedText } from '../commands/explain/block.ts';
import { startOf } from '../commands/explain/start-of.ts';
import { summaryText } from '../commands/explain/summary.ts';
import type { Context } from '../context.ts';
import type { CommandOutcome } from '../outcome.ts';
import { labelled } from '../rendering/layout.ts';
import { problemsNote } from '../rendering/problem-lines.ts';
import { loadSettings } from '../sources/load-settings.ts';
import { styled, type Text } from '../terminal/text.ts';
import { cliProblem, configIn, findingsOn, rowOf } from './judged.ts';
import { expectEventOf } from './moment.ts';
import { type Whose, whoseData, whoseText } from './whose-hooks.ts';

/** What was asked: a moment by the agent's name or by ours, and what matchers are compared with. */
export interface AgentQuestion {
  readonly event: string | undefined;
  readonly hook: string | undefined;
  readonly about: { readonly toolName?: string | undefined; readonly trigger?: string | undefined };
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The nearest of the ways in which our own matchers are read, for programs. */
const kinds: Readonly<Record<MatcherJudgement['kind'], MatcherReading['kind']>> = {
  everything: 'everything',
  ignored: 'ignored',
  names: 'exact',
  'names or pattern': 'pattern',
  pattern: 'pattern',
  whole: 'pattern',
  equal: 'exact',
  none: 'literal',
};

const LABEL_WIDTH = 35;

const endingsText = (endings: readonly EndingRule[], { agent, mode }: Whose, width: number): Text => {
  if (endings.length === 0) return [];
  return [
    '',
    [
      styled(
        'bold',
        mode === 'faithful'
          ? `what ${agent.title} makes of a hook that ends with`
          : `what hookwright makes of a hook of ${agent.title} that ends with`,
      ),
    ],
    ...endings.flatMap(({ when, effect, isLost, since }) => {
      const text = `${effect}${since === undefined ? '' : `, since ${since}`}`;
      return labelled(when, text, {
        width,
        indent: 2,
        labelWidth: LABEL_WIDTH,
        ...(isLost ? { style: 'yellow' } : {}),
      });
    }),
  ];
};

const chosen = (hooks: readonly JudgedHook[], wish: string | undefined): readonly JudgedHook[] => {
  if (wish === undefined) return hooks;
  const wanted = hooks.filter(({ name, id }) => name === wish || id === wish);
  if (wanted.length > 0) return wanted;
  const names = hooks.map(({ name }) => name);
  throw new UsageError(`no hook is called ${JSON.stringify(wish)}${suggestion(wish, names)}`);
};

/** Why each hook of another agent would run there or would not, and what that agent makes of what they answer. */
export const explainOfAgent = async (
  whose: Whose,
  question: AgentQuestion,
  context: Context,
): Promise<CommandOutcome> => {
  const { agent } = whose;
  const { event, hook: wish, about, fields } = question;
  expectEventOf(whose, event);
  const judged = await agent.judge({ event, about: { ...about, fields } });
  const { config } = await loadSettings(context);
  const runner = new HookRunner(config, config.getDeps());
  const explained = await Promise.all(
    chosen(judged.hooks, wish).map(async (hook): Promise<Explained> => {
      const its = configIn(hook);
      const launch = its === undefined ? [] : await runner.inspect(its);
      return {
        row: rowOf(hook, agent.name),
        matcher: { ...hook.matcher, kind: kinds[hook.matcher.kind] },
        starts: its === undefined ? undefined : startOf(its, context),
        findings: [...findingsOn(hook), ...launch.map((found) => ({ ...found, isBroken: hook.runs }))],
        since: hook.since,
      };
    }),
  );
  const endings = event === undefined || !agent.knows(event) ? [] : agent.endingsOf(event, whose.mode);
  const problems = judged.problems.map(cliProblem);
  const page = { cwd: context.cwd, width: context.screen.width };
  const blocks = explained.flatMap((one, index) => [...(index === 0 ? [] : ['']), ...explainedText(one, page)]);
  const none = `${agent.title} has no hook here${event === undefined ? '' : ` for ${event}`}.`;
  context.note(problemsNote(problems, { width: context.screen.width, cwd: context.cwd }));
  return {
    findings: explained.some(canNeverRun),
    data: {
      agent: whoseData(whose),
      eventName: event,
      ...about,
      hooks: explained.map(({ row, matcher, starts, findings, since }) => ({
        ...row,
        reading: matcher,
        starts,
        findings,
        since,
      })),
      endings,
    },
    problems,
    text: () => [
      ...whoseText(whose, context),
      ...(explained.length === 0 ? [none] : [...blocks, ...summaryText(explained)]),
      ...endingsText(endings, whose, page.width),
    ],
  };
};

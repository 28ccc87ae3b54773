// Lists an agent's reactions to exit codes, output and timeouts of its hooks.
import { parseOutput } from '../../runners/process-api.ts';
import { applyStrictMode } from '../agent-hook.ts';
import { findFirstVersionWith, listKnownVersions } from '../agent-version.ts';
import { type Answer, type Ended, isBlocking } from '../answers/answer.ts';
import type { EventRule } from '../rule-types.ts';
import type { AgentRules, AnswerContext, DialectMode } from '../rules.ts';

const createAnswerContext = (dialect: AgentRules, event: string): AnswerContext | undefined => {
  const { latest: version } = dialect;
  const rule = dialect.events(version)[event];
  return rule === undefined ? undefined : { event, rule, version, failClosed: false };
};

/** Returns the agent's reaction to the end of a hook; `undefined` if the agent blocks. */
export type OutcomeReader = (ended: Ended) => string | undefined;

export const createOutcomeReader = (dialect: AgentRules, event: string): OutcomeReader => {
  const context = createAnswerContext(dialect, event);
  return (ended) => {
    if (context === undefined) return undefined;
    const answer = dialect.readAnswer(ended, context);
    return isBlocking(answer) ? undefined : describeEffect(answer);
  };
};

export const readOurOutcome: OutcomeReader = ({ exitCode, stdout, stderr, timedOut }) => {
  const { output = {} } = timedOut === true ? {} : parseOutput({ exitCode, stdout, stderr });
  const isRefused = output.decision === 'deny' || output.decision === 'block' || output.continue === false;
  return isRefused ? undefined : 'goes on';
};

/** An imported script still denies in the format of `from`, which the target may ignore. */
export const findIgnoredRefusals = (
  from: AgentRules,
  event: string,
  title: string,
  readOutcome: OutcomeReader,
): string[] => {
  const here = createAnswerContext(from, event);
  if (here === undefined || !here.rule.blocks) return [];
  return listRefusals(from, event, here.rule).flatMap(({ when, ended }) => {
    const effect = readOutcome(ended);
    if (effect === undefined || !isBlocking(from.readAnswer(ended, here))) return [];
    const said = when.replace("the agent's format", `the format of ${from.title}`);
    return [`${said} blocks in ${from.title}; ${title} ${effect}`];
  });
};

export interface OutcomeRule {
  readonly when: string;
  readonly effect: string;
  /** The agent goes on, although the hook may have meant to block. */
  readonly isLost: boolean;
  readonly since?: string | undefined;
}

interface OutcomeProbe {
  readonly when: string;
  readonly ended: Ended;
  readonly means?: 'block';
}

const createHookEnd = (exitCode: number, stdout = '', stderr = ''): Ended => ({ exitCode, stdout, stderr });

const plainProbes: readonly OutcomeProbe[] = [
  { when: 'exit code 0, no output', ended: createHookEnd(0) },
  { when: 'exit code 0, plain text', ended: createHookEnd(0, 'a text') },
  { when: 'exit code 1', ended: createHookEnd(1, '', 'a reason'), means: 'block' },
  { when: 'exit code 2, a reason on stderr', ended: createHookEnd(2, '', 'a reason'), means: 'block' },
  { when: 'exit code 2, no output', ended: createHookEnd(2), means: 'block' },
  { when: 'a missing script (127)', ended: createHookEnd(127, '', 'sh: guard.sh: not found'), means: 'block' },
  { when: 'a timeout', ended: { ...createHookEnd(0), exitCode: null, timedOut: true }, means: 'block' },
  { when: 'truncated JSON', ended: createHookEnd(0, '{"decision": "block",'), means: 'block' },
];

const createDenialProbes = (dialect: AgentRules, event: string, rule: EventRule): OutcomeProbe[] => {
  const said = { decision: 'deny' as const, reason: 'a reason' };
  const { stdout } = dialect.host.write(said, { event, rule, version: dialect.latest });
  if (stdout === undefined) return [];
  return [
    { when: "a denial in the agent's format", ended: createHookEnd(0, JSON.stringify(stdout)), means: 'block' },
    {
      when: 'the same with an unknown field',
      ended: createHookEnd(0, JSON.stringify({ ...stdout, note: 'a field more' })),
      means: 'block',
    },
  ];
};

const verdictEffects = { allow: 'goes on, without a question', ask: 'asks the person', deny: 'blocks' } as const;

const describeEffect = ({ said, failed, swallowed }: Answer): string => {
  const but = swallowed.length === 0 ? '' : ` (${swallowed.join('; ')})`;
  if (said === undefined) return `goes on${failed === undefined ? but : `: ${failed}`}`;
  if (said.stop !== undefined) return `stops the agent${but}`;
  if (said.decision !== undefined && (said.decision !== 'allow' || said.message === undefined))
    return `${verdictEffects[said.decision]}${but}`;
  if (said.context !== undefined) return `goes on, and the text goes to the model${but}`;
  return said.message === undefined ? `goes on${but}` : `goes on, and the person sees the text${but}`;
};

const listRefusals = (dialect: AgentRules, event: string, rule: EventRule): readonly OutcomeProbe[] => {
  const [written] = createDenialProbes(dialect, event, rule);
  const probes = plainProbes.filter(({ means }) => means === 'block');
  return written === undefined ? probes : [...probes, written];
};

export const listOutcomeRules = (
  dialect: AgentRules,
  event: string,
  version = dialect.latest,
  mode: DialectMode = 'faithful',
): OutcomeRule[] => {
  const rule = dialect.events(version)[event];
  if (rule === undefined) return [];
  const answerAt = (probe: OutcomeProbe, at: string): Answer => {
    const context: AnswerContext = { event, rule, version: at, failClosed: false };
    const answer = dialect.readAnswer(probe.ended, context);
    return mode === 'strict' ? applyStrictMode(answer, probe.ended, dialect, event, rule) : answer;
  };
  const versions = listKnownVersions(dialect, version);
  return [...plainProbes, ...(rule.blocks ? createDenialProbes(dialect, event, rule) : [])].map((probe) => {
    const answer = answerAt(probe, version);
    const effect = describeEffect(answer);
    const since = findFirstVersionWith(versions, (at) => describeEffect(answerAt(probe, at)), effect);
    return { when: probe.when, effect, isLost: rule.blocks && probe.means === 'block' && !isBlocking(answer), since };
  });
};

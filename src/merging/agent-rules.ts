/** Merges the answers of several hooks as another agent does, by a description of that agent's rules. */
import { isRecord } from '../kit/index.ts';
import { getStrictness } from '../protocol/index.ts';

/** The content of a hook's answer, converted from the format of an agent such as Claude Code. */
export interface Said {
  readonly decision?: 'allow' | 'ask' | 'deny' | undefined;
  readonly reason?: string | undefined;
  readonly stop?: { readonly reason?: string } | undefined;
  readonly context?: string | undefined;
  readonly message?: string | undefined;
  /** Changed arguments for the tool, with the agent's names. */
  readonly toolInput?: Readonly<Record<string, unknown>> | undefined;
  /** Replacement for the tool's result, in the agent's format. `null` if the hook's replacement is unreadable. */
  readonly toolOutput?: unknown;
  readonly isMcpOutput?: true | undefined;
  /** True if the answer was plain text. Some agents then allow the call, but still ask for the usual permission. */
  readonly isText?: true | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** A value that the agent's description in `src/agents/packs` needs to merge several answers. */
  readonly mark?: string | undefined;
  readonly scope?: string | undefined;
  readonly suppressOutput?: boolean | undefined;
  /** Members of `hookSpecificOutput` that hookwright supports under the same name, such as `llm_request`. */
  readonly specific?: Readonly<Record<string, unknown>> | undefined;
}

/** How an agent interprets the exit code and output of a hook's process. */
export interface Answer {
  readonly said?: Said;
  /** Why the agent treats the run as failed. Then only the members of `said` still have an effect. */
  readonly failed?: string;
  /** Parts of the answer that the agent ignores without a message. */
  readonly swallowed: readonly string[];
}

type JsonObject = Readonly<Record<string, unknown>>;

const joinGivenTexts = (texts: readonly (string | undefined)[], separator: string): string | undefined => {
  const given = texts.filter((text) => text !== undefined && text !== '');
  return given.length === 0 ? undefined : given.join(separator);
};

type CombineValues = (earlier: unknown, later: unknown) => unknown;

const combineByMember: ReadonlyMap<string, CombineValues> = new Map<string, CombineValues>([
  ['environment', (earlier, later) => (isRecord(earlier) && isRecord(later) ? { ...earlier, ...later } : later)],
  ['environmentScript', (earlier, later) => `${String(earlier)}\n${String(later)}`],
  [
    'updatedPermissions',
    (earlier, later) => (Array.isArray(earlier) && Array.isArray(later) ? [...earlier, ...later] : later),
  ],
]);

const mergeSpecificOutputs = (all: readonly Said[]): JsonObject | undefined => {
  const given = all.flatMap(({ specific }): JsonObject[] => (specific === undefined ? [] : [specific]));
  if (given.length === 0) return undefined;
  const merged = new Map<string, unknown>();
  for (const [key, value] of given.flatMap((specific) => Object.entries(specific))) {
    const unite = merged.has(key) ? combineByMember.get(key) : undefined;
    merged.set(key, unite === undefined ? value : unite(merged.get(key), value));
  }
  return Object.fromEntries(merged);
};

export interface AgentMergeRule {
  /** The decision that wins: the strictest, any denial, or the last. */
  readonly decision: 'strictest' | 'any-deny' | 'last';
  /** Scopes of settings from strong to weak. If hooks of one scope decide, decisions of weaker scopes are ignored. */
  readonly scopes?: readonly string[];
  readonly drops?: readonly NonNullable<Said['decision']>[];
  /** The reasons that are kept. `join-all` includes reasons of hooks that decided differently. */
  readonly reasons: 'first' | 'join' | 'join-all' | 'last';
  readonly separator?: string;
  readonly contexts?: 'join' | 'last';
  readonly messages?: 'join' | 'last';
  readonly denyDropsInput?: boolean;
}

const selectStrongestScope = (all: readonly Said[], scopes: readonly string[] = []): readonly Said[] => {
  const scope = scopes.find((one) => all.some((said) => said.scope === one && said.decision !== undefined));
  return scope === undefined ? all : all.filter((said) => said.scope === scope);
};

export const mergeByAgentRule =
  (rule: AgentMergeRule) =>
  (answers: readonly Answer[]): Answer => {
    const swallowed = answers.flatMap((answer) => answer.swallowed);
    const spoken = answers.flatMap(({ said }) => (said === undefined ? [] : [said]));
    const [only, ...more] = spoken;
    if (only === undefined) {
      const failures = answers.flatMap(({ failed }) => failed ?? []);
      return failures.length === answers.length && failures.length > 0
        ? { failed: failures.join('; '), swallowed }
        : { swallowed };
    }
    if (more.length === 0) return { said: only, swallowed };
    const kept = spoken.map((said) =>
      said.decision !== undefined && rule.drops?.includes(said.decision) === true
        ? { ...said, decision: undefined }
        : said,
    );
    const heard = selectStrongestScope(kept, rule.scopes);
    const deciding =
      rule.decision === 'last'
        ? heard.findLast(({ decision }) => decision !== undefined)
        : heard.reduce((strictest, said) =>
            getStrictness(said.decision) > getStrictness(strictest.decision) ? said : strictest,
          );
    const decision = deciding?.decision;
    const agreeing = heard.filter((said) => said.decision === decision);
    const separator = rule.separator ?? '\n';
    const isOfAll = decision === undefined || rule.reasons === 'join-all';
    const reasons = (isOfAll ? kept : agreeing).map(({ reason }) => reason);
    const reason =
      rule.reasons === 'join' || rule.reasons === 'join-all'
        ? joinGivenTexts(reasons, separator)
        : rule.reasons === 'first'
          ? reasons.find((text) => text !== undefined)
          : reasons.at(-1);
    const texts = (key: 'context' | 'message', how: 'join' | 'last' = 'join'): string | undefined => {
      const all = kept.map((said) => said[key]);
      return how === 'join' ? joinGivenTexts(all, separator) : all.findLast((text) => text !== undefined);
    };
    const toolOutput = kept.findLast((said) => said.toolOutput !== undefined)?.toolOutput;
    const toolInput = kept.findLast((said) => said.toolInput !== undefined)?.toolInput;
    return {
      said: {
        decision,
        reason,
        stop: kept.find((said) => said.stop !== undefined)?.stop,
        context: texts('context', rule.contexts),
        message: texts('message', rule.messages),
        toolInput: decision === 'deny' && rule.denyDropsInput === true ? undefined : toolInput,
        toolOutput,
        isText: kept.every(({ isText }) => isText === true) ? true : undefined,
        suppressOutput: kept.some((said) => said.suppressOutput === true) ? true : undefined,
        specific: mergeSpecificOutputs(kept),
      },
      swallowed,
    };
  };

// Decides which hooks run for an event, in what order, and why the others do not.
import {
  catalogue,
  firedEventNames,
  type HookEventName,
  isHookEventName,
  type PayloadOf,
  type SubjectRule,
} from '../events/index.ts';
import { describeThrown, once, shorten } from '../kit/index.ts';
import {
  type AgentHook,
  createPartLogger,
  getOrigin,
  type HookConfig,
  type HookRow,
  isGuard,
  isGuardEntry,
  isUnapproved,
  type Logger,
  notice,
  type SkipReason,
  toSkippedRow,
  withOrigin,
} from '../protocol/index.ts';
import type { ConfiguredHook, HookRegistry } from '../registry/index.ts';
import { type CandidateHook, type CompiledHook, groupCopies, isExpiredGuard, willRun } from './candidates.ts';
import { checkCondition, isSkippedByCondition } from './condition.ts';
import { createDuplicateKey, withStrictestOnFault } from './duplicates.ts';
import { createExpiredApprovalRefusal, explainUnapproved, readExpiredGuardOnFault } from './expired-approval.ts';
import { MATCH_LIMIT_MS, MAX_SUBJECT_LENGTH, matchRegex, type RegexMatcher } from './match-regex.ts';
import { type CompiledMatcher, compileMatcher, isForEverything, type MatchResult } from './matcher.ts';
import { createPlannedRow } from './planned-row.ts';
import { withStartRefusal } from './start-refusal.ts';

/** Values that matchers are compared with. If the value that an event needs is missing, every matcher matches. */
export interface PlanContext {
  readonly toolName?: string | undefined;
  readonly trigger?: string | undefined;
  /** Tool input for `if`, only in reports of `explain`. A run compares its own input. */
  readonly payload?: Readonly<Record<string, unknown>> | undefined;
}

export const createPlanContext = <E extends HookEventName>(
  eventName: E,
  payload: PayloadOf<E>,
): PlanContext | undefined => {
  const { subject } = catalogue[eventName];
  return subject === undefined ? undefined : { [subject.from]: subject.of(payload) };
};

export interface HookExecutionPlan {
  readonly eventName: HookEventName;
  readonly hookConfigs: HookConfig[];
  readonly sequential: boolean;
}

export interface HookPlannerDeps {
  readonly logger?: Logger | undefined;
  readonly matchRegex?: RegexMatcher | undefined;
  /** The directory that paths starting with `/` in an `if` are relative to. */
  readonly projectDir?: (() => string) | undefined;
}

const MAX_CACHED_PLANS = 1_000;

interface EvaluatedHooks {
  readonly rows: () => readonly HookRow[];
  readonly plan: HookExecutionPlan | null;
}

export class HookPlanner {
  readonly #registry: HookRegistry;
  readonly #matchRegex: RegexMatcher;
  readonly #projectDir: () => string;
  readonly #logger: Logger | undefined;
  #failed: ReadonlyMap<string, string> = new Map();
  /** Version of the registry for which `#index` and `#cache` were filled. */
  #version = -1;
  #index: ReadonlyMap<string, readonly CompiledHook[]> = new Map();
  #cache = new Map<string, Map<string | undefined, EvaluatedHooks>>();
  #cached = 0;

  constructor(registry: HookRegistry, deps: HookPlannerDeps = {}) {
    this.#registry = registry;
    this.#matchRegex = deps.matchRegex ?? matchRegex;
    this.#projectDir = deps.projectDir ?? process.cwd;
    this.#logger = createPartLogger(deps.logger, 'planner');
  }

  /** `null` if no hook would run. */
  createExecutionPlan(eventName: HookEventName, context?: PlanContext): HookExecutionPlan | null {
    return this.#evaluate(eventName, context).plan;
  }

  /** One row per configured hook of the event, or of all events. Runs nothing. */
  explain(eventName?: string, context?: PlanContext): readonly HookRow[] {
    if (eventName !== undefined) return this.#rows(eventName, context);
    this.#refresh();
    const unknown = [...this.#index.keys()].filter((name) => !isHookEventName(name));
    return [...firedEventNames, ...unknown].flatMap((name) => this.#rows(name, context));
  }

  #rows(eventName: string, context: PlanContext | undefined): readonly HookRow[] {
    const rows = this.#evaluate(eventName, context).rows();
    const { payload } = context ?? {};
    if (payload === undefined) return rows;
    const hooks = this.#index.get(eventName) ?? [];
    return rows.map((row, index) => {
      const config = hooks[index]?.hook.config;
      if (config === undefined || row.planned !== 'run') return row;
      const reason = findCallMismatch(config, payload, this.#projectDir());
      return reason === undefined ? row : toSkippedRow(row, reason, config);
    });
  }

  #refresh(): void {
    const { version } = this.#registry;
    if (version === this.#version) return;
    const index = new Map<string, CompiledHook[]>();
    for (const hook of this.#registry.getConfiguredHooks()) {
      const compiled = index.get(hook.eventName) ?? [];
      compiled.push(this.#compile(hook));
      index.set(hook.eventName, compiled);
    }
    this.#index = index;
    this.#forget();
    this.#version = version;
  }

  /** `failed`: hook id → why the guard did not refuse its canary, a call that it must refuse. */
  refuseUntilAlive(failed: ReadonlyMap<string, string>): void {
    this.#failed = failed;
    this.#forget();
  }

  #forget(): void {
    this.#cache = new Map();
    this.#cached = 0;
  }

  #compile(hook: ConfiguredHook): CompiledHook {
    const rule = findSubjectRule(hook.eventName);
    const expiredOnFault = readExpiredGuardOnFault(hook);
    const isChanged = expiredOnFault !== undefined && hook.lost === undefined;
    const asked = isChanged ? getApprovedMatcher(hook) : hook.matcher;
    const dialect = isChanged ? getApprovedAgentHook(hook) : getAgentHook(hook);
    const agentMatching = hook.lost?.matches === undefined ? dialect : { matches: hook.lost.matches };
    const matcher =
      agentMatching === undefined
        ? compileMatcher(
            rule === undefined ? undefined : asked,
            rule?.compare ?? 'exact',
            this.#matchRegex,
            expiredOnFault !== undefined || isGuardEntry({ ...hook.config }),
          )
        : createAgentMatcher(agentMatching, rule);
    const isIgnored =
      dialect === undefined && rule === undefined && isHookEventName(hook.eventName) && !isForEverything(hook.matcher);
    const ignored = `${hook.eventName} has nothing to compare a matcher with; "${hook.matcher}" is ignored`;
    return {
      hook,
      matcher,
      duplicateKey: hook.config === undefined ? '' : createDuplicateKey(hook.config),
      warnings: [
        ...(hook.config === undefined ? [] : checkCondition(hook.config, rule?.from === 'toolName')),
        ...(matcher.warning === undefined ? [] : [matcher.warning]),
        ...(isIgnored ? [notice('no-effect', ignored)] : []),
      ],
      expiredOnFault,
      dialect,
      mayRun: hook.skipReasons.length === 0 || expiredOnFault !== undefined,
      gaveUp: false,
    };
  }

  #evaluate(eventName: string, context: PlanContext | undefined): EvaluatedHooks {
    if (this.#registry.version !== this.#version) this.#refresh();
    const rule = findSubjectRule(eventName);
    const subject = rule === undefined || context === undefined ? undefined : context[rule.from];
    const known = this.#cache.get(eventName)?.get(subject);
    if (known !== undefined) return known;
    const evaluation = this.#checkHooks(eventName, subject);
    this.#remember(eventName, subject, evaluation);
    return evaluation;
  }

  #remember(eventName: string, subject: string | undefined, evaluation: EvaluatedHooks): void {
    if (this.#cached >= MAX_CACHED_PLANS) this.#forget();
    const bySubject = this.#cache.get(eventName) ?? new Map<string | undefined, EvaluatedHooks>();
    bySubject.set(subject, evaluation);
    this.#cache.set(eventName, bySubject);
    this.#cached += 1;
  }

  /** Decides which hooks of an event run. Report rows are not made here, because most events need none. */
  #checkHooks(eventName: string, subject: string | undefined): EvaluatedHooks {
    const hooks = this.#index.get(eventName) ?? [];
    const matched: CandidateHook[] = [];
    for (const compiled of hooks) {
      const match = compiled.mayRun && this.#match(compiled, subject);
      if (match !== false) {
        matched.push({ compiled, reasons: [...compiled.hook.skipReasons], timedOut: match === 'timeout' });
      }
    }
    const copies = groupCopies(matched.filter(willRun));
    const running = matched.filter((candidate) => willRun(candidate) || isExpiredGuard(candidate));
    const plan =
      isHookEventName(eventName) && running.length > 0
        ? {
            eventName,
            hookConfigs: running.map((candidate) => this.#configFor(candidate, copies.copiesOf(candidate))),
            sequential: running.some(({ compiled }) => compiled.hook.sequential),
          }
        : null;
    const rows = once(() => {
      const candidates = new Map(matched.map((candidate) => [candidate.compiled, candidate]));
      return hooks.map((compiled) => {
        const candidate = candidates.get(compiled) ?? this.#explainSkip(compiled, subject);
        return createRow(candidate, copies.originalOf(candidate));
      });
    });
    return { rows, plan };
  }

  #configFor(candidate: CandidateHook, copies: readonly CandidateHook[]): HookConfig {
    const config = selectConfigToRun(candidate, copies);
    const message = this.#failed.get(candidate.compiled.hook.hookId);
    // A refused start of a hook with `onFault: allow` has no effect, while the hook may still deny other calls.
    return message === undefined || !isGuard(config)
      ? config
      : withStartRefusal(config, { code: 'canary-failed', message });
  }

  #explainSkip(compiled: CompiledHook, subject: string | undefined): CandidateHook {
    const match = compiled.mayRun ? false : this.#match(compiled, subject);
    const reasons: SkipReason[] = [...compiled.hook.skipReasons];
    if (match === false) reasons.push('matcher-mismatch');
    return { compiled, reasons, timedOut: match === 'timeout' };
  }

  #match(compiled: CompiledHook, subject: string | undefined): MatchResult {
    const { hook, matcher, expiredOnFault } = compiled;
    // The pattern of an untrusted hook is not run, because it may be slow. A changed guard uses its approved pattern.
    const isForeign = hook.skipReasons.includes('untrusted') || hook.skipReasons.includes('changed-since-trusted');
    if (subject === undefined || (isForeign && expiredOnFault === undefined && matcher.kind === 'pattern')) return true;
    if (compiled.gaveUp) return 'timeout';
    try {
      const match = matcher.test(subject);
      // A timeout shows that the pattern is slow only if the subject is short.
      if (match === 'timeout' && subject.length <= MAX_SUBJECT_LENGTH) compiled.gaveUp = true;
      if (match === 'timeout') this.#logMatcherFailure(compiled);
      return match;
    } catch (error) {
      // An exception of the host's `matchRegex` must not affect other hooks.
      compiled.failure = describeThrown(error);
      this.#logMatcherFailure(compiled);
      return 'timeout';
    }
  }

  #logMatcherFailure(compiled: CompiledHook): void {
    const { hookId, eventName } = compiled.hook;
    this.#logger?.debug?.(`${eventName}, ${hookId}: ${describeMatcherFailure(compiled)}`);
  }
}

const findSubjectRule = (eventName: string): SubjectRule<never> | undefined =>
  isHookEventName(eventName) ? catalogue[eventName].subject : undefined;

const getAgentHook = ({ config }: ConfiguredHook): AgentHook | undefined =>
  config === undefined ? undefined : getOrigin(config)?.dialect;

const getApprovedMatcher = ({ approved }: ConfiguredHook): string | undefined =>
  approved?.isOfOtherAgent === true ? undefined : approved?.matcher;

const getApprovedAgentHook = (hook: ConfiguredHook): AgentHook | undefined =>
  hook.approved?.isOfOtherAgent === true
    ? undefined
    : getAgentHook(hook)?.withMatcher(getApprovedMatcher(hook), hook.approved?.agentEvent);

type AgentMatching = Pick<AgentHook, 'matches'> & Partial<Pick<AgentHook, 'matcherProblem'>>;

const createAgentMatcher = (dialect: AgentMatching, rule: SubjectRule<never> | undefined): CompiledMatcher => ({
  kind: 'pattern',
  test: (subject) => (rule === undefined ? true : dialect.matches({ [rule.from]: subject })),
  ...(dialect.matcherProblem === undefined
    ? {}
    : { warning: notice('invalid-matcher', dialect.matcherProblem.message, { fix: dialect.matcherProblem.fix }) }),
});

const findCallMismatch = (
  config: HookConfig,
  payload: Readonly<Record<string, unknown>>,
  projectDir: string,
): SkipReason | undefined => {
  if (getOrigin(config)?.dialect?.matchesInput(payload) === false) return 'matcher-mismatch';
  return isSkippedByCondition(config, payload, projectDir) ? 'condition-mismatch' : undefined;
};

const selectConfigToRun = (candidate: CandidateHook, copies: readonly CandidateHook[]): HookConfig => {
  const { compiled, timedOut } = candidate;
  const { hook, expiredOnFault, dialect } = compiled;
  if (expiredOnFault !== undefined) {
    const config: HookConfig = { name: hook.name, ...hook.config, onFault: expiredOnFault };
    const origin = getOrigin(config);
    return withStartRefusal(
      origin === undefined ? config : withOrigin(config, { ...origin, dialect }),
      createExpiredApprovalRefusal(hook),
    );
  }
  const others = copies.flatMap(({ compiled: { hook: copy } }) => copy.config ?? []);
  const config = withStrictestOnFault(hook.config ?? {}, others);
  if (!timedOut) return config;
  return withStartRefusal(config, { code: 'matcher-timeout', message: describeMatcherFailure(compiled) });
};

const describeMatcherFailure = ({ hook, failure }: CompiledHook): string => {
  const why =
    failure === undefined
      ? `it takes more than ${MATCH_LIMIT_MS} ms, or it or what it is compared with is too long`
      : `the engine threw: ${failure}`;
  return `the matcher "${shorten(hook.matcher ?? '', 100)}" exceeded its limit: ${why}`;
};

/** Adds file and line, because a hook id made of a hash does not help to find the entry. */
const describeDuplicate = ({ hookId, source: { file, line } }: ConfiguredHook): string =>
  `It is the same as ${hookId}${file === undefined ? '' : ` (${file}:${line})`}.`;

const createRow = (candidate: CandidateHook, original: ConfiguredHook | undefined): HookRow => {
  const { compiled, reasons } = candidate;
  const { hook, warnings } = compiled;
  const row = createPlannedRow(hook, {
    reasons,
    warnings,
    detail: original === undefined ? hook.hint : describeDuplicate(original),
  });
  const isOff = row.reason === 'hooks-disabled' || row.reason === 'disabled';
  if (hook.switchedOff !== undefined && isOff) return { ...row, hint: hook.switchedOff };
  // A hint for this hook says more than the general advice to approve it.
  const hint = isUnapproved(row.reason) ? (hook.hint ?? explainUnapproved(hook)) : undefined;
  const explained = hint === undefined ? row : { ...row, hint };
  return isExpiredGuard(candidate)
    ? { ...explained, outcome: 'faulted', ...createExpiredApprovalRefusal(hook) }
    : explained;
};

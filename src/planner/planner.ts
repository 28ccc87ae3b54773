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
  type HookConfig,
  type HookRow,
  isGuardEntry,
  isUnapproved,
  type Logger,
  notice,
  originOf,
  partLogger,
  type SkipReason,
  skippedRow,
  withOrigin,
} from '../protocol/index.ts';
import type { ConfiguredHook, HookRegistry } from '../registry/index.ts';
import { type CandidateHook, type CompiledHook, copiesAmong, isLapsed, isRunning } from './candidates.ts';
import { conditionNotices, isSkippedByCondition } from './conditions/condition.ts';
import { duplicateKey, strictestOf } from './duplicates.ts';
import { expiredApprovalRefusal, onFaultOfExpiredGuard, whyUnapproved } from './lapse.ts';
import { MATCH_LIMIT_MS, MAX_SUBJECT, matchRegex, type RegexMatcher } from './match-regex.ts';
import { type CompiledMatcher, compileMatcher, type Match } from './matcher.ts';
import { plannedRow } from './planned-row.ts';
import { withStartRefusal } from './start-refusal.ts';

/** Values that matchers are compared with. Without the value that an event compares, every matcher matches. */
export interface PlanContext {
  readonly toolName?: string | undefined;
  readonly trigger?: string | undefined;
  /**
   * Compared with `if` and with matchers of other agents in reports. Plans do without it; each run compares its own
   * input.
   */
  readonly payload?: Readonly<Record<string, unknown>> | undefined;
}

/** The values that the matchers of an event are compared with. */
export const planContextOf = <E extends HookEventName>(
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
  /** Base of absolute paths in `if`. */
  readonly projectDir?: (() => string) | undefined;
}

const MAX_CACHED_PLANS = 1_000;

/** Plan and rows of an event; rows are created on request. */
interface Evaluation {
  readonly rows: () => readonly HookRow[];
  readonly plan: HookExecutionPlan | null;
}

/** Plans hooks. Starts nothing and reads no file. */
export class HookPlanner {
  readonly #registry: HookRegistry;
  readonly #matchRegex: RegexMatcher;
  readonly #projectDir: () => string;
  readonly #logger: Logger | undefined;
  #failed: ReadonlyMap<string, string> = new Map();
  /** The following fields belong to one version of the registry. */
  #version = -1;
  #index = new Map<string, CompiledHook[]>();
  #cache = new Map<string, Map<string | undefined, Evaluation>>();
  #cached = 0;

  constructor(registry: HookRegistry, deps: HookPlannerDeps = {}) {
    this.#registry = registry;
    this.#matchRegex = deps.matchRegex ?? matchRegex;
    this.#projectDir = deps.projectDir ?? process.cwd;
    this.#logger = partLogger(deps.logger, 'planner');
  }

  /** The hooks that would run; `null` if there are none. */
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
      const reason = whyNotCalled(config, payload, this.#projectDir());
      return reason === undefined ? row : skippedRow(row, reason, config);
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

  /** Refuses these guards: hook id → reason. Replaces the last set. */
  refuseUntilAlive(failed: ReadonlyMap<string, string>): void {
    this.#failed = failed;
    this.#forget();
  }

  #forget(): void {
    this.#cache = new Map();
    this.#cached = 0;
  }

  #compile(hook: ConfiguredHook): CompiledHook {
    const rule = ruleOf(hook.eventName);
    const lapsed = onFaultOfExpiredGuard(hook);
    const isChanged = lapsed !== undefined && hook.lost === undefined;
    const asked = isChanged ? approvedMatcher(hook) : hook.matcher;
    const dialect = isChanged ? approvedDialect(hook) : dialectOf(hook);
    const agentMatching = hook.lost?.matches === undefined ? dialect : { matches: hook.lost.matches };
    const matcher =
      agentMatching === undefined
        ? compileMatcher(
            rule === undefined ? undefined : asked,
            rule?.compare ?? 'exact',
            this.#matchRegex,
            lapsed !== undefined || isGuardEntry({ ...hook.config }),
          )
        : dialectMatcher(agentMatching, rule);
    const ignored =
      dialect === undefined && rule === undefined && isHookEventName(hook.eventName) && asksForSubject(hook.matcher);
    return {
      hook,
      matcher,
      duplicateKey: hook.config === undefined ? '' : duplicateKey(hook.config),
      warnings: [
        ...(hook.config === undefined ? [] : conditionNotices(hook.config, rule?.from === 'toolName')),
        ...(matcher.warning === undefined ? [] : [matcher.warning]),
        ...(ignored
          ? [
              notice(
                'no-effect',
                `${hook.eventName} has nothing to compare a matcher with; "${hook.matcher}" is ignored`,
              ),
            ]
          : []),
      ],
      lapsed,
      dialect,
      mayRun: hook.barriers.length === 0 || lapsed !== undefined,
      gaveUp: false,
    };
  }

  #evaluate(eventName: string, context: PlanContext | undefined): Evaluation {
    if (this.#registry.version !== this.#version) this.#refresh();
    const rule = ruleOf(eventName);
    const subject = rule === undefined || context === undefined ? undefined : context[rule.from];
    const known = this.#cache.get(eventName)?.get(subject);
    if (known !== undefined) return known;
    const evaluation = this.#look(eventName, subject);
    this.#remember(eventName, subject, evaluation);
    return evaluation;
  }

  #remember(eventName: string, subject: string | undefined, evaluation: Evaluation): void {
    if (this.#cached >= MAX_CACHED_PLANS) this.#forget();
    const bySubject = this.#cache.get(eventName) ?? new Map<string | undefined, Evaluation>();
    bySubject.set(subject, evaluation);
    this.#cache.set(eventName, bySubject);
    this.#cached += 1;
  }

  /** Computes the plan now and the rows on request, because most hooks are for other tools. */
  #look(eventName: string, subject: string | undefined): Evaluation {
    const hooks = this.#index.get(eventName) ?? [];
    const matched: CandidateHook[] = [];
    for (const compiled of hooks) {
      const match = compiled.mayRun && this.#match(compiled, subject);
      if (match !== false) {
        matched.push({ compiled, reasons: [...compiled.hook.barriers], timedOut: match === 'timeout' });
      }
    }
    const copies = copiesAmong(matched.filter(isRunning));
    const running = matched.filter((candidate) => isRunning(candidate) || isLapsed(candidate));
    const plan =
      isHookEventName(eventName) && running.length > 0
        ? {
            eventName,
            hookConfigs: running.map((candidate) => this.#configFor(candidate, copies.of(candidate))),
            sequential: running.some(({ compiled }) => compiled.hook.sequential),
          }
        : null;
    const rows = once(() => {
      const candidates = new Map(matched.map((candidate) => [candidate.compiled, candidate]));
      return hooks.map((compiled) => {
        const candidate = candidates.get(compiled) ?? this.#untaken(compiled, subject);
        return rowOf(candidate, copies.originalOf(candidate));
      });
    });
    return { rows, plan };
  }

  #configFor(candidate: CandidateHook, copies: readonly CandidateHook[]): HookConfig {
    const config = configToRun(candidate, copies);
    const message = this.#failed.get(candidate.compiled.hook.hookId);
    // A hook whose fault has no effect would be lost by a refusal, and it may well deny other calls.
    return message === undefined || (config.onFault ?? 'allow') === 'allow'
      ? config
      : withStartRefusal(config, { code: 'canary-failed', message });
  }

  /** A hook that is in no plan: it does not match, or it must not run and may not match either. */
  #untaken(compiled: CompiledHook, subject: string | undefined): CandidateHook {
    const match = compiled.mayRun ? false : this.#match(compiled, subject);
    const reasons: SkipReason[] = [...compiled.hook.barriers];
    if (match === false) reasons.push('matcher-mismatch');
    return { compiled, reasons, timedOut: match === 'timeout' };
  }

  #match(compiled: CompiledHook, subject: string | undefined): Match {
    const { hook, matcher, lapsed } = compiled;
    // Patterns of untrusted hooks must not cost time. A changed guard has its approved pattern.
    const isForeign = hook.barriers.includes('untrusted') || hook.barriers.includes('changed-since-trusted');
    if (subject === undefined || (isForeign && lapsed === undefined && matcher.kind === 'pattern')) return true;
    if (compiled.gaveUp) return 'timeout';
    try {
      const match = matcher.test(subject);
      // A timeout of a long subject tells nothing about the pattern.
      if (match === 'timeout' && subject.length <= MAX_SUBJECT) compiled.gaveUp = true;
      if (match === 'timeout') this.#reportUntried(compiled);
      return match;
    } catch (error) {
      // A `matchRegex` of the host that throws must not affect other hooks.
      compiled.failure = describeThrown(error);
      this.#reportUntried(compiled);
      return 'timeout';
    }
  }

  #reportUntried(compiled: CompiledHook): void {
    const { hookId, eventName } = compiled.hook;
    this.#logger?.debug?.(`${eventName}, ${hookId}: ${untried(compiled)}`);
  }
}

const ruleOf = (eventName: string): SubjectRule<never> | undefined =>
  isHookEventName(eventName) ? catalogue[eventName].subject : undefined;

const dialectOf = ({ config }: ConfiguredHook): AgentHook | undefined =>
  config === undefined ? undefined : originOf(config)?.dialect;

const approvedMatcher = ({ approved }: ConfiguredHook): string | undefined =>
  approved?.isOfOtherAgent === true ? undefined : approved?.matcher;

/** A changed guard is matched by its approved matcher. */
const approvedDialect = (hook: ConfiguredHook): AgentHook | undefined =>
  hook.approved?.isOfOtherAgent === true
    ? undefined
    : dialectOf(hook)?.withMatcher(approvedMatcher(hook), hook.approved?.agentEvent);

type AgentMatching = Pick<AgentHook, 'matches'> & Partial<Pick<AgentHook, 'matcherProblem'>>;

/** Matches a hook of another agent by the rules of that agent. */
const dialectMatcher = (dialect: AgentMatching, rule: SubjectRule<never> | undefined): CompiledMatcher => ({
  kind: 'pattern',
  test: (subject) => (rule === undefined ? true : dialect.matches({ [rule.from]: subject })),
  ...(dialect.matcherProblem === undefined
    ? {}
    : { warning: notice('invalid-matcher', dialect.matcherProblem.message, { fix: dialect.matcherProblem.fix }) }),
});

/** Why a hook does not run for this input, if only the input can tell. */
const whyNotCalled = (
  config: HookConfig,
  payload: Readonly<Record<string, unknown>>,
  projectDir: string,
): SkipReason | undefined => {
  if (originOf(config)?.dialect?.matchesInput(payload) === false) return 'matcher-mismatch';
  // Without arguments, the name of the tool decides as far as it can.
  return isSkippedByCondition(config, payload, projectDir) ? 'condition-mismatch' : undefined;
};

const asksForSubject = (matcher: string | undefined): boolean => {
  const trimmed = matcher?.trim() ?? '';
  return trimmed !== '' && trimmed !== '*';
};

const configToRun = (candidate: CandidateHook, copies: readonly CandidateHook[]): HookConfig => {
  const { compiled, timedOut } = candidate;
  const { hook, lapsed, dialect } = compiled;
  if (lapsed !== undefined) {
    const config: HookConfig = { name: hook.name, ...hook.config, onFault: lapsed };
    const origin = originOf(config);
    return withStartRefusal(
      origin === undefined ? config : withOrigin(config, { ...origin, dialect }),
      expiredApprovalRefusal(hook),
    );
  }
  const others = copies.flatMap(({ compiled: { hook: copy } }) => copy.config ?? []);
  const config = strictestOf(hook.config ?? {}, others);
  if (!timedOut) return config;
  return withStartRefusal(config, { code: 'matcher-timeout', message: untried(compiled) });
};

const untried = ({ hook, failure }: CompiledHook): string => {
  const why =
    failure === undefined
      ? `it takes more than ${MATCH_LIMIT_MS} ms, or it or what it is compared with is too long`
      : `the engine threw: ${failure}`;
  return `the matcher "${shorten(hook.matcher ?? '', 100)}" exceeded its limit: ${why}`;
};

/** Adds the location, because an id made of a hash does not help to find the entry. */
const sameAs = ({ hookId, source: { file, line } }: ConfiguredHook): string =>
  file === undefined ? `It is the same as ${hookId}.` : `It is the same as ${hookId} (${file}:${line}).`;

const rowOf = (candidate: CandidateHook, original: ConfiguredHook | undefined): HookRow => {
  const { compiled, reasons } = candidate;
  const { hook, warnings } = compiled;
  const row = plannedRow(hook, {
    reasons,
    warnings,
    detail: original === undefined ? hook.hint : sameAs(original),
  });
  const isOff = row.reason === 'hooks-disabled' || row.reason === 'disabled';
  if (hook.switchedOff !== undefined && isOff) return { ...row, hint: hook.switchedOff };
  // A specific hint tells what to do instead of approving the hook.
  const hint = isUnapproved(row.reason) ? (hook.hint ?? whyUnapproved(hook)) : undefined;
  const explained = hint === undefined ? row : { ...row, hint };
  return isLapsed(candidate) ? { ...explained, outcome: 'faulted', ...expiredApprovalRefusal(hook) } : explained;
};

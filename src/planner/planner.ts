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
import { lapsedGuard, lapseOf, whyUnapproved } from './lapse.ts';
import { MATCH_LIMIT_MS, MAX_SUBJECT, matchRegex, type RegexMatcher } from './match-regex.ts';
import { type CompiledMatcher, compileMatcher, type Match } from './matcher.ts';
import { plannedRow } from './planned-row.ts';
import { refuse } from './start-refusal.ts';

/** What matchers are compared with. Without the member an event asks for, every matcher matches. */
export interface PlanContext {
  readonly toolName?: string | undefined;
  readonly trigger?: string | undefined;
  /** What `if`, and matchers of hooks of other agents, are compared with, for reports: a plan is made without it, and each run compares its own input. */
  readonly payload?: Readonly<Record<string, unknown>> | undefined;
}

/** What the matchers of an event are compared with, taken from its payload. */
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
  /** Where `if` looks for paths that begin with `/`. */
  readonly projectDir?: (() => string) | undefined;
}

const MAX_CACHED_PLANS = 1_000;

/** What one look at an event's hooks found: the plan, and on request a row for each hook. */
interface Evaluation {
  readonly rows: () => readonly HookRow[];
  readonly plan: HookExecutionPlan | null;
}

/** Decides which hooks would run, in what order, and why the others would not. It starts nothing and touches no file. */
export class HookPlanner {
  readonly #registry: HookRegistry;
  readonly #matchRegex: RegexMatcher;
  readonly #projectDir: () => string;
  readonly #logger: Logger | undefined;
  #failed: ReadonlyMap<string, string> = new Map();
  /** What follows belongs to one version of the registry. */
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

  /** The hooks that would run, or `null` when none would. */
  createExecutionPlan(eventName: HookEventName, context?: PlanContext): HookExecutionPlan | null {
    return this.#evaluate(eventName, context).plan;
  }

  /** One row per configured hook of the event, or of all events, as it would be. Nothing is run. */
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

  /** These guards are refused, by their ids and for what reason, until they are not among them any more. */
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
    const lapsed = lapsedGuard(hook);
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

  /** Most hooks are for other tools: what is only shown is computed on request. */
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
    // A hook whose fault means nothing would be lost by it, and it may well refuse other calls.
    return message === undefined || (config.onFault ?? 'allow') === 'allow'
      ? config
      : refuse(config, { code: 'canary-failed', message });
  }

  /** A hook that is in no plan: it did not match, or may not run, and then perhaps would not match either. */
  #untaken(compiled: CompiledHook, subject: string | undefined): CandidateHook {
    const match = compiled.mayRun ? false : this.#match(compiled, subject);
    const reasons: SkipReason[] = [...compiled.hook.barriers];
    if (match === false) reasons.push('matcher-mismatch');
    return { compiled, reasons, timedOut: match === 'timeout' };
  }

  #match(compiled: CompiledHook, subject: string | undefined): Match {
    const { hook, matcher, lapsed } = compiled;
    // An expression of an untrusted source is not worth any time; that of a changed guard is the approved one.
    const isForeign = hook.barriers.includes('untrusted') || hook.barriers.includes('changed-since-trusted');
    if (subject === undefined || (isForeign && lapsed === undefined && matcher.kind === 'pattern')) return true;
    if (compiled.gaveUp) return 'timeout';
    try {
      const match = matcher.test(subject);
      // A subject that is too long says nothing about the pattern.
      if (match === 'timeout' && subject.length <= MAX_SUBJECT) compiled.gaveUp = true;
      if (match === 'timeout') this.#reportUntried(compiled);
      return match;
    } catch (error) {
      // An engine of the host that throws must not cost the event its other hooks.
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

/** A changed guard refuses what its approved matcher matches, whatever it is now. */
const approvedDialect = (hook: ConfiguredHook): AgentHook | undefined =>
  hook.approved?.isOfOtherAgent === true ? undefined : dialectOf(hook)?.withMatcher(approvedMatcher(hook));

type AgentMatching = Pick<AgentHook, 'matches'> & Partial<Pick<AgentHook, 'matcherProblem'>>;

/** A hook of another agent is matched the way that agent does it. */
const dialectMatcher = (dialect: AgentMatching, rule: SubjectRule<never> | undefined): CompiledMatcher => ({
  kind: 'pattern',
  test: (subject) => (rule === undefined ? true : dialect.matches({ [rule.from]: subject })),
  ...(dialect.matcherProblem === undefined
    ? {}
    : { warning: notice('invalid-matcher', dialect.matcherProblem.message, { fix: dialect.matcherProblem.fix }) }),
});

/** What keeps a hook from this call, and is not known before its input is. */
const whyNotCalled = (
  config: HookConfig,
  payload: Readonly<Record<string, unknown>>,
  projectDir: string,
): SkipReason | undefined => {
  if (originOf(config)?.dialect?.matchesInput(payload) === false) return 'matcher-mismatch';
  const isSkipped = payload.tool_input !== undefined && isSkippedByCondition(config, payload, projectDir);
  return isSkipped ? 'condition-mismatch' : undefined;
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
    return refuse(origin === undefined ? config : withOrigin(config, { ...origin, dialect }), lapseOf(hook));
  }
  const others = copies.flatMap(({ compiled: { hook: copy } }) => copy.config ?? []);
  const config = strictestOf(hook.config ?? {}, others);
  if (!timedOut) return config;
  return refuse(config, { code: 'matcher-timeout', message: untried(compiled) });
};

const untried = ({ hook, failure }: CompiledHook): string => {
  const why =
    failure === undefined
      ? `it takes more than ${MATCH_LIMIT_MS} ms, or it or what it is compared with is too long`
      : `the engine threw: ${failure}`;
  return `the matcher "${shorten(hook.matcher ?? '', 100)}" exceeded its limit: ${why}`;
};

/** An id made of a hash does not help to find the entry; its location does. */
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
  // A hint of its own says what to do, which is not to approve it.
  const hint = isUnapproved(row.reason) ? (hook.hint ?? whyUnapproved(hook)) : undefined;
  const explained = hint === undefined ? row : { ...row, hint };
  return isLapsed(candidate) ? { ...explained, outcome: 'faulted', ...lapseOf(hook) } : explained;
};

// Writes our answers in Claude Code's format, which several agents share with small differences.
import { dropIfEmpty, dropUndefined, type Said } from '../answers/answer.ts';
import type { JsonObject } from '../rule-types.ts';
import {
  describeUnreadMembers,
  type HostAgentEvent,
  type HostRule,
  joinLines,
  NO_REASON,
  type WrittenAnswer,
} from './host-rule.ts';

export interface ClaudeForm {
  readonly title: string;
  /** Events with `additionalContext`. */
  readonly contexts: readonly string[];
  readonly asks: boolean;
  /** `allow` is valid without changed arguments. */
  readonly allows: boolean;
  /** Events whose block is a member of `hookSpecificOutput`. */
  readonly blocksInside?: readonly string[];
  /** Events on which exit code 2 does not block. */
  readonly onlyAsJson?: readonly string[];
  /** Events without a decision, on which only a stop refuses. */
  readonly refusesByStopping?: readonly string[];
  readonly neverStops?: readonly string[];
  /** Members beside the decision of a permission. */
  readonly permissions?: { readonly allow?: readonly string[]; readonly deny?: readonly string[] };
  /** Event → the members of `hookSpecificOutput` that the agent reads. */
  readonly passes?: Readonly<Record<string, readonly string[]>>;
  readonly nameOf?: (event: string) => string;
}

const BEFORE_TOOL = 'BeforeTool';
const PERMISSION_REQUEST = 'PermissionRequest';

const pickPermissionMembers = ({ decision, specific = {} }: Said, { permissions = {} }: ClaudeForm): JsonObject => {
  const keys = decision === 'allow' ? permissions.allow : decision === 'deny' ? permissions.deny : undefined;
  return Object.fromEntries((keys ?? []).flatMap((key) => (specific[key] === undefined ? [] : [[key, specific[key]]])));
};

const decisionWriters: Readonly<Record<string, (said: Said, form: ClaudeForm) => JsonObject>> = {
  [BEFORE_TOOL]: ({ decision, reason, toolInput }, { allows }) => {
    const words = decision === 'allow' && !allows && toolInput === undefined ? undefined : decision;
    // The agent accepts changed arguments only with an `allow`.
    const word = words ?? (toolInput !== undefined && !allows ? 'allow' : undefined);
    const why = word === 'deny' ? (reason ?? NO_REASON) : reason;
    return dropUndefined({
      permissionDecision: word,
      permissionDecisionReason: word === undefined ? undefined : why,
      updatedInput: word === 'deny' ? undefined : toolInput,
    });
  },
  [PERMISSION_REQUEST]: (said, form) => {
    const { decision, reason, toolInput } = said;
    if (decision === 'deny')
      return { decision: { behavior: 'deny', message: reason ?? NO_REASON, ...pickPermissionMembers(said, form) } };
    if (decision !== 'allow') return {};
    return {
      decision: dropUndefined({ behavior: 'allow', updatedInput: toolInput, ...pickPermissionMembers(said, form) }),
    };
  },
};

export const writeBlock = ({ decision, reason }: Said): JsonObject =>
  decision === 'deny' ? { decision: 'block', reason: reason ?? NO_REASON } : {};

const denyUnaskable = (said: Said, { rule: { moment } }: HostAgentEvent, form: ClaudeForm): Said => {
  if (said.decision !== 'ask' || (form.asks && moment === BEFORE_TOOL)) return said;
  if (moment !== BEFORE_TOOL) return { ...said, decision: undefined };
  const why = said.reason === undefined ? '' : `: ${said.reason}`;
  return { ...said, decision: 'deny', reason: `a person has to be asked, and hooks of ${form.title} cannot${why}` };
};

const adaptToAgent = (wanted: Said, spot: HostAgentEvent, form: ClaudeForm, name: string): Said => {
  const { stop, decision, reason } = wanted;
  if (stop !== undefined && form.neverStops?.includes(name) === true)
    return { ...wanted, stop: undefined, decision: 'deny', reason: stop.reason ?? reason };
  if (decision === 'deny' && form.refusesByStopping?.includes(name) === true)
    return { ...wanted, decision: undefined, stop: { reason: reason ?? NO_REASON } };
  return denyUnaskable(wanted, spot, form);
};

const pickPassedMembers = ({ specific = {} }: Said, event: string, { passes = {} }: ClaudeForm): JsonObject =>
  Object.fromEntries(Object.entries(specific).filter(([key]) => passes[event]?.includes(key)));

const pickUnreadMembers = (
  said: Said,
  { event, rule: { moment } }: HostAgentEvent,
  form: ClaudeForm,
): JsonObject | undefined => {
  const heard =
    moment === PERMISSION_REQUEST ? pickPermissionMembers(said, form) : pickPassedMembers(said, event, form);
  return Object.fromEntries(Object.entries(said.specific ?? {}).filter(([key]) => !Object.hasOwn(heard, key)));
};

export const createClaudeLikeWriter =
  (form: ClaudeForm): HostRule['write'] =>
  (wanted, spot): WrittenAnswer => {
    const name = form.nameOf?.(spot.event) ?? spot.event;
    const moment = spot.rule.moment ?? '';
    const said = adaptToAgent(wanted, spot, form, name);
    const ofCall = decisionWriters[moment];
    const block = ofCall === undefined && spot.rule.blocks ? writeBlock(said) : {};
    const takesContext = form.contexts.includes(name);
    const isInside = form.blocksInside?.includes(name) === true;
    const inner = {
      ...(ofCall === undefined ? {} : ofCall(said, form)),
      ...(isInside ? block : {}),
      ...pickPassedMembers(said, name, form),
      ...(takesContext && said.context !== undefined ? { additionalContext: said.context } : {}),
    };
    const objection =
      ofCall === undefined && !spot.rule.blocks && said.decision === 'deny' ? (said.reason ?? NO_REASON) : undefined;
    const stdout = dropUndefined({
      ...(isInside ? {} : block),
      ...(said.stop === undefined ? {} : dropUndefined({ continue: false, stopReason: said.stop.reason || undefined })),
      systemMessage: joinLines(
        said.message,
        takesContext ? undefined : said.context,
        objection,
        describeUnreadMembers(pickUnreadMembers(said, spot, form), form.title),
      ),
      hookSpecificOutput: dropIfEmpty(inner) && { hookEventName: name, ...inner },
    });
    const isBlocked = said.decision === 'deny' && spot.rule.blocks && form.onlyAsJson?.includes(name) !== true;
    return {
      ...(Object.keys(stdout).length === 0 ? {} : { stdout }),
      ...(isBlocked ? { stderr: said.reason ?? NO_REASON, exitCode: 2 } : { exitCode: 0 }),
    };
  };

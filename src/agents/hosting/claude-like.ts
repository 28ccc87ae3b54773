// Writes our answers in Claude Code's format, which several agents share with small differences.
import { omitUndefined } from '../../kit/index.ts';
import { dropIfEmpty, type Said } from '../answers/answer.ts';
import type { AgentEvent, JsonObject } from '../rule-types.ts';
import { describeUnreadMembers, type HostRule, joinLines, NO_REASON } from './host-rule.ts';

export interface ClaudeForm {
  readonly title: string;
  readonly contextEvents: readonly string[];
  readonly canAsk: boolean;
  /** `allow` is valid without changed arguments. */
  readonly takesPlainAllow: boolean;
  readonly innerBlockEvents?: readonly string[];
  readonly jsonOnlyEvents?: readonly string[];
  /** Events without a decision, on which only a stop refuses. */
  readonly stopOnlyEvents?: readonly string[];
  readonly unstoppableEvents?: readonly string[];
  readonly permissionMembers?: { readonly allow?: readonly string[]; readonly deny?: readonly string[] };
  readonly specificMembersByEvent?: Readonly<Record<string, readonly string[]>>;
  readonly toAnswerName?: (event: string) => string;
}

const BEFORE_TOOL = 'BeforeTool';
const PERMISSION_REQUEST = 'PermissionRequest';

const pickPermissionMembers = (
  { decision, specific = {} }: Said,
  { permissionMembers = {} }: ClaudeForm,
): JsonObject => {
  const keys =
    decision === 'allow' ? permissionMembers.allow : decision === 'deny' ? permissionMembers.deny : undefined;
  return Object.fromEntries((keys ?? []).flatMap((key) => (specific[key] === undefined ? [] : [[key, specific[key]]])));
};

const decisionWriters: Readonly<Record<string, (said: Said, form: ClaudeForm) => JsonObject>> = {
  [BEFORE_TOOL]: ({ decision, reason, toolInput }, { takesPlainAllow }) => {
    const words = decision === 'allow' && !takesPlainAllow && toolInput === undefined ? undefined : decision;
    // The agent accepts changed arguments only with an `allow`.
    const word = words ?? (toolInput !== undefined && !takesPlainAllow ? 'allow' : undefined);
    const why = word === 'deny' ? (reason ?? NO_REASON) : reason;
    return omitUndefined({
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
      decision: omitUndefined({ behavior: 'allow', updatedInput: toolInput, ...pickPermissionMembers(said, form) }),
    };
  },
};

export const writeBlock = ({ decision, reason }: Said): JsonObject =>
  decision === 'deny' ? { decision: 'block', reason: reason ?? NO_REASON } : {};

const denyUnaskable = (said: Said, { rule: { moment } }: AgentEvent, form: ClaudeForm): Said => {
  if (said.decision !== 'ask' || (form.canAsk && moment === BEFORE_TOOL)) return said;
  if (moment !== BEFORE_TOOL) return { ...said, decision: undefined };
  const why = said.reason === undefined ? '' : `: ${said.reason}`;
  return { ...said, decision: 'deny', reason: `a person has to be asked, and hooks of ${form.title} cannot${why}` };
};

const replaceUnsupportedVerdict = (wanted: Said, spot: AgentEvent, form: ClaudeForm, name: string): Said => {
  const { stop, decision, reason } = wanted;
  if (stop !== undefined && form.unstoppableEvents?.includes(name) === true)
    return { ...wanted, stop: undefined, decision: 'deny', reason: stop.reason ?? reason };
  if (decision === 'deny' && form.stopOnlyEvents?.includes(name) === true)
    return { ...wanted, decision: undefined, stop: { reason: reason ?? NO_REASON } };
  return denyUnaskable(wanted, spot, form);
};

const pickPassedMembers = (
  { specific = {} }: Said,
  event: string,
  { specificMembersByEvent = {} }: ClaudeForm,
): JsonObject =>
  Object.fromEntries(Object.entries(specific).filter(([key]) => specificMembersByEvent[event]?.includes(key)));

const pickUnreadMembers = (
  said: Said,
  { event, rule: { moment } }: AgentEvent,
  form: ClaudeForm,
): JsonObject | undefined => {
  const heard =
    moment === PERMISSION_REQUEST ? pickPermissionMembers(said, form) : pickPassedMembers(said, event, form);
  return Object.fromEntries(Object.entries(said.specific ?? {}).filter(([key]) => !Object.hasOwn(heard, key)));
};

export const createClaudeLikeWriter =
  (form: ClaudeForm): HostRule['write'] =>
  (wanted, spot) => {
    const name = form.toAnswerName?.(spot.event) ?? spot.event;
    const moment = spot.rule.moment ?? '';
    const said = replaceUnsupportedVerdict(wanted, spot, form, name);
    const ofCall = decisionWriters[moment];
    const block = ofCall === undefined && spot.rule.blocks ? writeBlock(said) : {};
    const takesContext = form.contextEvents.includes(name);
    const isInside = form.innerBlockEvents?.includes(name) === true;
    const inner = {
      ...(ofCall === undefined ? {} : ofCall(said, form)),
      ...(isInside ? block : {}),
      ...pickPassedMembers(said, name, form),
      ...(takesContext && said.context !== undefined ? { additionalContext: said.context } : {}),
    };
    const objection =
      ofCall === undefined && !spot.rule.blocks && said.decision === 'deny' ? (said.reason ?? NO_REASON) : undefined;
    const stdout = omitUndefined({
      ...(isInside ? {} : block),
      ...(said.stop === undefined ? {} : omitUndefined({ continue: false, stopReason: said.stop.reason || undefined })),
      systemMessage: joinLines(
        said.message,
        takesContext ? undefined : said.context,
        objection,
        describeUnreadMembers(pickUnreadMembers(said, spot, form), form.title),
      ),
      hookSpecificOutput: dropIfEmpty(inner) && { hookEventName: name, ...inner },
    });
    const isBlocked = said.decision === 'deny' && spot.rule.blocks && form.jsonOnlyEvents?.includes(name) !== true;
    return {
      ...(Object.keys(stdout).length === 0 ? {} : { stdout }),
      ...(isBlocked ? { stderr: said.reason ?? NO_REASON, exitCode: 2 } : { exitCode: 0 }),
    };
  };

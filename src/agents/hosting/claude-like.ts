// Writes our answers in Claude Code's format, which several agents share with small differences.
import { omitUndefined } from '../../kit/index.ts';
import { dropIfEmpty, type Said } from '../answers/answer.ts';
import type { AgentEvent, JsonObject } from '../rule-types.ts';
import { DEFAULT_DENIAL_REASON, describeUnreadMembers, type HostRule, joinLines } from './host-rule.ts';

export interface ClaudeLikeFormat {
  readonly title: string;
  readonly contextEvents: readonly string[];
  readonly canAsk: boolean;
  /** `allow` is valid without changed arguments. */
  readonly takesPlainAllow: boolean;
  readonly innerBlockEvents?: readonly string[];
  readonly jsonOnlyEvents?: readonly string[];
  /** On these events the agent reads no decision, so a denial becomes a stop. */
  readonly stopOnlyEvents?: readonly string[];
  readonly unstoppableEvents?: readonly string[];
  readonly permissionMembers?: { readonly allow?: readonly string[]; readonly deny?: readonly string[] };
  readonly specificMembersByEvent?: Readonly<Record<string, readonly string[]>>;
  readonly toAnswerName?: (event: string) => string;
}

const BEFORE_TOOL = 'BeforeTool';
const PERMISSION_REQUEST = 'PermissionRequest';

/** Members of our answer that the agent reads under the same name. */
const listPassedMembers = (
  { decision }: Said,
  moment: string,
  name: string,
  form: ClaudeLikeFormat,
): readonly string[] => {
  const { permissionMembers = {}, specificMembersByEvent = {} } = form;
  if (moment !== PERMISSION_REQUEST) return specificMembersByEvent[name] ?? [];
  return (decision === 'allow' || decision === 'deny' ? permissionMembers[decision] : undefined) ?? [];
};

const pickMembers = ({ specific = {} }: Said, isPicked: (key: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(specific).filter(([key]) => isPicked(key)));

const decisionWriters: Readonly<
  Record<string, (said: Said, form: ClaudeLikeFormat, passed: JsonObject) => JsonObject>
> = {
  [BEFORE_TOOL]: ({ decision, reason, toolInput }, { takesPlainAllow }) => {
    const words = decision === 'allow' && !takesPlainAllow && toolInput === undefined ? undefined : decision;
    // The agent accepts changed arguments only with an `allow`.
    const word = words ?? (toolInput !== undefined && !takesPlainAllow ? 'allow' : undefined);
    const why = word === 'deny' ? (reason ?? DEFAULT_DENIAL_REASON) : reason;
    return omitUndefined({
      permissionDecision: word,
      permissionDecisionReason: word === undefined ? undefined : why,
      updatedInput: word === 'deny' ? undefined : toolInput,
    });
  },
  [PERMISSION_REQUEST]: ({ decision, reason, toolInput }, _form, passed) => {
    if (decision === 'deny')
      return { decision: { behavior: 'deny', message: reason ?? DEFAULT_DENIAL_REASON, ...passed } };
    if (decision !== 'allow') return {};
    return { decision: omitUndefined({ behavior: 'allow', updatedInput: toolInput, ...passed }) };
  },
};

export const writeBlock = ({ decision, reason }: Said): JsonObject =>
  decision === 'deny' ? { decision: 'block', reason: reason ?? DEFAULT_DENIAL_REASON } : {};

const denyUnaskable = (said: Said, { rule: { moment } }: AgentEvent, form: ClaudeLikeFormat): Said => {
  if (said.decision !== 'ask' || (form.canAsk && moment === BEFORE_TOOL)) return said;
  if (moment !== BEFORE_TOOL) return { ...said, decision: undefined };
  const why = said.reason === undefined ? '' : `: ${said.reason}`;
  return { ...said, decision: 'deny', reason: `a person has to be asked, and hooks of ${form.title} cannot${why}` };
};

const replaceUnsupportedVerdict = (wanted: Said, spot: AgentEvent, form: ClaudeLikeFormat, name: string): Said => {
  const { stop, decision, reason } = wanted;
  if (stop !== undefined && form.unstoppableEvents?.includes(name) === true)
    return { ...wanted, stop: undefined, decision: 'deny', reason: stop.reason ?? reason };
  if (decision === 'deny' && form.stopOnlyEvents?.includes(name) === true)
    return { ...wanted, decision: undefined, stop: { reason: reason ?? DEFAULT_DENIAL_REASON } };
  return denyUnaskable(wanted, spot, form);
};

export const createClaudeLikeWriter =
  (form: ClaudeLikeFormat): HostRule['write'] =>
  (wanted, spot) => {
    const name = form.toAnswerName?.(spot.event) ?? spot.event;
    const moment = spot.rule.moment ?? '';
    const said = replaceUnsupportedVerdict(wanted, spot, form, name);
    const ofCall = decisionWriters[moment];
    const passedKeys = listPassedMembers(said, moment, name, form);
    const passed = pickMembers(said, (key) => passedKeys.includes(key));
    const block = ofCall === undefined && spot.rule.blocks ? writeBlock(said) : {};
    const takesContext = form.contextEvents.includes(name);
    const isInside = form.innerBlockEvents?.includes(name) === true;
    const inner = {
      ...(ofCall === undefined ? {} : ofCall(said, form, passed)),
      ...(isInside ? block : {}),
      ...(moment === PERMISSION_REQUEST ? {} : passed),
      ...(takesContext && said.context !== undefined ? { additionalContext: said.context } : {}),
    };
    const objection =
      ofCall === undefined && !spot.rule.blocks && said.decision === 'deny'
        ? (said.reason ?? DEFAULT_DENIAL_REASON)
        : undefined;
    const stdout = omitUndefined({
      ...(isInside ? {} : block),
      ...(said.stop === undefined ? {} : omitUndefined({ continue: false, stopReason: said.stop.reason || undefined })),
      systemMessage: joinLines(
        said.message,
        takesContext ? undefined : said.context,
        objection,
        describeUnreadMembers(
          pickMembers(said, (key) => !passedKeys.includes(key)),
          form.title,
        ),
      ),
      hookSpecificOutput: dropIfEmpty(inner) && { hookEventName: name, ...inner },
    });
    const isBlocked = said.decision === 'deny' && spot.rule.blocks && form.jsonOnlyEvents?.includes(name) !== true;
    return {
      ...(Object.keys(stdout).length === 0 ? {} : { stdout }),
      ...(isBlocked ? { stderr: said.reason ?? DEFAULT_DENIAL_REASON, exitCode: 2 } : { exitCode: 0 }),
    };
  };

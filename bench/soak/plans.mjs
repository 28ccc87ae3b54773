// Random plans: each is found by a tool name of its own, so that one engine has them all; and the bounds of what may come of them.
import { hookOf } from './deeds.mjs';

const planOf = (id, kinds, context) => {
  const { random } = context;
  const chosen = Array.from({ length: random.between(1, 5) }, () => hookOf(random.pick(kinds), context));
  // What workers do is said by the input, so those of one plan all do the same.
  const worker = chosen.find(({ lane }) => lane === 'workers');
  const members = chosen.map((member, at) => {
    const { deed, hook } = member.lane === 'workers' ? { ...member, deed: worker.deed } : member;
    const { timeout } = member.lane === 'workers' ? worker.hook : hook;
    return { ...member, deed, hook: { ...hook, timeout, name: `${at} ${hook.name}` } };
  });
  const most = members.map(mostOf).reduce(stricter, 'none');
  const { tool_input = {} } = worker?.deed ?? {};
  const tool = `plan_${id}`;
  const definition = { matcher: `^${tool}$`, sequential: random.chance(0.3), hooks: members.map(({ hook }) => hook) };
  return { tool, members, most, definition, tool_input };
};

export const plansOf = (generation, count, kinds, context) =>
  Array.from({ length: count }, (_, at) => planOf(`${generation}_${at}`, kinds, context));

const strictness = { none: 0, allow: 0, ask: 1, deny: 2 };

export const isStricter = (one, other) => strictness[one] > strictness[other];
const stricter = (one, other) => (isStricter(other, one) ? other : one);

/** What a fault of a hook leads to. */
const byFault = ({ hook }) => (hook.onFault === 'allow' ? 'none' : hook.onFault);

/** The strictest that a hook could bring about, one way or another: anything may fail in a soak, be it by a deadline. */
const mostOf = (member) => stricter(member.deed.says ?? 'none', byFault(member));

/** What becomes of a hook that did nothing to deserve it: its request ended, or the machine had no time for it. */
const misfortunes = ['deadline', 'cancelled', 'timeout', 'overloaded', 'spawn-failed'];

/** One worker serves several plans: what another request did to it this one feels. */
const isMisfortune = ({ lane }, code) => misfortunes.includes(code) || lane === 'workers';

/** The least that a plan must come to by how each of its hooks ended. `broken` is told of an end that its deed cannot have. */
export const leastOf = ({ members }, rows, broken) =>
  members.map((member, at) => leastOfMember(member, rows[at], broken)).reduce(stricter, 'none');

const leastOfMember = (member, { name, code, outcome }, broken) => {
  const { deed } = member;
  const { says = 'none', faults = false, counts = false } = deed;
  if (code === undefined) {
    const mayAnswer = !faults || counts || deed.mayAnswer === true;
    if (!mayAnswer) broken(`${name} has to fail, and its row says ${outcome}`);
    return says;
  }
  if (isMisfortune(member, code)) return byFault(member);
  if (!faults) broken(`${name} does nothing wrong, and its row says ${code}`);
  return counts ? stricter(says, byFault(member)) : byFault(member);
};

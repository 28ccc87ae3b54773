// Random plans: each is found by a tool name of its own, so that one engine has them all.
import { hookOf } from './deeds.mjs';

const strictness = { none: 0, allow: 1, ask: 2, deny: 3 };

/** The strictest that a hook could bring about, one way or another. */
const mostOf = ({ deed, hook }) => {
  const byFault = hook.onFault === 'allow' ? 'none' : hook.onFault;
  const own = deed.says ?? 'none';
  // Anything may fail in a soak: a hook that is ended by a deadline is a fault as well.
  return strictness[own] > strictness[byFault] ? own : byFault;
};

const planOf = (id, kinds, context) => {
  const { random } = context;
  const chosen = Array.from({ length: random.between(1, 5) }, () => hookOf(random.pick(kinds), context));
  const members = chosen.map((member, at) => ({
    ...member,
    hook: { ...member.hook, name: `${at} ${member.hook.name}` },
  }));
  const most = members.map(mostOf).reduce((one, other) => (strictness[one] >= strictness[other] ? one : other), 'none');
  const { tool_input = {} } = members.find(({ lane }) => lane === 'workers')?.deed ?? {};
  const tool = `plan_${id}`;
  const definition = { matcher: `^${tool}$`, sequential: random.chance(0.3), hooks: members.map(({ hook }) => hook) };
  return { tool, members, most, definition, tool_input };
};

/** All deeds of workers are asked for by the input, so the workers of one plan all do the same. */
export const plansOf = (generation, count, kinds, context) =>
  Array.from({ length: count }, (_, at) => planOf(`${generation}_${at}`, kinds, context));

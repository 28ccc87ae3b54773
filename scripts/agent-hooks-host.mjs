// An agent of the agent-hooks standard whose hooks run in hookwright: it plays the scenario of one conformance vector.
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { loadSource } from './load-source.mjs';

/** Plays a vector and returns what runners of the standard report: interceptions, records, tool invocations, outcome. */
export const playVector = async (vector) => {
  const run = { interceptions: [], records: [], tool_invocations: [], final_output: null, run_outcome: 'blocked' };
  const host = await hostFor(vector, run);
  try {
    if (await converse(vector.scenario, host.emit, run)) run.run_outcome = 'completed';
    const summary = { reason: run.run_outcome === 'completed' ? 'completed' : 'error' };
    await host.emit('agent_shutdown', { summary, target: summary });
  } finally {
    await host.close();
  }
  return run;
};

/** The member of a context or a record at a dotted path such as `response.tool_calls[0].name`. */
export const memberAt = (value, path) =>
  path.split(/[.[\]]+/).reduce((at, key) => (key === '' ? at : (at ?? undefined)?.[key]), value);

const matches = (value, expected = {}) =>
  Object.entries(expected).every(([path, member]) => isDeepStrictEqual(memberAt(value, path), member));

const { createHooks, defineEvent } = await loadSource("export { createHooks, defineEvent } from './src/index.ts';");

/** Tool calls are BeforeTool and AfterTool; no event of ours has a denial that means the same at the other points. */
const points = ['agent_startup', 'input', 'pre_model_call', 'post_model_call', 'output', 'agent_shutdown'];
const eventAt = (at) => defineEvent({ name: `AgentHooks_${at}`, when: `at ${at}`, denied: 'the agent does not go on' });
const ownEvents = Object.fromEntries(points.map((at) => [at, eventAt(at)]));
const eventNames = ['BeforeTool', 'AfterTool', ...Object.values(ownEvents).map(({ name }) => name)];

/** Whether the agent came to its answer. */
const converse = async ({ input, tools, model_script: script }, emit, run) => {
  const isRefused = async (...emission) => (await emit(...emission)).isRefused;
  const registered = { tools_registered: tools.map(({ name }) => name) };
  if (await isRefused('agent_startup', { agent_init: registered, target: registered })) return false;
  if (await isRefused('input', { input, target: input })) return false;
  const messages = [input];
  for (const { respond: response } of script) {
    if (await isRefused('pre_model_call', { messages, target: messages })) return false;
    if (await isRefused('post_model_call', { response, target: response })) return false;
    for (const call of response.tool_calls) messages.push(await useTool(call, tools, emit, run));
    if (response.tool_calls.length > 0) continue;
    const output = { content: response.content };
    if (await isRefused('output', { output, target: output })) return false;
    run.final_output = response.content;
    return true;
  }
  return false;
};

/** What the model reads about a call: the result, or why there is none. */
const useTool = async (call, tools, emit, run) => {
  const before = await emit('pre_tool_call', { tool_call: call, target: call.args });
  if (before.isRefused) return { role: 'tool', content: before.reason };
  const called = { ...call, args: before.args };
  run.tool_invocations.push({ name: call.name, args: called.args });
  const { behavior } = tools.find(({ name }) => name === call.name);
  const { return: value, is_error = false } = behavior.find(({ when_args: args }) => matches(called.args, args));
  const after = await emit('post_tool_call', { tool_call: called, tool_result: { value, is_error }, target: value });
  return { role: 'tool', content: after.isRefused ? after.reason : value };
};

const hostFor = async (vector, run) => {
  const { mode, composition, identity_provider, approval_script: approvals } = vector;
  const [order, rule] = composition.profile.split('/');
  const digest = (context) => `sha256:${createHash('sha256').update(canonical(context)).digest('hex')}`;
  // `undefined` where the provider fails; vectors name no other one that works.
  const identity = (context) => (identity_provider === 'jcs-sha256' ? digest(context) : identity_provider && undefined);
  let emission;

  const intercept = (rules, index) => (input) => {
    const { verdicts } = emission;
    // hookwright shows a guard the arguments that others changed; an interceptor of a parallel profile judges once.
    if (emission.isOver || (order === 'parallel' && verdicts[index])) return undefined;
    // In a sequence the engine passes on the arguments with the changes of the hooks before.
    const context = withArgs(input.context, input.tool_input);
    if (index === 0 && verdicts.length === 0) run.interceptions.push(structuredClone(context));
    try {
      verdicts[index] = verdictOf(rules, context);
      const { decision, approval } = verdicts[index];
      emission.isOver =
        rule === 'first_deny' && decision === 'deny' && !(approval && composition.on_approval === 'resume');
      return answerFor(verdicts[index], context);
    } catch (error) {
      verdicts[index] = hostDenial(error.code ?? 'interceptor_failed');
      emission.isOver = rule === 'first_deny' || (rule === 'run_all' && error.code === 'transform_invalid');
      // The engine takes what is thrown as a fault of this hook, whose `onFault` denies.
      throw error;
    }
  };

  const consult = (toolInput) => {
    const request = structuredClone(withArgs(emission.context, toolInput));
    for (const path of vector.redact_for_approval ?? []) put(request.target, path, '[redacted]');
    const { resolve } = approvals.find(({ match }) => matches(request, match)) ?? { resolve: {} };
    if (resolve.fault !== undefined) return { reason: 'host_error:approval_resolver_failed' };
    const echoed = resolve.echo_recomputed ? undefined : resolve.identity_override;
    if ((echoed ?? identity(request)) !== identity(request)) return { reason: 'host_error:approval_identity_mismatch' };
    if (resolve.outcome !== 'approve') return { reason: resolve.verdict?.reason };
    return resolve.verdict.decision === 'allow' ? { by: 'approval' } : { reason: 'host_error:verdict_invalid' };
  };
  const confirm = ({ toolInput }) => {
    emission.consulted = { by: 'rejection', ...consult(toolInput) };
    return emission.consulted.by === 'approval';
  };

  const scripts = vector.interceptor_scripts ?? [vector.interceptor_script];
  const list = scripts.map((rules, index) => {
    return { type: 'runtime', name: `interceptor-${index}`, action: intercept(rules, index), onFault: 'deny' };
  });
  const hooks = await createHooks({
    load: false,
    warnings: false,
    events: Object.values(ownEvents),
    hooks: Object.fromEntries(eventNames.map((name) => [name, [{ sequential: order === 'sequential', hooks: list }]])),
    mode: mode === 'enforce' ? 'enforce' : 'observe',
    onConflict: order === 'sequential' ? 'last' : 'deny',
    deps: approvals.length === 0 ? {} : { confirm },
  });

  const fire = (point, context) => {
    const { tool_call: call, tool_result: result } = context;
    if (call === undefined) return hooks.fire(ownEvents[point], { context });
    const one = { tool: call.name, input: call.args, more: { context } };
    if (result === undefined) return hooks.beforeTool(one);
    return hooks.afterTool({ ...one, output: JSON.stringify(result.value) });
  };

  /** One emission of the standard: whether the action goes on, with which arguments, and why not. */
  const emit = async (interception_point, members) => {
    const head = { interception_point, timestamp: new Date().toISOString(), sequence: run.records.length };
    const context = structuredClone({ spec: 'agent-hooks/0.1', ...ids, ...head, ...members });
    emission = { context, verdicts: [] };
    const bound = identity(context);
    const record = { ...head, mode, composition, identity_provider, decided_by: null };
    run.records.push(Object.assign(record, { input_identity: bound ?? null, enforced_identity: bound ?? null }));
    const args = members.tool_call?.args;
    const missing = bound === undefined ? 'context_invalid' : list.length === 0 ? 'no_interceptor' : undefined;
    if (missing !== undefined) {
      record.verdict = hostDenial(missing);
      return { isRefused: mode === 'enforce', reason: record.verdict.reason, args };
    }
    const fired = await fire(interception_point, context);
    const { input = args } = fired;
    const isRefused = fired.verdict !== 'none' && fired.verdict !== 'allow';
    const isChanged = !isRefused && !isDeepStrictEqual(input, args);
    if (isChanged) record.enforced_identity = identity(withArgs(context, input));
    const isDenied = isRefused || (mode !== 'enforce' && emission.verdicts.some(({ decision }) => decision === 'deny'));
    Object.assign(record, told(emission, isDenied ? 'deny' : isChanged ? 'transform' : 'allow', fired.reason));
    record.fold_truncated = emission.verdicts.length < list.length;
    return { isRefused, reason: record.verdict.reason, args: input };
  };
  return { emit, close: () => hooks.close() };
};

const ids = { agent: { id: 'agent', framework: 'hookwright' }, session: { id: 'session' } };

const withArgs = (context, args) => {
  const isCall = context.interception_point === 'pre_tool_call';
  return isCall ? { ...context, tool_call: { ...context.tool_call, args }, target: args } : context;
};

/** What a record tells of the verdicts; no value that a transform sets. */
const told = ({ verdicts, consulted }, decision, engineReason) => {
  const plain = verdicts.findIndex((one) => one.decision === 'deny' && one.approval === undefined);
  const denied = plain === -1 ? verdicts.findIndex((one) => one.decision === 'deny') : plain;
  // A denial that was lifted decided, too.
  const isDenied = denied !== -1 && decision !== 'transform';
  const decider = isDenied ? denied : verdicts.findLastIndex((one) => one.decision === decision);
  // Without an interceptor that denied, the engine did: two of them change one argument to different values.
  const own = decision === 'deny' && decider === -1 ? hostDenial('transform_conflict') : verdicts[decider];
  const isOwn = decision !== 'deny' || own.reason?.startsWith('host_error:');
  const reason = consulted?.reason ?? (isOwn ? own?.reason : (engineReason ?? own.reason));
  const all = (key) => verdicts.flatMap((one) => one[key] ?? []);
  const unions = { warnings: all('warnings'), result_labels: all('result_labels') };
  const withoutValue = ({ transform, ...verdict }) =>
    transform === undefined ? verdict : { ...verdict, transform: { path: transform.path } };
  return {
    verdict: withoutValue({ ...own, decision, reason, ...unions }),
    verdicts: verdicts.map(withoutValue),
    decided_by: decider === -1 ? null : decider,
    ...(consulted === undefined ? {} : { resolved_by: consulted.by }),
  };
};

const hostDenial = (code) => ({ decision: 'deny', reason: `host_error:${code}` });

/** A failure that the standard has a reserved reason for. */
const hostError = (code) => Object.assign(new Error(`host_error:${code}`), { code });

const verdictOf = (rules, context) => {
  const rule = rules.find(({ at, match }) => at === context.interception_point && matches(context, match));
  if (rule?.fault === 'raise') throw new Error('the script of this interceptor raises');
  if (rule?.fault === 'mutate') {
    for (const key of Object.keys(context.target)) Reflect.set(context.target, key, 'mutated');
    return { decision: 'allow', reason: 'ctk:mutated' };
  }
  const verdict = rule?.return ?? { decision: rule === undefined ? 'allow' : 'transform' };
  const isWhole = verdict.decision !== 'transform' || verdict.transform !== undefined;
  if (!isWhole || canonical(verdict.evidence ?? null).length > MAX_EVIDENCE) throw hostError('verdict_invalid');
  return verdict;
};
const MAX_EVIDENCE = 10_240;

/** A verdict of the standard as an answer of a hook: a denial that a resolver may lift is an `ask`. */
const answerFor = ({ decision, reason, approval, transform }, { interception_point: point, target }) => {
  if (decision !== 'transform') return { decision: approval === undefined ? decision : 'ask', reason };
  if (point !== 'pre_tool_call') throw hostError('transform_target_forbidden');
  const changed = structuredClone(target);
  put(changed, transform.path, transform.value);
  return { decision: 'allow', reason, hookSpecificOutput: { tool_input: changed } };
};

/** Sets a member of the target; `$policy_target` is an older name of it. */
const put = (target, path, value) => {
  const [, keys, last] = /^\$(?:policy_)?target\.(?:(.*)\.)?([^.]+)$/.exec(path) ?? [];
  const holder = last === undefined ? undefined : memberAt(target, keys ?? '');
  if (typeof holder !== 'object' || holder === null) throw hostError('transform_invalid');
  holder[last] = value;
};

/** Canonical JSON (RFC 8785): JavaScript already writes numbers and texts in its form. */
const canonical = (value) => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.keys(value).filter((key) => value[key] !== undefined);
  return `{${members
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
    .join(',')}}`;
};

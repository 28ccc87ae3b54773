// Plays the conformance vectors of the agent-hooks standard (responsibleai/agent-hooks) through hookwright.
//   node scripts/agent-hooks-vectors.mjs <folder>
// One line for each vector and a total; it exits with 1 if a vector that is mapped fails or a file cannot be read.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { memberAt, playVector } from './agent-hooks-host.mjs';

const any = (keys) => Object.fromEntries(keys.split(' ').map((key) => [key, z.unknown().optional()]));
const at = (keys) => z.array(z.strictObject({ interception_point: z.string(), ...any(keys) })).default([]);
const texts = z.array(z.string()).default([]);
const objects = z.array(z.looseObject({})).default([]);
const firstDeny = { profile: 'sequential/first_deny', on_approval: 'stop' };
/** Strict where a key that is not read would be an expectation that is not checked. */
const vectorSchema = z.strictObject({
  ...any('id title spec_clause part redact_for_approval'),
  mode: z.enum(['enforce', 'evaluate_only']).default('enforce'),
  capabilities: texts,
  scenario: z.looseObject({ tools: objects, model_script: objects }),
  interceptor_script: objects,
  interceptor_scripts: z.array(objects).optional(),
  composition: z.looseObject({ profile: z.string(), on_approval: z.string().default('stop') }).default(firstDeny),
  identity_provider: z.string().nullable().default('jcs-sha256'),
  approval_script: objects,
  expect: z.strictObject({
    ...any('tool_invocations final_output run_outcome released_output persisted_must_not_contain'),
    ...any('identities_equal run_outcome_by_posture'),
    sequence_strict: z.boolean().default(true),
    interceptions_absent: texts,
    tool_not_invoked: texts,
    interceptions: at('context context_must_contain context_must_not_contain'),
    records: at('assert absent present'),
  }),
});

/** What the standard has and hookwright has not, in words; a vector about it is not mapped. */
const notMapped = {
  'integers beyond 2^53 are rounded when JSON is read in JavaScript': (one) => /int64|bigint/.test(one.capabilities),
  'AfterModel fires once, with the complete answer, not for each part of a stream': (one) =>
    one.capabilities.includes('incremental_output'),
  'no profile wants hooks to be unanimous: the strictest verdict counts': ({ composition }) =>
    composition.profile === 'parallel/unanimous',
  'rewrites that contradict each other deny, or the last one wins; no person is asked': ({ composition }) =>
    composition.on_transform_conflict === 'approval',
  'a person answers a question with yes or no, and rewrites nothing': ({ approval_script: rules }) =>
    rules.some(({ resolve }) => resolve.verdict?.decision === 'transform'),
  'all hooks that ask about a call are one question': ({ composition, interceptor_scripts: scripts = [] }) =>
    composition.on_approval === 'resume' && scripts.flat().filter((rule) => rule.return?.approval).length > 1,
};

/** Each expectation that does not hold, with what happened instead. */
const mistakesIn = ({ expect }, run) => {
  const wrong = [];
  const same = (what, expected, got) => {
    if (isDeepStrictEqual(got, expected)) return;
    wrong.push(`${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got) ?? 'nothing'}`);
  };
  const members = (what, expected = {}, got) => {
    for (const [path, value] of Object.entries(expected)) same(`${what}.${path}`, value, memberAt(got, path));
  };
  /** Pairs what is expected with what happened, by interception point and in order. */
  const inOrder = (what, expected, happened, check) => {
    let from = 0;
    for (const one of expected) {
      const found = happened.slice(from).findIndex((other) => other.interception_point === one.interception_point);
      if (found === -1) wrong.push(`${what} ${one.interception_point}: expected after ${from} others, got nothing`);
      else check(`${what} ${one.interception_point}`, one, happened[from + found]);
      from += found + 1;
    }
  };
  const pointsOf = (those) => those.map(({ interception_point: point }) => point);
  const order = pointsOf(run.interceptions);
  if (expect.sequence_strict) same('interceptions', pointsOf(expect.interceptions), order);
  inOrder('interception', expect.interceptions, run.interceptions, (point, one, got) => {
    members(point, one.context, got);
    const has = (part) => JSON.stringify(got).includes(part);
    for (const part of one.context_must_contain ?? []) same(`${point} contains ${part}`, true, has(part));
    for (const part of one.context_must_not_contain ?? []) same(`${point} contains ${part}`, false, has(part));
  });
  inOrder('record', expect.records, run.records, (point, one, got) => {
    members(point, one.assert, got);
    for (const path of one.absent ?? []) same(`${point}.${path}`, undefined, memberAt(got, path));
    for (const path of one.present ?? []) same(`${point} has ${path}`, true, memberAt(got, path) !== undefined);
  });
  for (const point of expect.interceptions_absent) same(`${point} is intercepted`, false, order.includes(point));
  const invoked = run.tool_invocations.map(({ name }) => name);
  for (const tool of expect.tool_not_invoked) same(`${tool} is invoked`, false, invoked.includes(tool));
  const areEqual = run.records.every((one) => one.input_identity === one.enforced_identity);
  const ended = { ...run, identities_equal: areEqual, run_outcome_by_posture: expect.run_outcome_by_posture };
  const { interceptions, records, sequence_strict, interceptions_absent, tool_not_invoked, ...others } = expect;
  members('run', others, ended);
  return wrong;
};

/** Plays one file: `passed`, `failed` or `not mapped`, with the reasons. */
const playFile = async (file) => {
  const read = vectorSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (!read.success) return ['failed', z.prettifyError(read.error).split('\n')];
  const foreign = Object.keys(notMapped).find((reason) => notMapped[reason](read.data));
  if (foreign !== undefined) return ['not mapped', [foreign]];
  const wrong = mistakesIn(read.data, await playVector(read.data));
  return [wrong.length === 0 ? 'passed' : 'failed', wrong];
};

const folder = process.argv[2];
const files = folder === undefined ? [] : readdirSync(folder).filter((name) => /^AH-CTK-.*\.json$/.test(name));
if (files.length === 0) {
  console.error('usage: node scripts/agent-hooks-vectors.mjs <folder of AH-CTK-*.json files>');
  process.exit(2);
}
const total = { passed: 0, failed: 0, 'not mapped': 0 };
for (const name of files.sort()) {
  const [result, reasons] = await playFile(join(folder, name)).catch((error) => ['failed', [String(error)]]);
  total[result] += 1;
  console.log([`${result.padEnd(10)} ${name.replace(/\.json$/, '')}`, ...reasons].join('\n           '));
}
console.log(
  `${files.length} vectors: ${total.passed} passed, ${total.failed} failed, ${total['not mapped']} not mapped`,
);
process.exitCode = total.failed > 0 ? 1 : 0;

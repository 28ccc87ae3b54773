// Outputs of hooks around a denial, and outputs of other programs without one, with what must come of each.
import type { SignalContext } from '../../../src/events/index.ts';
import { readWorkerLine } from '../../../src/runners/lanes/worker/reply.ts';
import { parseAbilityOutput, parseOutput } from '../../../src/runners/process-api.ts';
import type { Numbers } from './texts.ts';

const pick = <T>(next: Numbers, all: readonly [T, ...T[]]): T => all[next(all.length)] ?? all[0];

type Verdict = Record<string, unknown>;

const denials: readonly [Verdict, ...Verdict[]] = [
  { decision: 'deny', reason: 'no' },
  { decision: 'block' },
  { decision: 'ask', reason: 'sure?' },
  { reason: 'a "quoted" {brace} and [list]', decision: 'deny' },
  { continue: false, stopReason: 'over' },
  { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'no' } },
  { hookSpecificOutput: { permissionDecision: 'ask' } },
  { permissionDecision: 'deny' },
  { permission: 'deny', user_message: 'no' },
  { decision: 'deny', systemMessage: 'line one\nline two', suppressOutput: true },
];

const noises: readonly [string, ...string[]] = [
  ...([
    '',
    '',
    'checking',
    'checking… ',
    '[INFO] start [1/3',
    '[32mgreen[0m [31m',
    '\u001b[32mgreen\u001b[0m',
  ] as const),
  ...([
    '\u001b]0;a title\u0007',
    '\u001bPdcs\u001b\\',
    '{',
    '}',
    '{{',
    '[[[[',
    '"',
    'say "{" and',
    "it's {odd}",
  ] as const),
  ...([
    '{"a',
    '{"half":',
    '[1, 2]',
    '{"level":"info","msg":"x"}',
    '\\',
    '\\"',
    '(',
    '<b>',
    '\t',
    '{}',
    '[{',
    '``` json',
  ] as const),
];

const allow = '{"decision":"allow","reason":"fine"}';

const withKey = (value: Verdict, change: (key: string) => string): Verdict =>
  Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      change(key),
      typeof member === 'object' && member !== null ? withKey({ ...member }, change) : member,
    ]),
  );

const inCapitals = (text: string): string => text.toUpperCase();
const snake = (text: string): string => text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const words = (text: string, change: (word: string) => string): string => text.replace(/deny|block|ask|false/g, change);

/** Other letters and other separators in the keys and words of a denial. */
const spellings: readonly [(value: Verdict) => Verdict, ...((value: Verdict) => Verdict)[]] = [
  (value) => value,
  (value) => value,
  (value) => value,
  (value) => withKey(value, inCapitals),
  (value) => withKey(value, snake),
  (value) => withKey(value, (key) => key.charAt(0).toUpperCase() + key.slice(1)),
  (value) => withKey(value, (key) => snake(key).replaceAll('_', '-')),
];

const unquoted = (text: string): string => text.replace(/"(\w+)":/g, '$1:');
const python = (value: Verdict): string =>
  JSON.stringify(value)
    .replaceAll("'", '’')
    .replaceAll('\\"', '')
    .replaceAll('"', "'")
    .replace(/\bfalse\b/g, 'False')
    .replace(/\btrue\b/g, 'True');

/** A denial as text. The second kind are texts that are no JSON. */
const json: readonly [(value: Verdict) => string, ...((value: Verdict) => string)[]] = [
  (value) => JSON.stringify(value),
  (value) => JSON.stringify(value),
  (value) => JSON.stringify(value, null, 2),
  (value) => JSON.stringify(value, null, '\t').replaceAll('\n', '\r\n'),
  (value) => JSON.stringify(value).replace('{', `{${' '.repeat(80)}`),
  (value) =>
    JSON.stringify(value).replace(/[a-z](?=[a-z]+":)/, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
];
const almostJson: readonly [(value: Verdict) => string, ...((value: Verdict) => string)[]] = [
  python,
  (value) => unquoted(JSON.stringify(value)),
  (value) => JSON.stringify(value).replace(/\}$/, ',}'),
  (value) => JSON.stringify(value).replaceAll('":', '"='),
  (value) => JSON.stringify(value).replaceAll('"', '“'),
  (value) => words(JSON.stringify(value), (word) => (word === 'false' ? 'False' : word)),
  (value) => `${JSON.stringify(value).slice(0, -1)} // because`,
];

const around: readonly [(text: string) => string, ...((text: string) => string)[]] = [
  (text) => text,
  (text) => text,
  (text) => text,
  (text) => `[${text}]`,
  (text) => `[[1, ${text}]]`,
  (text) => `{"result":${text}}`,
  (text) => `{"a":{"b":[${text}]}}`,
  (text) => JSON.stringify(text),
  (text) => JSON.stringify(JSON.stringify(text)),
  (text) => `{"output":${JSON.stringify(text)}}`,
  (text) => `${text}\n${allow}`,
  (text) => `${allow}\n${text}`,
  (text) => `${text}${allow}`,
  (text) => `${allow} ${text}`,
  (text) => `{"decision":"allow","decision":"allow"}\n${text}`,
];

/** Cuts a text somewhere behind its first key. */
const cut = (text: string, next: Numbers): string => {
  const least = Math.max(text.indexOf('"') + 3, 4);
  return text.slice(0, least + next(Math.max(1, text.length - least)));
};

/** An output that has a denial in it, whole or not, as a program may print it. */
export const textWithDenial = (next: Numbers): string => {
  const value = pick(next, spellings)(pick(next, denials));
  const isJson = next(4) > 0;
  const written = isJson ? pick(next, json)(value) : pick(next, almostJson)(value);
  const isCut = isJson && next(6) === 0;
  const text = isCut ? cut(written, next) : isJson ? pick(next, around)(written) : written;
  const before = Array.from({ length: next(3) }, () => pick(next, noises) + pick(next, ['', ' ', '\n'])).join('');
  const behind = Array.from({ length: next(3) }, () => pick(next, ['', ' ', '\n']) + pick(next, noises)).join('');
  // What is cut off and then closed by chance is another answer, whole and without a verdict.
  const after = isCut ? behind.replaceAll('}', '') : behind;
  const whole = before + text + (isCut && after !== '' ? '\n' : '') + after;
  return next(40) === 0 ? Array.from(whole, (letter) => `${letter}\0`).join('') : whole;
};

const speaker: SignalContext = {
  eventType: 'PreAbilityCall',
  hookId: 'a',
  signals: { ability_guard: ['ABILITY_ALLOWED', 'ABILITY_DENIED'] },
};

/** An output around a denial is a denial, a question or a fault: never no opinion, and never an allow. */
export const expectNoLoss = (text: string): void => {
  const { code, output = {}, outputFormat } = parseOutput({ exitCode: 0, stdout: text, stderr: '' });
  const { decision } = outputFormat === 'json' ? output : {};
  const isAgainst = decision === 'deny' || decision === 'block' || decision === 'ask' || output.continue === false;
  if (!isAgainst && code === undefined) throw new Error('the denial was read as no opinion');
  if (!isAgainst && (decision === 'allow' || decision === 'approve'))
    throw new Error('the denial was read as an allow');
  const ability = parseAbilityOutput({ exitCode: 0, stdout: text, stderr: '' }, speaker);
  if (ability.code === undefined) throw new Error('a guard of abilities that said it was read as no opinion');
  if (/[\r\n]/.test(text)) return;
  const { answers, noise } = readWorkerLine(`{"id":1,"outputs":${JSON.stringify(text)}}`);
  if (noise !== undefined || answers.some(({ outputs }) => outputs.length > 0))
    throw new Error('a worker that wrote it was heard');
};

/** Source code, settings and prose about hooks; none of them an answer. */
const otherTexts: readonly [string, ...string[]] = [
  "import { readFileSync } from 'node:fs';",
  'export const read = ({ path, mode = 0o600 }: Options): string => {',
  '  if (mode === undefined || !names.includes(path)) return { ok: false, message: `no ${path}` };',
  'const table = { "x": y, [key]: { ...rest } };',
  'for (const [key, value] of Object.entries(map)) { if (!deny.has(key)) continue; }',
  'printf("{\\"level\\":\\"%s\\"}\\n", level);',
  'fn main() { let v: Vec<u8> = vec![1, 2]; match v { _ => {} } }',
  '#!/bin/sh\n[ -n "${A:-}" ] && { echo "{$A}"; exit 2; }',
  'jq \'.items[] | select(.state == "blocked") | {id, state}\' < list.json',
  '| `deny` | refuses; `{"decision": …}` is how a hook says so |',
  '- **Nothing** on stdout, or `{}`: no opinion. `permissionDecision` (deny, ask) is read, too.',
  'The hook denies {every} call: see "onFault" and [the page](hooks.md#what-comes).',
  '{% if user.blocked %}{{ user.name }} is blocked{% endif %}',
  'body { color: red; } /* allow: none */ a:hover { display: block }',
  '<script>window.__DATA__ = {"a": undefined}</script>',
  'error[E0308]: mismatched types { expected `u8`, found `{integer}` }',
  'diff --git a/x b/x\n@@ -1,2 +1,2 @@ {\n-  "a": 1,\n+  "a": 2,',
  "SELECT {fn NOW()} FROM t WHERE a = '[x' -- \"unclosed",
];

const otherJson: readonly [unknown, ...unknown[]] = [
  { level: 'info', msg: 'request allowed', status: 200, tags: ['a', 'b'] },
  { name: 'pkg', version: '1.0.0', scripts: { test: 'x' }, files: ['{a,b}.js'] },
  {
    total: 3,
    items: [
      { id: 1, state: 'blocked' },
      { id: 2, state: 'open', approved: false },
    ],
  },
  { user: { login: 'x', blocked: true }, permissions: { admin: false, push: true } },
  { file: 'a.sh', permission: '0755', mode: 'rw' },
  { type: 'result', result: 'All checks passed {ok}', is_error: false },
  [
    { ruleId: 'no-x', severity: 2, message: 'Unexpected {' },
    { ruleId: 'deny', severity: 1 },
  ],
  { a: { b: { c: [[], {}, [{}]] } }, 'decision tree': ['deny'], revision: 'deny' },
];

const otherLines: readonly [(next: Numbers) => string, ...((next: Numbers) => string)[]] = [
  (next) => `[2026-11-19T10:00:0${next(10)}Z] INFO {req-${next(99)}} GET /x [${next(9)}/3 took ${next(99)} ms`,
  (next) => `${pick(next, ['M ', 'A ', '??'])} src/{old => new}/f${next(99)}.ts | ${next(30)} ++--`,
  (next) => `commit ${next(99_999).toString(16)} (HEAD -> main, tag: v${next(9)}.0)`,
  (next) => JSON.stringify(pick(next, otherJson)),
  (next) => JSON.stringify(pick(next, otherJson), null, 2),
  (next) =>
    `${pick(next, ['checking', '\u001b[32mok\u001b[0m', '[31mred[0m'])} ${JSON.stringify(pick(next, otherJson))}`,
  (next) => `  ${pick(next, ['✓', '×'])} suite > case ${next(99)} { it.each([${next(9)}]) }`,
  () => 'A guard answers with a decision: deny, ask or allow. Set "onFault" to "deny" in {its entry}.',
  () => 'Error: EACCES: permission denied, open {path} [errno -13]',
  () => 'decision: deny\nreason: as YAML it is no answer',
  () => 'x = {"a", 1}; y = {"b": z}; if (blocked) { deny("x") }',
  (next) => pick(next, otherTexts),
  (next) => pick(next, otherTexts),
  (next) => pick(next, otherTexts),
];

/** An output of another program, of several lines. It does not begin with a brace: that would be an answer. */
export const textWithoutDenial = (next: Numbers): string => {
  const text = Array.from({ length: 1 + next(8) }, () => pick(next, otherLines)(next)).join('\n');
  return /^\s*[{["]/.test(text) ? `output:\n${text}` : text;
};

/** An output without a denial is none, and no fault either. */
export const expectNoDenial = (text: string): void => {
  const { code, output = {}, outputFormat, warnings = [] } = parseOutput({ exitCode: 0, stdout: text, stderr: '' });
  const { decision } = outputFormat === 'json' ? output : {};
  if (decision !== undefined || output.continue === false)
    throw new Error(`a verdict was read: ${JSON.stringify(output)}`);
  if (code !== undefined)
    throw new Error(`it was held for a broken answer: ${warnings.map(({ message }) => message).join()}`);
};

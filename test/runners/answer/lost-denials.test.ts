// Denials that were once read as no opinion or as an allow, each with what has to come of it, for the command lane.
import { describe, expect, test } from 'vitest';
import type { FaultCode, HookOutput } from '../../../src/index.ts';
import { parseOutput } from '../../../src/runners/process-api.ts';

const read = (stdout: string | Uint8Array): { decision?: unknown; continue?: unknown; code?: FaultCode } => {
  const { output = {}, code, outputFormat } = parseOutput({ exitCode: 0, stdout, stderr: '' });
  const { decision, continue: goesOn }: HookOutput = outputFormat === 'json' ? output : {};
  return {
    ...(decision === undefined ? {} : { decision }),
    ...(goesOn === undefined ? {} : { continue: goesOn }),
    ...(code === undefined ? {} : { code }),
  };
};

const deny = '{"decision":"deny","reason":"no"}';
const twice = JSON.stringify(deny);
const ESC = '\u001b';

describe('R1000 a whole denial counts', () => {
  test.each([
    ['behind colours whose escape character was lost', `[32mchecking[0m [31mrm -rf[0m [1m${deny}`],
    ['behind four unclosed brackets', `[ [ [ [ ${deny}`],
    ['behind a hundred thousand unclosed brackets in a text', `${'x[y '.repeat(100_000)}${deny}`],
    ['behind 64 blanks after its brace, and a line of text', `checking\n{${' '.repeat(64)}"decision":"deny"}`],
    ['in the middle of a line of text', `checking… ${deny} done`],
    ['with a C1 control code in its key', `{"\u009b31mdecision":"deny"}`],
    ['with a C1 control code in its word', `{"decision":"\u009b31mdeny\u009b0m"}`],
    ['inside a title for the terminal', `${ESC}]0;${deny}\u0007`],
    ['inside a device control string', `${ESC}P${deny}${ESC}\\`],
    ['inside an application command', `${ESC}_${deny}${ESC}\\`],
    ['in JSON that was encoded three times', JSON.stringify(twice)],
    ['behind a stray quotation mark', `say "hello to {" and\n${deny}`],
    ['behind a brace and a stray quotation mark', `{"a ${deny}`],
    ['in UTF-16 without its mark', Buffer.from(deny, 'utf16le')],
    ['in a list that does not end', `[${deny},`],
    ['behind a line that is cut off', `{"half":\n${deny}`],
  ])('%s', (_where, stdout) => expect(read(stdout)).toMatchObject({ decision: 'deny' }));
});

describe('R2033 beyond a limit the last object that begins a line still denies, and does not allow', () => {
  test.each([
    ['30,000 lists', '[1]'.repeat(30_000)],
    ['a list of 200,000 elements', `[${'1,'.repeat(200_000)}1]`],
    ['1,000 levels', '{"a":'.repeat(1_000)],
    ['200,000 objects that end in their first key', `x${'{"\n'.repeat(200_000)}`],
  ])('%s', (_what, noise) => {
    expect(read(`${noise}\n{\n  "decision": "deny"\n}\ndone`)).toEqual({ decision: 'deny', code: 'malformed-output' });
    expect(read(`${noise}\n{"decision":"allow"}`)).toEqual({ code: 'malformed-output' });
  });
});

describe('R1001 what may have been a denial is malformed-output, and never an allow', () => {
  test.each([
    ['in a list', `[${deny}]`],
    ['in a list beside an allow', `[${deny}]\n{"decision":"allow"}`],
    ['in single quotes', `{'decision': 'deny'}`],
    ['in single quotes behind a line of text', `checking\n{'decision': 'deny'}`],
    ['as Python prints a stop', `checking\n{'continue': False}`],
    ['without quotes behind a line of text', 'checking\n{decision: deny}'],
    ['in typographic quotes', 'checking {“decision”: “deny”}'],
    ['with another separator', 'checking {"decision"="deny"}'],
    ['with a comma too many', 'checking {"decision":"deny",}'],
    ['escaped once more behind a line of text', `checking\n${twice}`],
    ['escaped in the text of another document', `{"output":${twice}}`],
    ['below another key', `{"result":${deny}}`],
    ['with colours whose escape character was lost', '{"decision":[31m"deny"[0m}'],
    ['cut off behind a line of text', 'checking\n{"reason":"no","deci'],
    ['cut off within a line, with text behind it', 'checking {"reason":"no","deci\ndone'],
    ['without its beginning', 'checking decision":"deny"}'],
    ['given after an allow that is given twice', '{"decision":"allow","decision":"allow"}'],
    ['in other letters', '{"DECISION":"DENY"}'],
    ['as allowed: false', '{"allowed":false}'],
    ['as approved: false', '{"approved":false}'],
    ['in hook_specific_output', '{"hook_specific_output":{"permissionDecision":"deny"}}'],
    ['in a text where an object belongs', `{"hookSpecificOutput":${twice}}`],
    ['beside an allow in plain text', 'rule {decision: deny}\n{"decision":"allow"}'],
  ])('%s', (_where, stdout) => {
    expect(read(stdout)).toMatchObject({ code: 'malformed-output' });
    expect(read(stdout).decision).not.toBe('allow');
  });
});

test.each([
  '[{"status":"denied"}]',
  'checking\n[{"id":1},{"blocked":true}]',
  '[{"ok":false,"reason":"no"}]',
  '[[{"allowed":false}]]',
])('R1943 a refusal in an unknown form in a printed list is a fault: %s', (stdout) => {
  expect(read(stdout)).toEqual({ code: 'malformed-output' });
});

test.each([
  ['deny, then allow', '{"decision":"deny","decision":"allow"}', { decision: 'deny' }],
  ['allow, then deny', '{"decision":"allow","decision":"deny"}', { decision: 'deny' }],
  ['stop, then go on', '{"continue":false,"continue":true}', { continue: false }],
  ['spelled with an escape', '{"decision":"deny","\\u0064ecision":"allow"}', { decision: 'deny' }],
  [
    'one level down',
    '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecision":"allow"}}',
    { decision: 'deny' },
  ],
  ['around it', '{"hookSpecificOutput":{"permissionDecision":"deny"},"hookSpecificOutput":{}}', { decision: 'deny' }],
])('R1002 a key given twice, and the stricter value counts: %s', (_what, stdout, heard) => {
  expect(read(stdout)).toEqual({ ...heard, code: 'malformed-output' });
});

describe('R1003 the other way round, silence stays silence', () => {
  test.each([
    ['a log of 25,000 lines', '[12:00:01] {req} took 3 ms\n'.repeat(25_000)],
    ['a log in brackets', '[INFO] {req} took [3 ms] {'],
    ['a log line with JSON of others', '12:00 {"level":"info","msg":"allowed","status":200}'],
    ['JSON with a permission of its own', '{"file":"a.sh","permission":"0755"}'],
    ['JSON of a code host', '{"user":{"login":"x","blocked":true},"review":{"approved":false}}'],
    ['a list of others', '[{"id":1,"state":"blocked"},{"id":2,"state":"done"}]'],
    ['a line of git', 'M  src/a.ts {old => new}/b.ts | 3 +-'],
    ['source code', 'const a = { "x": y };\nif (a) { deny("x"); }\nconst b = {"a", 1};'],
    ['a word about permissions', 'Error: {EACCES} permission denied, open [x]'],
    ['prose about hooks', 'A hook answers with a "decision", "deny" or "allow", in {braces}.'],
    ['YAML', 'decision: deny\nreason: no'],
    ['an argument given twice', '{"hookSpecificOutput":{"tool_input":{"a":1,"a":2}}}'],
  ])('%s', (_what, stdout) => {
    expect(read(stdout)).not.toHaveProperty('code');
    expect(read(stdout)).not.toHaveProperty('decision');
  });
});

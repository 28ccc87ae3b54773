import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shorten } from '../../../src/kit/index.ts';
import { type ProcessEnd, parseEarly, parseOutput } from '../../../src/runners/answer/parse-output.ts';
import { wordsOf } from '../../support/notices.ts';

const parse = (end: Partial<ProcessEnd>) => parseOutput({ exitCode: 0, stdout: '', stderr: '', ...end });

const answer = (stdout: string | Uint8Array) => parse({ stdout });

const allow = { decision: 'allow' };

describe('exit 0', () => {
  test.each(['', ' \n\t', '\ufeff'])('an empty answer is none (%j)', (stdout) => {
    const parsed = answer(stdout);
    expect(parsed).toMatchObject({ success: true });
    for (const key of ['output', 'outputFormat', 'code', 'failure', 'warnings']) expect(parsed).not.toHaveProperty(key);
  });

  test('a JSON object is the answer', () => {
    expect(answer('{"decision":"deny","reason":"no"}\n')).toEqual({
      success: true,
      output: { decision: 'deny', reason: 'no' },
      outputFormat: 'json',
      stdout: '{"decision":"deny","reason":"no"}\n',
      stderr: '',
    });
  });

  test('standard error is kept and says nothing', () => {
    const parsed = parse({ stdout: '{}', stderr: '{"decision":"deny"}' });
    expect(parsed).toMatchObject({ success: true, output: {}, stderr: '{"decision":"deny"}' });
    expect(parse({ stderr: 'noise' })).not.toHaveProperty('output');
  });

  test.each([
    ['a byte order mark', '\ufeff{"decision":"allow"}'],
    ['Windows line ends', '{\r\n"decision":\r\n"allow"}\r\n'],
    ['JSON in a JSON string', JSON.stringify(' {"decision":"allow"}\n')],
  ])('F23 %s is read without a word', (_what, stdout) => {
    expect(answer(stdout)).toMatchObject({ success: true, output: allow, outputFormat: 'json' });
    expect(answer(stdout)).not.toHaveProperty('warnings');
  });

  test.each([
    ['UTF-16 LE', Buffer.from('\ufeff{"reason":"é😀"}', 'utf16le')],
    ['UTF-16 BE', Buffer.from('\ufeff{"reason":"é😀"}', 'utf16le').swap16()],
    ['UTF-8 with a mark', Buffer.from('\ufeff{"reason":"é😀"}', 'utf8')],
  ])('F23 %s is known by its mark', (_what, stdout) => {
    expect(answer(stdout)).toMatchObject({ output: { reason: 'é😀' }, outputFormat: 'json' });
  });

  test.each([
    ['text before', 'Loading profile…\n{"decision":"allow"}\n'],
    ['text on the same line', 'result: {"decision":"allow"} ok'],
    ['text after', '{"decision":"allow"}\ndone in 3 s\n'],
    ['braces in the text', 'warn {foo} (it\'s "odd)\n{"decision":"allow"}'],
    ['a log level in brackets', '[INFO] start [1/3\n{"decision":"allow"}\n[INFO] end'],
    ['an array beside it', '[{"level":"info"}]\n{"decision":"allow"}'],
    ['an ANSI prefix', '\u001b[?25l\u001b[1;32m{"decision":"allow"}\u001b[0m'],
    ['an unfinished title code', '\u001b]0;title {"decision":"allow"}'],
    ['colours within the JSON', '\u001b[1m{\u001b[34m"decision"\u001b[0m:\u001b[32m"allow"\u001b[0m}'],
    ['two documents', '{"suppressOutput":true}\n{"decision":"allow"}'],
    ['broken JSON in a text before', 'x {"a": nope}\n{"decision":"allow"}'],
  ])('F23 with %s the last whole document counts, with a warning', (_what, stdout) => {
    const parsed = answer(stdout);
    expect(parsed).toMatchObject({ success: true, output: allow, outputFormat: 'json' });
    expect(parsed.warnings?.length).toBeGreaterThan(0);
  });

  test.each([
    'hello',
    'null',
    '42',
    '"text"',
    '[{"decision":"approved"}]',
    '[1, 2]',
    'see {config} for more',
    'use { or [',
    '"{not json}"',
    '[[[[',
    'ends with a backslash \\',
  ])('F23 %s is text: a message and no opinion', (stdout) => {
    expect(answer(stdout)).toEqual({
      success: true,
      output: { decision: 'allow', systemMessage: stdout },
      outputFormat: 'text',
      stdout,
      stderr: '',
    });
  });

  test.each([
    ['does not parse', '{decision: "block"}'],
    ['does not parse, with text after', '{"a": tru}\nmore'],
    ['ends unfinished', '{"decision":"block","reason":"xxx'],
    ['ends unfinished after a whole member', '{"a":{"decision":"allow"},"reason":"x'],
    ['ends unfinished after text', 'Loading\n{"hookSpecificOutput":{"decision":"allow"},"rea'],
    ['is broken within, after text', 'Loading\n{"decision": block}'],
    ['has a line break in a string', '{"reason":"a\nb"}'],
    ['nests too deep', `${'{"a":'.repeat(101)}1${'}'.repeat(101)}`],
    ['nests too deep and is a string in a string', JSON.stringify(`${'{"a":'.repeat(101)}1${'}'.repeat(101)}`)],
    ['has thousands of fields', `{${Array.from({ length: 1_001 }, (_item, index) => `"key${index}":1`).join()}}`],
    [
      'has a thousand arguments',
      `{"hookSpecificOutput":{"tool_input":{${Array.from({ length: 1_000 }, (_item, index) => `"key${index}":1`).join()}}}}`,
    ],
    ['is too full', `{"a":[${Array.from({ length: 12_500 }, () => '{"b":1}').join()}]}`],
    ['is a string within a string that does not parse', JSON.stringify('{"a": nope}')],
  ])('F24 what starts like JSON and %s is malformed: a fault, a message, no verdict', (_what, stdout) => {
    const parsed = answer(stdout);
    expect(parsed).toMatchObject({ success: true, code: 'malformed-output', outputFormat: 'text' });
    expect(parsed.output).toEqual({ decision: 'allow', systemMessage: shorten(stdout.trim()) });
    expect(parsed).not.toHaveProperty('failure');
    expect(wordsOf(parsed.warnings)).toContain('malformed-output');
  });

  test('F24 a whole document before one that was cut off still counts, and the fault is told', () => {
    const parsed = answer('{"decision":"block","reason":"no"}\n{"decision":"allow","rea');
    expect(parsed).toMatchObject({
      success: true,
      code: 'malformed-output',
      output: { decision: 'block', reason: 'no' },
      outputFormat: 'json',
    });
  });

  test('thousands of members are fine, and so are brackets and colons within texts', () => {
    const messages = Array.from({ length: 8_000 }, () => ({ role: 'user', content: ':{[' }));
    const stdout = JSON.stringify({ hookSpecificOutput: { llm_request: { messages } } });
    expect(answer(stdout)).toMatchObject({ success: true, outputFormat: 'json' });
    expect(answer(stdout)).not.toHaveProperty('code');
  });

  test('a hundred levels are fine', () => {
    const stdout = `${'{"a":'.repeat(99)}{}${'}'.repeat(99)}`;
    expect(answer(stdout)).toMatchObject({ success: true, outputFormat: 'json' });
    expect(answer(stdout)).not.toHaveProperty('code');
  });

  test('brackets within strings nest nothing', () => {
    const stdout = JSON.stringify({ reason: '{['.repeat(500), systemMessage: 'a \\" {' });
    expect(answer(stdout)).toMatchObject({ output: { systemMessage: 'a \\" {' } });
    expect(answer(stdout)).not.toHaveProperty('warnings');
  });

  test('F25 a field of the wrong type is named and the rest is used', () => {
    const parsed = answer('{"decision":"deny","reason":7,"whatever":1}');
    expect(parsed).toMatchObject({ success: true, output: { decision: 'deny', whatever: 1 } });
    expect(parsed).not.toHaveProperty('code');
    expect(parsed.fieldProblems?.map(({ field, fate }) => [field, fate])).toEqual([
      ['reason', 'malformed'],
      ['whatever', 'unsupported'],
    ]);
  });

  test('a verdict of the wrong type is a fault of a healthy process', () => {
    const parsed = answer('{"decision":"denied","reason":"no"}');
    expect(parsed).toMatchObject({ success: true, code: 'malformed-output', output: { reason: 'no' } });
    expect(parsed.output).not.toHaveProperty('decision');
  });

  test('F25 a long text is cut with a mark', () => {
    const { output } = answer('x'.repeat(1_000_000));
    expect(output?.systemMessage).toMatch(/^x{65536}… \(934464 more characters\)$/);
    const malformed = answer(`{${'x'.repeat(1_000_000)}`);
    expect(malformed.output?.systemMessage?.length).toBeLessThan(2_100);
  });

  test('F22 bytes that are no UTF-8 are replaced, and said to be', () => {
    const parsed = answer(Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]));
    expect(parsed.output).toEqual({ a: '\ufffd' });
    expect(wordsOf(parsed.warnings)).toContain('invalid-encoding');
    expect(wordsOf(answer(Buffer.from('\ufeffab', 'utf16le').subarray(0, 5)).warnings)).toContain('UTF-16');
  });

  test('F28 keys that reach a prototype are dropped at any depth, however they are spelled', () => {
    const keys = '"__proto__":{"decision":"allow"},"constructor":{"x":1},"\\u005f_proto__":{"decision":"allow"}';
    const parsed = answer(`{${keys},"reason":"r","hookSpecificOutput":{${keys},"tool_input":{${keys},"a":1}}}`);
    expect(parsed.output).toEqual({ reason: 'r', hookSpecificOutput: { tool_input: { a: 1 } } });
    expect(parsed.fieldProblems?.length).toBeGreaterThan(0);
    expect(Reflect.get({}, 'decision')).toBeUndefined();
    expect(parsed.output?.decision).toBeUndefined();
  });
});

describe('several documents', () => {
  const said = (...documents: object[]) => parse({ stdout: documents.map((one) => JSON.stringify(one)).join('\n') });

  test.each<[string, object[], object]>([
    ['an empty one', [{ decision: 'deny', reason: 'no' }, {}], { decision: 'deny', reason: 'no' }],
    [
      'a line of a log',
      [{ decision: 'block', reason: 'no' }, { level: 'info' }],
      { decision: 'block', reason: 'no', level: 'info' },
    ],
    [
      'an allow with a reason of its own',
      [{ decision: 'deny' }, { decision: 'allow', reason: 'fine', systemMessage: 'm' }],
      { decision: 'deny', systemMessage: 'm' },
    ],
    ['a milder one before it', [{ decision: 'ask', reason: 'really?' }, { decision: 'deny' }], { decision: 'deny' }],
    [
      'another block: the last reason',
      [
        { decision: 'deny', reason: 'one' },
        { decision: 'block', reason: 'two' },
      ],
      { decision: 'block', reason: 'two' },
    ],
    [
      'one that goes on after a stop',
      [
        { continue: false, stopReason: 'over' },
        { continue: true, decision: 'allow' },
      ],
      { continue: false, stopReason: 'over', decision: 'allow' },
    ],
  ])('F23 P4 the strictest verdict counts beside %s', (_what, documents, output) => {
    expect(said(...documents)).toMatchObject({ success: true, outputFormat: 'json' });
    expect(said(...documents).output).toEqual(output);
    expect(said(...documents)).not.toHaveProperty('code');
  });

  test('F23 one that cannot be read is a fault, and takes nothing from the others', () => {
    const flood = Object.fromEntries(Array.from({ length: 1_100 }, (_, index) => [`key${index}`, index]));
    expect(said({ decision: 'deny', reason: 'no' }, flood)).toMatchObject({
      code: 'malformed-output',
      output: { decision: 'deny', reason: 'no' },
    });
  });

  test.each([
    [{ status: 'denied' }, 'status'],
    [{ ok: false }, 'ok'],
  ])('R1935 a refusal in an unknown form is a fault, also with a document after it: %j', (refusal, field) => {
    expect(said(refusal, {})).toMatchObject({
      code: 'malformed-output',
      fieldProblems: [{ field, fate: 'malformed' }],
    });
    expect(said(refusal, { decision: 'allow' })).toMatchObject({ code: 'malformed-output' });
    expect(said(refusal, { decision: 'allow' }).output).not.toHaveProperty('decision');
    expect(said({ status: 'done', ok: true }, {})).not.toHaveProperty('code');
  });
});

describe('exit 2 blocks', () => {
  const block = (end: Partial<ProcessEnd>) => parse({ exitCode: 2, ...end });

  test('F17 without a word it has the default reason', () => {
    expect(block({})).toEqual({
      success: false,
      output: { decision: 'block', reason: 'Hook exited with code 2 without an error message' },
      outputFormat: 'text',
      stdout: '',
      stderr: '',
    });
  });

  test.each([
    ['stderr', { stderr: ' no \n', stdout: 'maybe' }, 'no'],
    ['stdout where stderr is blank', { stderr: ' \n', stdout: 'maybe\n' }, 'maybe'],
    ['stderr where the JSON gives no reason', { stdout: '{"systemMessage":"m"}', stderr: 'no' }, 'no'],
    [
      'the default where the JSON gives no reason',
      { stdout: '{"reason":" "}' },
      'Hook exited with code 2 without an error message',
    ],
    ['the text of JSON that is not for us', { stderr: '{"error":"rm is forbidden"}' }, '{"error":"rm is forbidden"}'],
    ['JSON on stdout', { stdout: '{"reason":"json"}', stderr: 'no' }, 'json'],
    ['JSON on stderr', { stderr: '{"reason":"json"}', stdout: 'maybe' }, 'json'],
    ['stdout rather than JSON on both', { stderr: '{"reason":"err"}', stdout: '{"reason":"out"}' }, 'out'],
    ['text where the JSON is an array', { stdout: '[1]' }, '[1]'],
  ])('F17 its reason is %s', (_what, end, reason) => {
    const parsed = block(end);
    expect(parsed).toMatchObject({ success: false, output: { decision: 'block', reason } });
    for (const key of ['code', 'failure']) expect(parsed).not.toHaveProperty(key);
  });

  test.each([
    ['as it stands', { stdout: '{"decision":"allow"' }, '{"decision":"allow"'],
    ['unless stderr says why', { stdout: '{"a', stderr: 'no' }, 'no'],
  ])('F17 malformed JSON denies, and is the reason %s', (_how, end, reason) => {
    const parsed = block(end);
    expect(parsed).toMatchObject({ success: false, output: { decision: 'deny', reason } });
    for (const key of ['code', 'failure']) expect(parsed).not.toHaveProperty(key);
  });

  test.each(['allow', 'approve', 'ask'])('F17 JSON that says "%s" is overruled, with a warning', (decision) => {
    const parsed = block({ stdout: JSON.stringify({ decision, reason: 'r', systemMessage: 'm' }) });
    expect(parsed.output).toEqual({ decision: 'block', reason: 'r', systemMessage: 'm' });
    expect(wordsOf(parsed.warnings)).toContain('overruled');
  });

  test('F17 JSON with a verdict of the wrong type blocks without a fault', () => {
    const parsed = block({ stdout: '{"decision":7,"reason":["x"]}', stderr: 'no' });
    expect(parsed.output).toEqual({ decision: 'block', reason: 'no' });
    expect(parsed).not.toHaveProperty('code');
    expect(parsed.fieldProblems).toHaveLength(2);
  });

  test('JSON shapes the block: its own deny, message and context are kept', () => {
    const answer = {
      decision: 'deny',
      reason: 'r',
      systemMessage: 'm',
      hookSpecificOutput: { additionalContext: 'c' },
    };
    expect(block({ stdout: JSON.stringify(answer) })).toMatchObject({ output: answer, outputFormat: 'json' });
  });

  test.each([
    ['python', "python3: can't open file '/no/such.py': [Errno 2] No such file or directory"],
    ['dash', '/bin/sh: 0: cannot open /no/such.sh: No such file'],
    ['dash (a newer one)', 'dash: 0: cannot open /no/such.sh: No such file or directory'],
    ['a syntax error in bash', "bash: -c: line 1: syntax error near unexpected token `)'"],
    ['a syntax error in a script', './x.sh: line 3: syntax error: unexpected end of file'],
    ['a syntax error in dash', 'sh: 1: Syntax error: Unterminated quoted string'],
    ['grep', 'grep: /no/such: No such file or directory'],
    ['ls', "ls: cannot access '/no': No such file or directory"],
    ['jq', 'jq: error: Could not open x.json: No such file or directory'],
    ['node', "node:internal/modules/cjs/loader:1\n\nError: Cannot find module '/no/such.js'"],
    ['argparse', 'usage: x.py [-h] file\nx.py: error: the following arguments are required: file'],
  ])('F18 a complaint of %s makes the launch suspect; the block stands', (_who, stderr) => {
    const parsed = block({ stderr });
    expect(parsed).toMatchObject({ success: false, output: { decision: 'block', reason: stderr } });
    expect(wordsOf(parsed.warnings)).toContain('suspect-launch');
  });

  test.each(['rm is not allowed', 'grep found a secret in .env', 'do not open /etc/shadow: no such luck', ''])(
    'F18 a reason in words is not suspect (%j)',
    (stderr) => expect(block({ stderr })).not.toHaveProperty('warnings'),
  );

  test('whatever is printed', () => {
    const printed = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record({ decision: fc.constantFrom('allow', 'approve', 'ask', 1, null), continue: fc.boolean() })
        .map((value) => JSON.stringify(value)),
      fc.uint8Array(),
    );
    fc.assert(
      fc.property(printed, printed, (stdout, stderr) => {
        const parsed = block({ stdout, stderr });
        expect(parsed.success).toBe(false);
        expect(parsed).not.toHaveProperty('code');
        expect(['block', 'deny']).toContain(parsed.output?.decision);
        expect(parsed.output?.reason).toBeTruthy();
      }),
    );
  });
});

describe('other codes are failed runs', () => {
  test('stderr becomes a warning, an answer on stdout is set aside and named', () => {
    expect(parse({ exitCode: 1, stdout: '{"decision":"allow"}', stderr: 'boom\n' })).toEqual({
      success: false,
      code: 'exit-code',
      failure: 'exited with code 1',
      output: { decision: 'allow', systemMessage: 'Warning: boom' },
      outputFormat: 'text',
      stdout: '{"decision":"allow"}',
      stderr: 'boom\n',
      warnings: [
        {
          code: 'set-aside',
          message: 'its answer {"decision":"allow"} did not count, because the hook failed: exited with code 1',
        },
      ],
    });
  });

  const deny = '{"decision":"deny","reason":"no","systemMessage":"m"}';

  test.each<[string, Partial<ProcessEnd>, string]>([
    ['another exit code', { exitCode: 1 }, 'exit-code'],
    ['a shell that found no command', { exitCode: 127 }, 'spawn-failed'],
    ['a signal', { exitCode: null, signal: 'SIGSEGV' }, 'killed-by-signal'],
    ['the timeout', { exitCode: null, fault: { code: 'timeout', failure: 'no answer within 1 ms' } }, 'timeout'],
    ['a cancel', { exitCode: null, fault: { code: 'cancelled', failure: 'the request was cancelled' } }, 'cancelled'],
    [
      'a flood',
      { exitCode: null, fault: { code: 'output-too-large', failure: 'printed too much' } },
      'output-too-large',
    ],
  ])('P4 a block stands although %s followed it; what else it said is set aside', (_what, end, code) => {
    const parsed = parse({ stdout: `${deny}\n{"decision":"al`, ...end });
    expect(parsed).toMatchObject({
      success: false,
      code,
      output: { decision: 'deny', reason: 'no' },
      outputFormat: 'json',
    });
    expect(parsed.output).not.toHaveProperty('systemMessage');
    expect(wordsOf(parsed.warnings)).toContain('set-aside');
    const stopped = parse({ stdout: '{"continue":false,"stopReason":"over"}', ...end });
    expect(stopped).toMatchObject({ code, output: { continue: false, stopReason: 'over' }, outputFormat: 'json' });
  });

  test('half a block is none', () => {
    const parsed = parse({ exitCode: 1, stdout: '{"decision":"deny","reason":"no"' });
    expect(parsed).not.toHaveProperty('output');
    expect(parsed).not.toHaveProperty('warnings');
  });

  test('without stderr there is no output', () => {
    expect(parse({ exitCode: 3, stdout: 'x' })).not.toHaveProperty('output');
  });

  test.each([
    [126, 'spawn-failed', undefined],
    [127, 'spawn-failed', undefined],
    [128, 'exit-code', undefined],
    [129, 'killed-by-signal', 'SIGHUP'],
    [137, 'killed-by-signal', 'SIGKILL'],
    [143, 'killed-by-signal', 'SIGTERM'],
    [255, 'exit-code', undefined],
    [-1, 'exit-code', undefined],
    [3221225477, 'exit-code', undefined],
  ])('%d is %s', (exitCode, code, signal) => {
    const parsed = parse({ exitCode, stderr: 'why' });
    expect(parsed).toMatchObject({
      success: false,
      code,
      output: { decision: 'allow', systemMessage: 'Warning: why' },
    });
    expect(parsed.signal).toBe(signal);
    expect(parsed.failure).toContain(String(exitCode));
  });

  test('126 and 127 say which of the two it was', () => {
    expect(parse({ exitCode: 126 }).failure).toBe('exited with code 126: a command could not be executed');
    expect(parse({ exitCode: 127 }).failure).toBe('exited with code 127: a command was not found');
  });

  test.each([
    [{ exitCode: null, signal: 'SIGSEGV' }, 'SIGSEGV'],
    [{ exitCode: null }, undefined],
    [{ exitCode: 0, signal: 'SIGTERM' }, 'SIGTERM'],
  ])('F15 a signal is never a verdict, whatever was printed (%j)', (end, signal) => {
    const parsed = parse({ ...end, stdout: '{"decision":"allow"}', stderr: 'x' });
    expect(parsed).toMatchObject({ success: false, code: 'killed-by-signal' });
    expect(parsed.signal).toBe(signal);
    expect(parsed).not.toHaveProperty('output');
  });
});

test('reading ahead changes nothing, whatever comes after it and however the process ends', () => {
  const printed = fc
    .oneof(
      fc.constantFrom(
        '{"decision":"deny","reason":"é😀"}\n',
        '{"a":1}{"decision":"allow"}',
        '{"decision":"blo',
        'text',
        '',
      ),
      fc.string({ unit: 'binary' }),
      fc.json(),
    )
    .map((text) => Buffer.from(text));
  const ends = fc.constantFrom(
    { exitCode: 0 },
    { exitCode: 2 },
    { exitCode: 1 },
    { exitCode: null, signal: 'SIGTERM' },
  );
  fc.assert(
    fc.property(printed, fc.nat(100), ends, (stdout, pieceLength, how) => {
      const piece = stdout.subarray(0, pieceLength);
      const end = { ...how, stdout, stderr: '' };
      expect(parseOutput(end, parseEarly(piece))).toEqual(parseOutput(end));
    }),
  );
}, 60_000);

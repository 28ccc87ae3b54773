import { describe, expect, test } from 'vitest';
import { readCallPattern, suggestCondition, suggestMatcher } from '../../src/protocol/index.ts';

test.each([
  ['Bash, Write', 'write "matcher": "Bash|Write"'],
  ['Bash,Write,', 'write "matcher": "Bash|Write"'],
  ['Bash Write', 'write "matcher": "Bash|Write"'],
  ['Bash | Write; mcp__a-b__c', 'write "matcher": "Bash|Write|mcp__a-b__c"'],
  ['Bash(git push:*)', 'write "matcher": "Bash", and in the hook "if": "Bash(git push *)"'],
  ['Bash(*)', 'write "matcher": "Bash"'],
  ['\bBash\b', 'in JSON \\b is a control character: write "matcher": "\\\\bBash\\\\b"'],
])('R1633 %j is not what a matcher is, and the right line is offered', (matcher, line) => {
  expect(suggestMatcher(matcher)).toBe(line);
});

test.each([
  ['{Bash,Write}', 'write "matcher": "Bash|Write"'],
  ['{ Bash , Write }', 'write "matcher": "Bash|Write"'],
  ['"Bash"', 'write "matcher": "Bash"'],
  ["'Bash, Write'", 'write "matcher": "Bash|Write"'],
  ['/^Bash$/', 'write "matcher": "^Bash$"'],
  ['/mcp__.*/i', 'write "matcher": "mcp__.*"'],
])('R2027 %j is no expression here, and the right line is offered', (matcher, line) => {
  expect(suggestMatcher(matcher)).toBe(line);
});

test.each(['Bash', 'Bash|Write', '^(Bash|Write)$', 'mcp__.*', 'Bash(Output)?', 'a{1,2}', 'Bash()', '{1,2}', '/', ''])(
  'R1633 %j is a matcher as it is',
  (matcher) => {
    expect(suggestMatcher(matcher)).toBeUndefined();
  },
);

describe('R1780 an `if` that is code is no pattern', () => {
  test.each([
    ["tool_input.command.includes('rm -rf')", '"Bash(*rm -rf*)"'],
    ['tool_name("x")', '"Bash(*x*)"'],
    ['command.startsWith("git push")', '"Bash(*git push*)"'],
    ["tool_name == 'Bash'", '"Bash(*Bash*)"'],
  ])('R1780 %j, and the right line is offered', (text, line) => {
    expect(readCallPattern(text)).toBeUndefined();
    expect(suggestCondition(text)).toContain(line);
  });

  test.each(['Bash("my prog" *)', 'server.tool(x)', "Bash(git commit -m 'x')", 'tool_inputs', 'mcp__a.b__c'])(
    'R1780 %j is a pattern',
    (text) => {
      expect(readCallPattern(text)).toBeDefined();
    },
  );
});

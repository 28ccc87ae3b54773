import { expect, test } from 'vitest';
import { meantMatcher } from '../../src/protocol/index.ts';

test.each([
  ['Bash, Write', 'write "matcher": "Bash|Write"'],
  ['Bash,Write,', 'write "matcher": "Bash|Write"'],
  ['Bash Write', 'write "matcher": "Bash|Write"'],
  ['Bash | Write; mcp__a-b__c', 'write "matcher": "Bash|Write|mcp__a-b__c"'],
  ['Bash(git push:*)', 'write "matcher": "Bash", and in the hook "if": "Bash(git push *)"'],
  ['Bash(*)', 'write "matcher": "Bash"'],
])('R1633 %j is not what a matcher is, and the right line is offered', (matcher, line) => {
  expect(meantMatcher(matcher)).toBe(line);
});

test.each(['Bash', 'Bash|Write', '^(Bash|Write)$', 'mcp__.*', 'Bash(Output)?', 'a{1,2}', 'Bash()', ''])(
  'R1633 %j is a matcher as it is',
  (matcher) => {
    expect(meantMatcher(matcher)).toBeUndefined();
  },
);

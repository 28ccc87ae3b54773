import { describe, expect, test } from 'vitest';
import { explainMatcher } from '../../src/cli/arguments/read-matcher.ts';

describe('a matcher that is searched in the name of a tool', () => {
  test.each([
    ['bash', 'Bash', 'case matters here: write Bash'],
    ['Bassh', 'Bash', 'if Bash is meant, write Bash'],
    ['Read', 'Bash', undefined],
  ])('%s for %s', (matcher, toolName, fix) => {
    const reading = explainMatcher('BeforeTool', matcher, { toolName });
    expect(reading).toMatchObject({ matches: false, text: expect.stringContaining('in the name of the tool') });
    expect(reading.fix).toBe(fix);
  });
});

describe('a matcher that is compared with the whole word of an event', () => {
  test.each([
    ['start', 'startup', 'the whole value is compared: write startup'],
    ['STRTUP', 'startup', 'the whole value is compared: write startup'],
    ['start|clear', 'startup', 'the whole value is compared: write startup'],
    ['clear', 'startup', undefined],
  ])('%s for %s', (matcher, trigger, fix) => {
    const reading = explainMatcher('SessionStart', matcher, { trigger });
    expect(reading).toMatchObject({ matches: false, text: expect.stringContaining('ignoring case') });
    expect(reading.fix).toBe(fix);
  });

  test.each(['STARTUP', 'resume|Startup', 'start.*'])('%s for startup', (matcher) => {
    const reading = explainMatcher('SessionStart', matcher, { trigger: 'startup' });
    expect(reading).toMatchObject({
      matches: true,
      text: expect.stringContaining('the value of the event as a whole'),
    });
    expect(reading).not.toHaveProperty('fix');
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hookEventNames } from '../../src/events/index.ts';
import { findNearestName, formatSuggestion } from '../../src/kit/index.ts';

describe('the name somebody probably meant', () => {
  test.each([
    ['BeforeTol', 'BeforeTool'],
    ['beforetool', 'BeforeTool'],
    ['before_tool', 'BeforeTool'],
    ['before-tool-selection', 'BeforeToolSelection'],
    ['SesionStart', 'SessionStart'],
    ['Notifications', 'Notification'],
    ['AfterTol', 'AfterTool'],
  ])('%s is %s', (written, meant) => {
    expect(findNearestName(written, hookEventNames)).toBe(meant);
    expect(formatSuggestion(written, hookEventNames)).toBe(`; did you mean "${meant}"?`);
  });

  test('counts two letters that changed places as one mistake', () => {
    expect(findNearestName('lits', ['list', 'test'])).toBe('list');
    expect(findNearestName('evn', ['cwd', 'env', 'url'])).toBe('env');
  });

  test.each(['', 'PreToolUse', 'x', '__proto__', 'B'.repeat(65)])('is none for %j', (written) => {
    expect(findNearestName(written, hookEventNames)).toBeUndefined();
    expect(formatSuggestion(written, hookEventNames)).toBe('');
  });

  test('is none where nothing is known', () => {
    expect(findNearestName('anything', [])).toBeUndefined();
  });

  test('is always a known one, and a known name is nearest to itself', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), fc.constantFrom(...hookEventNames), (written, name) => {
        const near = findNearestName(written, hookEventNames);
        expect(near === undefined || hookEventNames.some((known) => known === near)).toBe(true);
        expect(findNearestName(name, hookEventNames)).toBe(name);
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hookEventNames } from '../../src/events/index.ts';
import { nearestName, suggestion } from '../../src/kit/index.ts';

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
    expect(nearestName(written, hookEventNames)).toBe(meant);
    expect(suggestion(written, hookEventNames)).toBe(`; did you mean "${meant}"?`);
  });

  test('counts two letters that changed places as one mistake', () => {
    expect(nearestName('lits', ['list', 'test'])).toBe('list');
    expect(nearestName('evn', ['cwd', 'env', 'url'])).toBe('env');
  });

  test.each(['', 'PreToolUse', 'x', '__proto__', 'B'.repeat(65)])('is none for %j', (written) => {
    expect(nearestName(written, hookEventNames)).toBeUndefined();
    expect(suggestion(written, hookEventNames)).toBe('');
  });

  test('is none where nothing is known', () => {
    expect(nearestName('anything', [])).toBeUndefined();
  });

  test('is always a known one, and a known name is nearest to itself', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), fc.constantFrom(...hookEventNames), (written, name) => {
        const near = nearestName(written, hookEventNames);
        expect(near === undefined || hookEventNames.some((known) => known === near)).toBe(true);
        expect(nearestName(name, hookEventNames)).toBe(name);
      }),
    );
  });
});

import { describe, expect, test } from 'vitest';
import { findByName, shortenHookName } from '../../src/protocol/index.ts';

describe('a hook that nobody named', () => {
  test.each([
    ['no-rm', 'no-rm'],
    ['a-name-that-is-longer-than-most-but-given', 'a-name-that-is-longer-than-most-but-given'],
    ['./missing-guard.sh --strict', './missing-guard.sh --strict'],
    ['"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh --strict', 'guard.sh'],
    ['python3 /opt/hooks/of/everybody/check_paths.py', 'check_paths.py'],
    ['jq -e \'.tool_input.command | test("push") | not\' >/dev/null', "jq -e '.tool_input.command | te…"],
  ])('%s is shown as %s', (name, shown) => expect(shortenHookName(name)).toBe(shown));

  test('is found by what is shown, unless two are shown alike', () => {
    const [one, two] = ['sh /a/very/long/way/to/the/script/guard.sh', 'sh /b/very/long/way/to/the/script/guard.sh'];
    const nameOf = (name: string) => name;
    expect(findByName('guard.sh', [one, 'other'], nameOf)).toEqual([one]);
    expect(findByName('guard.sh', [one, two], nameOf)).toEqual([]);
    expect(findByName('guard.sh', ['guard.sh', one], nameOf)).toEqual(['guard.sh']);
  });
});

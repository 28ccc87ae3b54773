import { expect, test } from 'vitest';
import { listCommands } from '../../src/planner/condition.ts';

/** What a shell line runs, as an `if` looks at it. */
test.each<[string, readonly string[]]>([
  ['git push', ['git push']],
  ['ls && git push | tee x', ['ls', 'git push', 'tee x']],
  ['if git push; then echo ok; fi', ['git push', 'echo ok', 'fi']],
  ['for x in a; do git push; done', ['for x in a', 'git push', 'done']],
  ['! time git push', ['git push']],
  ['{ git push; }', ['git push', '}']],
  ['(cd a; git push)', ['cd a', 'git push']],
  ['A=1 git push', ['git push']],
  ['A=$(date +%s) git push', ['date +%s', 'git push']],
  ['A="$(a "b c")" git push', ['a "b c"', 'git push']],
  ['A=`date +%s` git push', ['date +%s', 'git push']],
  ['echo $( (git push) )', ['git push', 'echo $()']],
  ['echo $((1 + 2))', ['1 + 2', 'echo $()']],
  ["echo 'git push; ('", ["echo 'git push; ('"]],
  ['echo \\( x', ['echo \\( x']],
])('%j runs %j', (line, commands) => {
  expect(listCommands(line)).toEqual(commands);
});

test.each([
  '(',
  ')',
  'git "push',
  "git 'push",
  'echo $(git',
  'echo `git',
  'case x in x) git push;; esac',
  '2>&1 git push',
  '>x git push',
])('of %j it cannot be told, so that its hook runs', (line) => {
  expect(listCommands(line)).toBeUndefined();
});

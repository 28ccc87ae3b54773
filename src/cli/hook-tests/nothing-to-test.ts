/** The outcome of `test` if no test ran, with an example of a first test. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type HookEventName, isHookEventName } from '../../events/index.ts';
import { isToolEvent } from '../arguments/events.ts';
import type { CommandOutcome } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import { formatCount } from '../rendering/problem-lines.ts';
import { shortenPath, shortenPathsInText } from '../rendering/short-path.ts';
import { createSpan, type Text } from '../rendering/text.ts';
import { formatNoHooks } from '../sources/read-configuration.ts';
import { findMisnamedTests } from './find-tests.ts';
import { toTestRunData } from './result-lines.ts';
import type { TestRun } from './run-tests.ts';
import type { HookTestFile } from './test-format.ts';

const createTestFor = (event: HookEventName, matcher: string): HookTestFile => {
  const tool_name = /^\w+/.exec(matcher)?.[0] ?? 'Bash';
  return { event, payload: isToolEvent(event) ? { tool_name, tool_input: {} } : {} };
};

const stringifyOnOneLine = (test: HookTestFile): string => JSON.stringify(test, null, 1).replace(/\n\s*/g, ' ');

const abilitiesText: Text = [
  'Tests of ability hooks are in .system/hook-tests. To see one, create a hook:',
  '  hookwright new <name> --event PreAbilityCall --matcher <ability>',
];

const formatMisnamedTests = (root: string, { cwd }: Context): Text =>
  findMisnamedTests(root)
    .slice(0, 3)
    .map(({ message }) => shortenPathsInText(message, cwd));

const createExample = ({ bench }: TestRun, context: Context): Text => {
  const { cwd } = context;
  const hook = bench.hooks.find(({ config }) => config !== undefined);
  const root = bench.config.getProjectDir();
  if (hook === undefined || !isHookEventName(hook.eventName)) {
    return existsSync(join(root, '.system', 'hooks')) ? abilitiesText : formatNoHooks(context, bench.problems);
  }
  const file = join(root, '.hookwright', 'tests', 'first.test.json');
  return [
    `Write one for ${hook.name} into ${shortenPath(file, cwd)}:`,
    `  ${stringifyOnOneLine(createTestFor(hook.eventName, hook.matcher ?? ''))}`,
    'and let hookwright test --update write the actual result into it.',
  ];
};

/** The exit code is 1, so that a pipeline without tests does not succeed. */
export const createNothingToTestOutcome = (run: TestRun, context: Context): CommandOutcome => {
  const { leftOut, bench } = run;
  return {
    findings: true,
    data: toTestRunData(run, []),
    problems: bench.problems,
    text: () =>
      leftOut > 0
        ? [[createSpan('yellow', `None of ${formatCount(leftOut, 'test')} matches the selection.`)]]
        : [
            [createSpan('yellow', 'There are no tests here.')],
            ...formatMisnamedTests(bench.config.getProjectDir(), context),
            ...createExample(run, context),
          ],
  };
};

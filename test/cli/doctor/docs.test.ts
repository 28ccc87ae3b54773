import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { checks } from '../../../src/cli/doctor/checks.ts';

const page = `# What doctor looks for

\`npx hookwright doctor\` checks every configured hook. It runs none of them, except guards with a
[canary](hooks.md#a-guard-that-proves-it-is-alive) or with a test that expects a denial: they get that one call. Each line that
\`install\` wrote for another agent also runs the canaries, in the environment of that agent. A finding says what is wrong, where, what
follows from it, and what to do. The exit code is 1 if a finding is worse than a note. Below the findings are the files that were read,
and the reasons why others were not. [Reasons and codes](reasons.md) explains the codes of rows and problems.

\`npx hookwright doctor --environment\` shows the variables that hooks will see, and which of them hooks of a project or an extension
do not get. It prints a value only if it cannot be private.

With \`--agent\`, or if only another agent has hooks here, \`doctor\` reads the hooks as that agent does, and names the failures of a
guard that block nothing there. \`npx hookwright doctor --all-agents\` shows what each hook of a repository means to each agent that
reads its file, and which hooks an agent runs twice. \`npx hookwright doctor --drift captured/\` compares recorded stdin (JSON files) with
the fields that are known for the agent that wrote it. Without files it uses the records of \`run --as-hook --record\`, which contain the
names of the fields and not their values.

This page is made from the table of checks in \`src/cli/doctor/checks.ts\`.

${checks.map(({ id, title, about }) => `## ${id}\n\nLooks for ${title}.\n\n${about}\n`).join('\n')}`;

test('docs/doctor.md has a section for each check (vitest -u writes it)', async () => {
  await expect(page).toMatchFileSnapshot(resolve('docs/doctor.md'));
});

test('each check has an id of its own', () => {
  const ids = checks.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

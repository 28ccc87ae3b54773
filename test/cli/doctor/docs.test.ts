import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { checks } from '../../../src/cli/doctor/checks.ts';

const page = `# What doctor looks for

\`hookwright doctor\` looks at every configured hook, and runs none but guards with a
[canary](hooks.md#a-guard-that-proves-it-is-alive) or a test that they must deny, with that call. Canaries are run by each installed line of another agent too, in its
environment. Each finding says what was found, where, what comes of it, and what to do. It ends with 1 when anything is worse than a note. Below the
findings it lists the files that were read, and of the others why they were not. What a code in a row or a problem means stands in
[Reasons and codes](reasons.md).

The environment hooks will see is shown by \`hookwright doctor --environment\`: which variables there are, which of them
hooks of a project or an extension do not get, and values only where they say nothing about anybody.

Where only another agent has hooks, or with \`--agent\`, it looks at them as that agent reads them, and says which endings
of a guard block nothing there. \`hookwright doctor --all-agents\` shows what each hook of a repository means to each agent that
reads its file, and which hooks an agent runs twice. \`hookwright doctor --drift captured/\` compares recorded stdin, a JSON file
each, with what is known of the agent that wrote it; without files it takes what \`run --as-hook --record\` kept, which is the
members of each input and nothing of what stood in them.

This page is made from the table of checks in \`src/cli/doctor/checks.ts\`.

${checks.map(({ id, title, about }) => `## ${id}\n\nLooks for ${title}.\n\n${about}\n`).join('\n')}`;

test('docs/doctor.md has a section for each check (vitest -u writes it)', async () => {
  await expect(page).toMatchFileSnapshot(resolve('docs/doctor.md'));
});

test('each check has an id of its own', () => {
  const ids = checks.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

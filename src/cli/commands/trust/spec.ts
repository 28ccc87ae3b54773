/** The command line of `trust`: arguments, flags, examples and exit codes. */
import { agentFlags } from '../../agents/agent-flags.ts';
import { hooksArgument } from '../../arguments/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';
import { reporterFlag } from '../../rendering/reporters.ts';
import { dryRunFlag } from '../../settings-edit/settings-files.ts';

export const trustSpec = defineSpec({
  name: 'trust',
  summary: 'review the hooks and abilities of a project and of extensions, and approve them',
  description: [
    'Hooks and abilities that others may have written run only after you approve them. On a terminal, you review each new or changed one, together with the scripts that its approval covers. A changed one is shown as a diff of its entry and scripts; v shows everything. An approval covers exactly the content shown. If a hook changes later, approve it again.',
    'In a pipeline, --check compares the hooks with .hookwright/trust.lock.json in the repository, which --lock writes. The lock file grants nothing.',
  ],
  arguments: [hooksArgument],
  flags: {
    ...reporterFlag,
    yes: { kind: 'switch', short: 'y', summary: 'approve without asking' },
    secrets: {
      kind: 'list',
      value: 'variable',
      summary: 'the secrets that the approved hooks may read, if they request them',
    },
    list: { kind: 'switch', summary: 'list all hooks with their state, without questions' },
    revoke: { kind: 'switch', summary: 'revoke the approval of the named hooks; with --yes and no names, of all' },
    lock: { kind: 'switch', summary: 'write the approvals into the lock file of the repository' },
    check: { kind: 'switch', summary: 'compare with the lock file; for pipelines' },
    ...dryRunFlag,
    ...agentFlags,
  },
  examples: {
    'hookwright trust': 'review new and changed hooks, and decide',
    'hookwright trust format --yes': 'approve the hook format as it is now',
    'hookwright trust --yes --lock': 'approve all, and write the lock file to commit',
    'hookwright trust --check': 'in a pipeline: fail when a hook differs from the lock file',
    'hookwright trust --revoke format': 'it no longer runs',
  },
  exit: {
    ok: 'nothing waits for approval, or the requested change was made',
    findings: 'a hook is not approved, or differs from the lock file',
  },
});

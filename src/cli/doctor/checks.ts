import type { Check } from './check.ts';
import { broad, matchers } from './checks/matchers.ts';
import { packageRunners, relativePaths, versionManagers } from './checks/programs.ts';
import { cannotRun, duplicate, launch, notSupported, untrusted } from './checks/rows.ts';
import { scriptFiles } from './checks/script-files.ts';
import { shadowed, timeouts } from './checks/settings.ts';
import { variables } from './checks/variables.ts';

/** Everything that is looked for, in the order of the documentation. To add one: its record in checks/, and a line here. */
export const checks: readonly Check[] = [
  cannotRun,
  untrusted,
  launch,
  notSupported,
  scriptFiles,
  matchers,
  broad,
  duplicate,
  shadowed,
  timeouts,
  variables,
  relativePaths,
  versionManagers,
  packageRunners,
];

/** Those that are about what is started, whoever starts it, and about entries that cannot be read. */
export const checksOfAgents: readonly Check[] = [
  cannotRun,
  launch,
  scriptFiles,
  relativePaths,
  versionManagers,
  packageRunners,
];

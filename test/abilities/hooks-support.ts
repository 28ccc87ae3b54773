import { onTestFinished } from 'vitest';
import type { AbilityHookSet } from '../../src/abilities/index.ts';
import { type LoadAbilityHooksOptions, loadAbilityHooks } from '../../src/abilities/index.ts';
import { repositoryWith } from './support.ts';

/** The files of a repository by their names in the hooks folder; what has a slash in its name goes elsewhere. */
export const hooksRepository = (files: Readonly<Record<string, string>>): string =>
  repositoryWith(
    Object.fromEntries(
      Object.entries(files).map(([name, text]) => [name.includes('/') ? name : `.system/hooks/${name}`, text]),
    ),
  );

export const load = async (directory: string, options: LoadAbilityHooksOptions = {}): Promise<AbilityHookSet> => {
  // Whatever the user of this machine approved plays no part.
  const hookSet = await loadAbilityHooks(directory, { home: directory, ...options });
  onTestFinished(() => hookSet.dispose());
  return hookSet;
};

/** Hooks of a repository that is trusted. */
export const loadTrusted = (
  files: Readonly<Record<string, string>>,
  options: LoadAbilityHooksOptions = {},
): Promise<AbilityHookSet> => load(hooksRepository(files), { trustedFolder: true, ...options });

export interface Declared {
  readonly id: string;
  readonly event?: string;
  readonly blocking?: boolean;
  readonly enabled?: boolean;
  /** Further lines of the declaration. */
  readonly more?: string;
  readonly command?: string;
  /** Further lines of the handler, indented. */
  readonly handler?: string;
}

/** A declaration as people write it. */
export const declaration = ({
  id,
  event = 'PreAbilityCall',
  blocking = true,
  enabled = true,
  ...rest
}: Declared): string => {
  const { more = '', command = 'true', handler = '' } = rest;
  return `id: ${id}
event_type: ${event}
enabled: ${enabled}
blocking: ${blocking}
${more}
handler:
  kind: script
  command: ${JSON.stringify(command)}
${handler}
`;
};

/** A command that prints an answer. */
export const answers = (answer: unknown): string => `cat > /dev/null; printf %s '${JSON.stringify(answer)}'`;

export const caller = { source: 'ai_session' } as const;

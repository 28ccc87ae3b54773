import { type HookConfig, originOf } from '../../protocol/index.ts';
import type { LoadedConfig } from '../../settings/index.ts';
import type { Altered } from '../settings-edit/alter-file.ts';
import { changeSettings } from '../settings-edit/change-settings.ts';
import { type Edited, type EditedObject, setMember } from '../settings-edit/edit-text.ts';
import { type ScopedFile, settingsFiles } from '../settings-edit/settings-files.ts';

/** A hook that is to be started ahead. */
export interface Proposal {
  readonly name: string;
  readonly hook: HookConfig;
}

const spotOf = ({ hook }: Proposal): (EditedObject & { readonly file: string }) | undefined => {
  const { position, written } = originOf(hook) ?? {};
  if (position === undefined || !('command' in hook)) return undefined;
  return { ...position, has: { command: written?.command ?? hook.command } };
};

/** The settings a hook stands in, if our commands may change them. */
export const homeOf = (proposal: Proposal, config: LoadedConfig): ScopedFile | undefined => {
  const spot = spotOf(proposal);
  return settingsFiles(config).find(({ path }) => path === spot?.file);
};

const setAll = (text: string, spots: readonly EditedObject[]): Edited => {
  // From the end of the file upwards: what is written leaves the places before it where they were.
  const upwards = [...spots].sort((a, b) => b.line - a.line || b.column - a.column);
  return upwards.reduce<Edited>((edited, spot) => (edited.ok ? setMember(edited.text, spot, 'warm', true) : edited), {
    ok: true,
    text,
  });
};

/** Writes `"warm": true`, one change for each file. */
export const applyWarm = async (
  proposals: readonly Proposal[],
  config: LoadedConfig,
  dryRun: boolean,
): Promise<Altered[]> => {
  const altered: Altered[] = [];
  for (const file of settingsFiles(config)) {
    const here = proposals.filter((proposal) => homeOf(proposal, config)?.path === file.path);
    if (here.length === 0) continue;
    const spots = here.flatMap((proposal) => spotOf(proposal) ?? []);
    const name = here.map((proposal) => proposal.name).join(', ');
    const edit = (text: string): Edited => setAll(text, spots);
    altered.push(await changeSettings(file, { home: config.getHome(), dryRun }, { verb: 'warm', name, edit }));
  }
  return altered;
};

import { join } from 'node:path';
import { describeThrown } from '../../../kit/index.ts';
import { homeDirectory } from '../../../kit/node.ts';
import { ConfigSource, withOrigin } from '../../../protocol/index.ts';
import type { HookRegistryDeps } from '../../../registry/index.ts';
import { createTrustCheck } from '../../../settings/index.ts';
import type { Ability } from '../ability.ts';
import { launchOfAbility } from '../ability-launch.ts';

export interface AbilityTrustOptions {
  /** Says of all abilities that they are trusted, or not. Without it, and without `trustCheck`, those are that the user approved. */
  readonly trustedFolder?: boolean | undefined;
  /** Asked about every ability, in the words of the question about hooks; its answer counts, whatever `trustedFolder` says. */
  readonly trustCheck?: HookRegistryDeps['trustCheck'];
  /** The home directory whose approvals count. Default: that of this user. */
  readonly home?: string | undefined;
}

type Decide = (ability: Ability, file: string) => Promise<boolean>;

/** Everything an AI is told of an ability, or that decides where it may be used, is part of what is approved. */
const toldOf = ({ summary, operations, environments, requires, input }: Ability): string =>
  JSON.stringify({ summary, operations, environments, requires, input });

const checkWith =
  (check: NonNullable<HookRegistryDeps['trustCheck']>, onTrouble: (message: string) => void): Decide =>
  async (ability, file) => {
    const { id } = ability;
    const source = ConfigSource.Project;
    const config = withOrigin(launchOfAbility(ability), { source, position: { file, line: 1, column: 1 } });
    const question = { hookId: `ability:${id}`, name: id, eventName: 'Ability', sequential: false, config };
    try {
      const verdict = await check({ ...question, source: { kind: source, file, line: 1 }, matcher: toldOf(ability) });
      return verdict === true || verdict === 'trusted';
    } catch (error) {
      onTrouble(`the trust check failed for ability "${id}", which stays untrusted: ${describeThrown(error)}`);
      return false;
    }
  };

/** Who decides whether what a file declares may be used. */
export const deciderFor = (
  root: string,
  { trustedFolder, trustCheck, home = homeDirectory() }: AbilityTrustOptions,
  onTrouble: (message: string) => void,
): Decide => {
  const decide =
    trustCheck !== undefined
      ? checkWith(trustCheck, onTrouble)
      : trustedFolder === undefined
        ? checkWith(createTrustCheck({ home, projectDir: root, onTrouble }), onTrouble)
        : async () => trustedFolder === true;
  return (ability, file) => decide(ability, join(root, file));
};

/** Required guards of the host, the user or the system: while one cannot run, tool calls are refused in its place. */
import { formatSuggestion } from '../kit/index.ts';
import {
  ConfigSource,
  type HostConfig,
  type LostGuard,
  orderedReasons,
  type RowSource,
  skipReasons,
} from '../protocol/index.ts';
import type { ConfiguredHook } from './configured-hook.ts';

/** The events at which a guard can refuse a call. */
const GATES: readonly string[] = ['BeforeTool', 'PermissionRequest'];

export interface RequiredGuardGap {
  readonly name: string;
  readonly why: string;
  /** The settings that require it. */
  readonly source?: RowSource | undefined;
}

/** The required names under which no hook can run, with the reasons. */
export const missingGuards = (
  names: readonly string[],
  hooks: readonly Pick<ConfiguredHook, 'name' | 'barriers' | 'hint'>[],
  config: Pick<HostConfig, 'getRequiredSource'> = {},
): readonly RequiredGuardGap[] =>
  names.flatMap((name) => {
    const own = hooks.filter((hook) => hook.name === name);
    if (own.some(({ barriers }) => barriers.length === 0)) return [];
    const [first] = own;
    const [reason] = orderedReasons(first?.barriers ?? []);
    const why =
      reason === undefined
        ? `no hook has this name${formatSuggestion(
            name,
            hooks.map((hook) => hook.name),
          )}`
        : (first?.hint ?? skipReasons[reason]);
    return [{ name, why, source: config.getRequiredSource?.(name) }];
  });

export const missingGuardText = ({ name, why }: RequiredGuardGap): string =>
  `Required guard ${JSON.stringify(name)} is missing: ${why}`;

/** One stand-in for each event that a guard can refuse; all of them deny, because the required guard is missing. */
export const standInGuards = (missing: RequiredGuardGap): LostGuard[] =>
  GATES.map((eventName) => ({
    name: missing.name,
    eventName,
    onFault: 'deny',
    source: missing.source ?? { kind: ConfigSource.Runtime },
    code: 'invalid-config',
    message: missingGuardText(missing),
  }));

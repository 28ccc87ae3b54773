/** Finds required guards that cannot run, and creates stand-ins that refuse tool calls in their place. */
import { formatSuggestion } from '../kit/index.ts';
import {
  ConfigSource,
  type HostConfig,
  type LostGuard,
  type RowSource,
  skipReasons,
  sortReasons,
} from '../protocol/index.ts';
import type { ConfiguredHook } from './configured-hook.ts';

const refusedEvents: readonly string[] = ['BeforeTool', 'PermissionRequest'];

export interface RequiredGuardGap {
  readonly name: string;
  readonly why: string;
  readonly source?: RowSource | undefined;
}

export const findMissingGuards = (
  names: readonly string[],
  hooks: readonly Pick<ConfiguredHook, 'name' | 'skipReasons' | 'hint'>[],
  config: Pick<HostConfig, 'getRequiredSource'> = {},
): readonly RequiredGuardGap[] =>
  names.flatMap((name) => {
    const own = hooks.filter((hook) => hook.name === name);
    if (own.some(({ skipReasons }) => skipReasons.length === 0)) return [];
    const [first] = own;
    const [reason] = sortReasons(first?.skipReasons ?? []);
    const why =
      reason === undefined
        ? `no hook has this name${formatSuggestion(
            name,
            hooks.map((hook) => hook.name),
          )}`
        : (first?.hint ?? skipReasons[reason]);
    return [{ name, why, source: config.getRequiredSource?.(name) }];
  });

export const formatMissingGuard = ({ name, why }: RequiredGuardGap): string =>
  `Required guard ${JSON.stringify(name)} is missing: ${why}`;

export const createStandIns = (missing: RequiredGuardGap): LostGuard[] =>
  refusedEvents.map((eventName) => ({
    name: missing.name,
    eventName,
    onFault: 'deny',
    source: missing.source ?? { kind: ConfigSource.Runtime },
    code: 'invalid-config',
    message: formatMissingGuard(missing),
  }));

// Checks hooks that a program registers in code, and converts them to configured hooks.
import { HookwrightError } from '../errors.ts';
import { firedEventNames, type HookEventName, isHookEventName } from '../events/index.ts';
import { describeValue, formatSuggestion } from '../kit/index.ts';
import {
  ConfigSource,
  canOthersChangeHook,
  configSources,
  getHookKey,
  type HookConfig,
  type HostConfig,
  readHookConfig,
  type SettingsFinding,
  withOrigin,
} from '../protocol/index.ts';
import type { ConfiguredHook } from './configured-hook.ts';
import type { HookIds } from './hook-id.ts';
import { findMatcherMistake } from './matcher-mistakes.ts';

export interface RegisterOptions {
  readonly matcher?: string | undefined;
  readonly sequential?: boolean | undefined;
  readonly source?: ConfigSource | undefined;
}

export interface Registration {
  readonly config: HookConfig;
  readonly eventName: HookEventName;
  readonly options: RegisterOptions;
}

const findOptionIssue = ({ matcher, sequential, source }: RegisterOptions): string | undefined => {
  const mismatch = (option: string, expected: string, found: unknown): string =>
    `registerHook: ${option} must be ${expected}, found ${describeValue(found)}`;
  if (matcher !== undefined && typeof matcher !== 'string') return mismatch('matcher', 'a string', matcher);
  if (sequential !== undefined && typeof sequential !== 'boolean') {
    return mismatch('sequential', 'true or false', sequential);
  }
  if (source !== undefined && !configSources.includes(source)) {
    return mismatch('source', `one of ${configSources.join(', ')}`, source);
  }
  return undefined;
};

export const createRegistration = (
  hook: HookConfig,
  eventName: HookEventName,
  options: RegisterOptions,
  types: readonly string[] | undefined,
  warn: (message: string) => void,
): Registration => {
  const findings: SettingsFinding[] = [];
  const config = readHookConfig(hook, 'hook', (finding) => findings.push(finding), { types });
  if (config === undefined) {
    throw new HookwrightError('invalid_config', findings.map((finding) => finding.message).join('; '));
  }
  if (!isHookEventName(eventName)) {
    const near = formatSuggestion(String(eventName), firedEventNames);
    throw new HookwrightError('unsupported_event', `"${String(eventName)}" is not an event${near}`);
  }
  const issue = findOptionIssue(options);
  if (issue !== undefined) throw new HookwrightError('invalid_config', issue);
  for (const { message } of findings) warn(message);
  const mistaken = findMatcherMistake(eventName, options.matcher ?? '', `hook ${getHookKey(config)}: matcher`, [
    config,
  ]);
  if (mistaken !== undefined) warn(`${mistaken.message}; ${mistaken.hint}`);
  withOrigin(config, { source: options.source ?? ConfigSource.Runtime });
  return { config, eventName, options };
};

export const toConfiguredHook = (
  { config, eventName, options }: Registration,
  ids: HookIds,
  host: Pick<HostConfig, 'isTrustedFolder'>,
): ConfiguredHook => {
  const source = options.source ?? ConfigSource.Runtime;
  return {
    hookId: ids.idFor({ source, eventName }, config, config),
    name: getHookKey(config),
    eventName,
    source: { kind: source },
    ...(options.matcher === undefined ? {} : { matcher: options.matcher }),
    sequential: options.sequential === true,
    config,
    // Code is trusted unless it names a project or an extension as its source and the host distrusts the folder.
    skipReasons: canOthersChangeHook(source, config) && host.isTrustedFolder?.() === false ? ['untrusted'] : [],
  };
};

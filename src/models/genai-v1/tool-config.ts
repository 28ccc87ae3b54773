/** Translates the tool choice of `@google/genai` to the hooks' format and back. */
import { isRecord } from '../../kit/index.ts';
import type { HookToolConfig } from '../../protocol/index.ts';
import { copyWithPrototype, hasKeys, isSameJson, isStringList } from '../json-values.ts';

/** A mode such as `VALIDATED` is unknown to hooks. It stays unless a hook sets another mode. */
const mapMode = (mode: unknown): HookToolConfig['mode'] =>
  mode === 'AUTO' || mode === 'ANY' || mode === 'NONE' ? mode : undefined;

const readMembers = (members: Record<string, unknown>): HookToolConfig => {
  const mode = mapMode(members.mode);
  const names = members.allowedFunctionNames;
  return {
    ...(mode !== undefined && { mode }),
    ...(isStringList(names) && { allowedFunctionNames: [...names] }),
  };
};

const isStableForm = (toolConfig: Record<string, unknown>): boolean =>
  toolConfig.functionCallingConfig === undefined &&
  (toolConfig.mode !== undefined || toolConfig.allowedFunctionNames !== undefined);

export const readGenaiToolConfig = (toolConfig: unknown): HookToolConfig => {
  if (!isRecord(toolConfig)) return {};
  if (isStableForm(toolConfig)) return readMembers(toolConfig);
  const { functionCallingConfig } = toolConfig;
  return isRecord(functionCallingConfig) ? readMembers(functionCallingConfig) : {};
};

export const createGenaiToolConfig = (hookToolConfig: unknown): { functionCallingConfig?: HookToolConfig } => {
  const members = readGenaiToolConfig(hookToolConfig);
  return hasKeys(members) ? { functionCallingConfig: members } : {};
};

/**
 * Returns `toolConfig` itself if nothing differs. Removes members that the hook left out, because the API refuses names
 * for some modes.
 */
export const applyHookToolConfig = <T extends object>(toolConfig: T, hookToolConfig: unknown): T => {
  const shown = readGenaiToolConfig(toolConfig);
  const wanted = readGenaiToolConfig(hookToolConfig);
  if (!isRecord(hookToolConfig) || isSameJson(shown, wanted)) return toolConfig;
  if (isRecord(toolConfig) && isStableForm(toolConfig)) return replaceMembers(toolConfig, shown, wanted);
  const inner = 'functionCallingConfig' in toolConfig ? toolConfig.functionCallingConfig : undefined;
  const functionCallingConfig = replaceMembers(isRecord(inner) ? inner : {}, shown, wanted);
  return Object.assign(copyWithPrototype(toolConfig), { functionCallingConfig });
};

const replaceMembers = <T extends object>(members: T, shown: HookToolConfig, wanted: HookToolConfig): T => {
  const result = Object.assign(copyWithPrototype(members), wanted);
  for (const key of Object.keys(shown)) if (!Object.hasOwn(wanted, key)) Reflect.deleteProperty(result, key);
  return result;
};

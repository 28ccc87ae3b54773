/** Translates the tool choice of `@google/genai` to the hooks' format and back. */
import { isRecord } from '../../kit/index.ts';
import type { HookToolConfig } from '../../protocol/index.ts';
import { copyWithPrototype, hasKeys, isSameJson } from '../json-values.ts';
import { readHookToolConfig } from '../request-form.ts';

const isHookToolConfigForm = (toolConfig: Record<string, unknown>): boolean =>
  toolConfig.functionCallingConfig === undefined &&
  (toolConfig.mode !== undefined || toolConfig.allowedFunctionNames !== undefined);

/** A mode that hooks do not know, such as `VALIDATED`, is not shown, and stays unless a hook sets a mode. */
export const readGenaiToolConfig = (toolConfig: unknown): HookToolConfig => {
  if (!isRecord(toolConfig)) return {};
  return readHookToolConfig(isHookToolConfigForm(toolConfig) ? toolConfig : toolConfig.functionCallingConfig);
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
  if (isRecord(toolConfig) && isHookToolConfigForm(toolConfig)) return replaceMembers(toolConfig, shown, wanted);
  const inner = 'functionCallingConfig' in toolConfig ? toolConfig.functionCallingConfig : undefined;
  const functionCallingConfig = replaceMembers(isRecord(inner) ? inner : {}, shown, wanted);
  return Object.assign(copyWithPrototype(toolConfig), { functionCallingConfig });
};

const replaceMembers = <T extends object>(members: T, shown: HookToolConfig, wanted: HookToolConfig): T => {
  const result = Object.assign(copyWithPrototype(members), wanted);
  for (const key of Object.keys(shown)) if (!Object.hasOwn(wanted, key)) Reflect.deleteProperty(result, key);
  return result;
};

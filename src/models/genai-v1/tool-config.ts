import { isRecord } from '../../kit/index.ts';
import type { HookToolConfig } from '../../protocol/index.ts';
import { copyOf, hasKeys, isStringList, sameJson } from '../json-tools.ts';

/**
 * Other modes, such as `VALIDATED`, have no word in the stable form: hooks see none, and the request keeps its own
 * unless a hook sets another.
 */
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

/** Reads either form; `{}` if there is nothing to read. */
export const readToolConfig = (toolConfig: unknown): HookToolConfig => {
  if (!isRecord(toolConfig)) return {};
  if (isStableForm(toolConfig)) return readMembers(toolConfig);
  const { functionCallingConfig } = toolConfig;
  return isRecord(functionCallingConfig) ? readMembers(functionCallingConfig) : {};
};

export const createToolConfig = (hookToolConfig: unknown): { functionCallingConfig?: HookToolConfig } => {
  const members = readToolConfig(hookToolConfig);
  return hasKeys(members) ? { functionCallingConfig: members } : {};
};

/**
 * The config with a hook's mode and names, or the same reference if nothing differs. A missing one is removed: names
 * beside a mode that takes none are an error to the API.
 */
export const withToolConfig = <T extends object>(toolConfig: T, hookToolConfig: unknown): T => {
  const shown = readToolConfig(toolConfig);
  const wanted = readToolConfig(hookToolConfig);
  if (!isRecord(hookToolConfig) || sameJson(shown, wanted)) return toolConfig;
  if (isRecord(toolConfig) && isStableForm(toolConfig)) return replaceMembers(toolConfig, shown, wanted);
  const inner = 'functionCallingConfig' in toolConfig ? toolConfig.functionCallingConfig : undefined;
  const functionCallingConfig = replaceMembers(isRecord(inner) ? inner : {}, shown, wanted);
  return Object.assign(copyOf(toolConfig), { functionCallingConfig });
};

const replaceMembers = <T extends object>(members: T, shown: HookToolConfig, wanted: HookToolConfig): T => {
  const result = Object.assign(copyOf(members), wanted);
  for (const key of Object.keys(shown)) if (!Object.hasOwn(wanted, key)) Reflect.deleteProperty(result, key);
  return result;
};

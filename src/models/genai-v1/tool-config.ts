import { isRecord } from '../../kit/index.ts';
import type { HookToolConfig } from '../../protocol/index.ts';
import { copyOf, hasKeys, isStringList, sameJson } from '../json-tools.ts';

/**
 * The modes hooks know. `VALIDATED` and whatever comes next have no word in the stable form: hooks are told no mode
 * rather than one that is not so, and the request keeps its own unless a hook sets another.
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

/** Reads either form; `{}` when there is nothing a hook could read. */
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
 * Mode and allowed names as a hook wants them, everything else as it was; the same reference when nothing differs. One
 * that is gone is removed: a list of names left beside a mode it does not belong to is an error to the API.
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

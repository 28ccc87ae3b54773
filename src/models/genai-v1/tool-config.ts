/** Translates the tool choice of `@google/genai`. */
import { isRecord } from '../../kit/index.ts';
import type { HookToolConfig } from '../../protocol/index.ts';
import { copyOf, hasKeys, isStringList, sameJson } from '../json-tools.ts';

/** Modes such as `VALIDATED` have no stable form: hooks see none, and the mode stays unless a hook sets one. */
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

/** Reads both forms; `{}` if nothing is readable. */
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

/** Returns `toolConfig` itself if nothing differs. Missing members go: the API refuses names for some modes. */
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

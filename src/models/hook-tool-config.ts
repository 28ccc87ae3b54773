/** Reads a choice of tools in the format that hooks see. */
import { isRecord } from '../kit/index.ts';
import type { HookToolConfig } from '../protocol/index.ts';
import { isStringList } from './json-values.ts';

export const readHookToolConfig = (config: unknown): HookToolConfig => {
  if (!isRecord(config)) return {};
  const { mode, allowedFunctionNames } = config;
  return {
    ...((mode === 'AUTO' || mode === 'ANY' || mode === 'NONE') && { mode }),
    ...(isStringList(allowedFunctionNames) && { allowedFunctionNames: [...allowedFunctionNames] }),
  };
};

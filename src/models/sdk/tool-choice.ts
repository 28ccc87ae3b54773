import { isRecord } from '../../kit/index.ts';
import type { HookToolConfig } from '../../protocol/index.ts';
import { hasKeys, isStringList, listOf, sameJson } from '../json-tools.ts';

type Members = Readonly<Record<string, unknown>>;

/** What an SDK says of the tools that its model may call. */
export interface ToolChoiceFacts {
  /** Under which a request says how tools may be called. */
  readonly key: string;
  readonly read: (choice: unknown) => HookToolConfig;
  /** The SDK's words for it; `holdsNames` is false where it has none for the names, so that the list of tools has to say it. */
  readonly create: (wanted: HookToolConfig) => { readonly choice: unknown; readonly holdsNames: boolean };
  readonly nameOf: (tool: Members) => unknown;
}

const modes = ['AUTO', 'ANY', 'NONE'] as const;

type Words = Readonly<Record<(typeof modes)[number], string>>;

/** What most SDKs call the ways in which tools may be called. */
export const words: Words = { AUTO: 'auto', ANY: 'required', NONE: 'none' };

export const modeOf = (word: unknown, of: Words = words): HookToolConfig['mode'] =>
  modes.find((mode) => of[mode] === word);

/** For SDKs in which a choice has a type, or names the one tool to be called. */
export const readTyped =
  (key: string, of?: Words): ToolChoiceFacts['read'] =>
  (choice) => {
    if (!isRecord(choice)) return {};
    const { type, [key]: name } = choice;
    const mode = modeOf(type, of);
    if (mode !== undefined) return { mode };
    return typeof name === 'string' ? { mode: 'ANY', allowedFunctionNames: [name] } : {};
  };

/** For SDKs in which a choice names one tool or none; several are said by leaving the other tools out. */
export const createForOne =
  (ofTool: (name: string) => unknown, ofMode: (mode: keyof Words) => unknown): ToolChoiceFacts['create'] =>
  ({ mode = 'AUTO', allowedFunctionNames: names = [] }) => {
    const [name] = names;
    return mode === 'ANY' && name !== undefined && names.length === 1
      ? { choice: ofTool(name), holdsNames: true }
      : { choice: ofMode(mode), holdsNames: false };
  };

export const isStableToolConfig = (members: Members): boolean =>
  (members.mode !== undefined || members.allowedFunctionNames !== undefined) && members.type === undefined;

/** What of a configuration in the stable form can be read. */
export const readStableToolConfig = (config: unknown): HookToolConfig => {
  if (!isRecord(config)) return {};
  const { mode, allowedFunctionNames } = config;
  return {
    ...((mode === 'AUTO' || mode === 'ANY' || mode === 'NONE') && { mode }),
    ...(isStringList(allowedFunctionNames) && { allowedFunctionNames: [...allowedFunctionNames] }),
  };
};

export const readToolChoice = (members: Members, { key, read }: ToolChoiceFacts): HookToolConfig => read(members[key]);

/** What to change in a request, or in the part of it that is about tools; empty when a hook changed nothing. */
export const changedTools = (
  members: Members,
  facts: ToolChoiceFacts,
  wantedConfig: unknown,
): Record<string, unknown> => {
  if (!isRecord(wantedConfig)) return {};
  const wanted = readStableToolConfig(wantedConfig);
  const shown = readToolChoice(members, facts);
  if (sameJson(wanted, shown)) return {};
  if (!hasKeys(wanted)) return { [facts.key]: undefined };
  const names = wanted.allowedFunctionNames;
  if (wanted.mode === 'NONE' || (names !== undefined && names.length === 0)) {
    return { [facts.key]: facts.create({ mode: 'NONE' }).choice };
  }
  const { choice, holdsNames } = facts.create(wanted);
  if (names === undefined || holdsNames) return { [facts.key]: choice };
  const tools = listOf(members.tools).filter(
    (tool) => isRecord(tool) && names.some((name) => name === facts.nameOf(tool)),
  );
  // An API that is given results of tools refuses a request that has none: they stay, and none may be called.
  if (tools.length === 0) return { [facts.key]: facts.create({ mode: 'NONE' }).choice };
  return { [facts.key]: choice, tools };
};

/** Translates the tool choice of an SDK, described by facts. */
import { isRecord } from '../../kit/index.ts';
import type { HookToolConfig } from '../../protocol/index.ts';
import { hasKeys, isStringList, listOrEmpty, sameJson } from '../json-tools.ts';

type Members = Readonly<Record<string, unknown>>;

export interface ToolChoiceFacts {
  /** The request member with the choice. */
  readonly key: string;
  readonly read: (choice: unknown) => HookToolConfig;
  /** `holdsNames` is false if the SDK's choice cannot carry names: then the list of tools is reduced to them. */
  readonly create: (wanted: HookToolConfig) => { readonly choice: unknown; readonly holdsNames: boolean };
  readonly nameOf: (tool: Members) => unknown;
}

const modes = ['AUTO', 'ANY', 'NONE'] as const;

type Words = Readonly<Record<(typeof modes)[number], string>>;

/** The mode names of most SDKs. */
export const toolChoiceWords: Words = { AUTO: 'auto', ANY: 'required', NONE: 'none' };

export const toolChoiceModeOf = (word: unknown, of: Words = toolChoiceWords): HookToolConfig['mode'] =>
  modes.find((mode) => of[mode] === word);

/** For SDKs in which a choice has a type or names one tool. */
export const readTyped =
  (key: string, of?: Words): ToolChoiceFacts['read'] =>
  (choice) => {
    if (!isRecord(choice)) return {};
    const { type, [key]: name } = choice;
    const mode = toolChoiceModeOf(type, of);
    if (mode !== undefined) return { mode };
    return typeof name === 'string' ? { mode: 'ANY', allowedFunctionNames: [name] } : {};
  };

/** For SDKs in which a choice names at most one tool; for several, other tools are removed from the request. */
export const createSingleToolChoice =
  (ofTool: (name: string) => unknown, ofMode: (mode: keyof Words) => unknown): ToolChoiceFacts['create'] =>
  ({ mode = 'AUTO', allowedFunctionNames: names = [] }) => {
    const [name] = names;
    return mode === 'ANY' && name !== undefined && names.length === 1
      ? { choice: ofTool(name), holdsNames: true }
      : { choice: ofMode(mode), holdsNames: false };
  };

export const isStableToolConfig = (members: Members): boolean =>
  (members.mode !== undefined || members.allowedFunctionNames !== undefined) && members.type === undefined;

export const readStableToolConfig = (config: unknown): HookToolConfig => {
  if (!isRecord(config)) return {};
  const { mode, allowedFunctionNames } = config;
  return {
    ...((mode === 'AUTO' || mode === 'ANY' || mode === 'NONE') && { mode }),
    ...(isStringList(allowedFunctionNames) && { allowedFunctionNames: [...allowedFunctionNames] }),
  };
};

export const readToolChoice = (members: Members, { key, read }: ToolChoiceFacts): HookToolConfig => read(members[key]);

/** Changes to a request for a hook's tool choice. */
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
  const tools = listOrEmpty(members.tools).filter(
    (tool) => isRecord(tool) && names.some((name) => name === facts.nameOf(tool)),
  );
  // An API may refuse tool results in a request without tools, so all tools stay and none may be called.
  if (tools.length === 0) return { [facts.key]: facts.create({ mode: 'NONE' }).choice };
  return { [facts.key]: choice, tools };
};

/** Translates the tool choice of an SDK, which is described by `ToolChoiceFacts`, to the format of hooks and back. */
import { isRecord, type Members } from '../../kit/index.ts';
import type { HookToolConfig } from '../../protocol/index.ts';
import { hasKeys, isSameJson, listOrEmpty } from '../json-values.ts';
import { readHookToolConfig } from '../request-form.ts';

export interface ToolChoiceFacts {
  readonly key: string;
  readonly read: (choice: unknown) => HookToolConfig;
  /**
   * `holdsNames` is false if the SDK's choice cannot name the allowed tools. The request then keeps only the allowed
   * tools.
   */
  readonly create: (
    wanted: HookToolConfig,
    /** The choice of the request, for members that hooks do not see. */
    before?: unknown,
  ) => { readonly choice: unknown; readonly holdsNames: boolean };
  readonly nameOf: (tool: Members) => unknown;
}

const toolModes = ['AUTO', 'ANY', 'NONE'] as const;

type ToolModeWords = Readonly<Record<(typeof toolModes)[number], string>>;

export const toolChoiceModeNames: ToolModeWords = { AUTO: 'auto', ANY: 'required', NONE: 'none' };

export const findToolChoiceMode = (word: unknown, of: ToolModeWords = toolChoiceModeNames): HookToolConfig['mode'] =>
  toolModes.find((mode) => of[mode] === word);

export const createTypedChoiceReader =
  (key: string, of?: ToolModeWords): ToolChoiceFacts['read'] =>
  (choice) => {
    if (!isRecord(choice)) return {};
    const { type, [key]: name } = choice;
    const mode = findToolChoiceMode(type, of);
    if (mode !== undefined) return { mode };
    return typeof name === 'string' ? { mode: 'ANY', allowedFunctionNames: [name] } : {};
  };

/**
 * For SDKs in which a tool choice names at most one tool. If several are allowed, the other tools are removed from the
 * request.
 */
export const createSingleChoiceWriter =
  (ofTool: (name: string) => unknown, ofMode: (mode: keyof ToolModeWords) => unknown): ToolChoiceFacts['create'] =>
  ({ mode = 'AUTO', allowedFunctionNames: names = [] }) => {
    const [name] = names;
    return mode === 'ANY' && name !== undefined && names.length === 1
      ? { choice: ofTool(name), holdsNames: true }
      : { choice: ofMode(mode), holdsNames: false };
  };

export const isHookToolConfig = (members: Members): boolean =>
  (members.mode !== undefined || members.allowedFunctionNames !== undefined) && members.type === undefined;

export const readToolChoice = (members: Members, { key, read }: ToolChoiceFacts): HookToolConfig => read(members[key]);

export const findToolChoiceChanges = (
  members: Members,
  facts: ToolChoiceFacts,
  wantedConfig: unknown,
): Record<string, unknown> => {
  if (!isRecord(wantedConfig)) return {};
  const wanted = readHookToolConfig(wantedConfig);
  const shown = readToolChoice(members, facts);
  if (isSameJson(wanted, shown)) return {};
  if (!hasKeys(wanted)) return { [facts.key]: undefined };
  const names = wanted.allowedFunctionNames;
  if (wanted.mode === 'NONE' || (names !== undefined && names.length === 0)) {
    return { [facts.key]: facts.create({ mode: 'NONE' }).choice };
  }
  const { choice, holdsNames } = facts.create(wanted, members[facts.key]);
  if (names === undefined || holdsNames) return { [facts.key]: choice };
  const tools = listOrEmpty(members.tools).filter(
    (tool) => isRecord(tool) && names.some((name) => name === facts.nameOf(tool)),
  );
  // An API may refuse tool results in a request without tools. So all tools stay, and the model may call none.
  if (tools.length === 0) return { [facts.key]: facts.create({ mode: 'NONE' }).choice };
  return { [facts.key]: choice, tools };
};

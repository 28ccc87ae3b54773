/** Roles and tool choice, which both OpenAI APIs spell alike. */
import { isRecord, type Members } from '../../kit/index.ts';
import { listOrEmpty } from '../json-values.ts';
import { rolesBy } from './conversation-entries.ts';
import { findToolChoiceMode, type ToolChoiceFacts, toolChoiceModeNames } from './tool-choice.ts';

export interface OpenaiTools {
  readonly tools?: readonly object[];
  readonly tool_choice?: string | object;
}

export const readOpenaiRole = rolesBy({ user: 'user', assistant: 'model', system: 'system', developer: 'system' });

interface ToolChoiceShape {
  readonly ofTool: (name: string) => object;
  readonly nameOf: (tool: Members) => unknown;
  readonly ofTools: (allowed: { readonly mode: string; readonly tools: readonly object[] }) => object;
  readonly allowedIn: (choice: Members) => unknown;
}

export const createOpenaiToolChoiceFacts = ({
  ofTool,
  nameOf,
  ofTools,
  allowedIn,
}: ToolChoiceShape): ToolChoiceFacts => ({
  key: 'tool_choice',
  read: (choice) => {
    const plain = findToolChoiceMode(choice);
    if (plain !== undefined) return { mode: plain };
    if (!isRecord(choice)) return {};
    const allowed = allowedIn(choice);
    if (isRecord(allowed)) {
      const names = listOrEmpty(allowed.tools).map((tool) => (isRecord(tool) ? nameOf(tool) : undefined));
      const mode = allowed.mode === toolChoiceModeNames.ANY ? 'ANY' : 'AUTO';
      return { mode, allowedFunctionNames: names.filter((name) => typeof name === 'string') };
    }
    const name = nameOf(choice);
    return typeof name === 'string' ? { mode: 'ANY', allowedFunctionNames: [name] } : {};
  },
  create: ({ mode = 'AUTO', allowedFunctionNames: names }) => {
    if (names === undefined || mode === 'NONE')
      return { choice: toolChoiceModeNames[mode], holdsNames: mode === 'NONE' };
    const [name] = names;
    if (mode === 'ANY' && name !== undefined && names.length === 1) return { choice: ofTool(name), holdsNames: true };
    return { choice: ofTools({ mode: toolChoiceModeNames[mode], tools: names.map(ofTool) }), holdsNames: true };
  },
  nameOf,
});

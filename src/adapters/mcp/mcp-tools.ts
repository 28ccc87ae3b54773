import type { Hooks } from '../../facade/index.ts';
import { isRecord, textOf } from '../../kit/index.ts';
import type { ToolResult } from '../../triggers/index.ts';

/** The result of `tools/call`, as far as hooks are concerned. */
export type McpResult = Readonly<Record<string, unknown>>;

export interface McpCall<Result extends McpResult> {
  readonly name: string;
  readonly input: Record<string, unknown>;
  readonly id?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Asks the server, with the arguments that hooks made of the call's. */
  readonly run: (input: Record<string, unknown>) => Promise<Result>;
}

/** A text of the protocol. */
interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

/** What the model is told in place of a result, in the form of the protocol: a failed call. */
export interface Refusal {
  [key: string]: unknown;
  content: TextPart[];
  isError: true;
}

const partsOf = ({ content }: McpResult): readonly unknown[] => (Array.isArray(content) ? content : []);

const textIn = (result: McpResult): string =>
  partsOf(result)
    .flatMap((part) => (isRecord(part) && part.type === 'text' ? (textOf(part.text) ?? []) : []))
    .join('\n');

/** What hooks see of a result: its texts. Pictures and structure stay with it. */
const shown = (result: McpResult): ToolResult => {
  const llmContent = textIn(result);
  return result.isError === true ? { llmContent, error: { message: llmContent } } : { llmContent };
};

const refusal = (text: string): Refusal => ({ content: [{ type: 'text', text }], isError: true });

/** The same with other texts. Structure that says what the text said until a hook changed it goes with that. */
const withText = <Result extends McpResult>(result: Result, text: string): Result => ({
  ...result,
  content: [{ type: 'text', text }, ...partsOf(result).filter((part) => !(isRecord(part) && part.type === 'text'))],
  structuredContent: undefined,
});

/** Calls of the tools of one server, with hooks around them. Hooks know a tool as `mcp__<server>__<tool>`. */
export class McpTools {
  readonly #hooks: Hooks;
  readonly #server: string;

  constructor(hooks: Hooks, server: string) {
    this.#hooks = hooks;
    this.#server = server;
  }

  async call<Result extends McpResult>({ name, input, id, signal, run }: McpCall<Result>): Promise<Result | Refusal> {
    let answer: Result | undefined;
    let seen = '';
    const mcpContext = { server_name: this.#server, tool_name: name };
    const called = await this.#hooks.callTool(
      `mcp__${this.#server}__${name}`,
      input,
      async (args) => {
        answer = await run(args);
        seen = textIn(answer);
        return shown(answer);
      },
      { id, signal, mcpContext },
    );
    const { blocked, withheld, stopped, output } = called;
    if (blocked !== undefined || answer === undefined) {
      return refusal(`Tool call blocked by hook: ${blocked?.reason ?? 'no reason given'}`);
    }
    if (withheld !== undefined) return refusal(withheld.reason);
    const text = isRecord(output) ? textOf(output.llmContent) : undefined;
    const told = text === undefined || text === seen ? answer : withText(answer, text);
    if (stopped === undefined) return told;
    return { ...told, _meta: { ...(isRecord(told._meta) ? told._meta : {}), 'hookwright/stopped': stopped.reason } };
  }
}

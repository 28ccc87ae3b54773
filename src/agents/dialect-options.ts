import type { HostTools } from './tools/vocabulary.ts';

/** `strict` takes the stricter of that agent's decision and ours; `faithful` decides as that agent does. */
export type DialectMode = 'strict' | 'faithful';

/** Which agents' hooks are read, at which version, and how strictly. */
export type DialectsOption = Readonly<
  Record<string, boolean | { readonly version?: string | undefined; readonly mode?: DialectMode | undefined }>
>;

/** A dialect whose names the host uses, or the host's own names. */
export type ToolsOption = string | HostTools;

export interface DialectOptions {
  readonly dialects: DialectsOption;
  readonly tools?: ToolsOption | undefined;
  /** The agent that asks: what it always runs by itself does not run here. */
  readonly askedBy?: string | undefined;
}

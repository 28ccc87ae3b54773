/** The tool names of all known agents. */
import { dialects } from '../../agents/index.ts';

export const toolsOfAgents: readonly string[] = dialects.flatMap(({ tools }) =>
  tools.tools.flatMap(({ names }) => names),
);

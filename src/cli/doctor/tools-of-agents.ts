/** What the agents that are known call their tools. */
import { dialects } from '../../agents/index.ts';

export const toolsOfAgents: readonly string[] = dialects.flatMap(({ tools }) =>
  tools.tools.flatMap(({ names }) => names),
);

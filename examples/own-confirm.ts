// A `confirm` of your own. The compiler checks this file with the others.
import type { Confirm } from 'hookwright';

declare const dialog: (text: string, signal?: AbortSignal) => Promise<string>;

const confirm: Confirm = async ({ toolName, toolInput, reason }, context) => {
  const text = `${toolName ?? 'The agent'} ${JSON.stringify(toolInput)}: ${reason}. Go on?`;
  return (await dialog(text, context?.signal)) === 'yes';
};

export const deps = { confirm };

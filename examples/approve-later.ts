// A `confirm` of your own, and one that parks the call. The compiler checks this file with the others.
import { createHooks, fileTokenStore, parkedCalls } from 'hookwright';

const tools = new Map([['push', ({ branch }: Record<string, unknown>) => `pushed ${branch}`]]);
const runTool = (name: string, input: Record<string, unknown>) => tools.get(name)?.(input);

const parking = parkedCalls({ key: process.env.APPROVAL_KEY ?? '', store: fileTokenStore(), runTool });
const agent = await createHooks({
  load: true,
  deps: { parking, confirm: (_question, context) => context?.park?.() ?? false },
});
const { asked } = await agent.callTool('push', { branch: 'main' }, (input) => runTool('push', input));
if (asked?.parked !== undefined) await keep(asked.parked);

declare const keep: (token: string) => Promise<void>;

// An event of the host's own, and one that other agents fire: named once, known to settings, explain and recordings.
import { agentEvents, createHooks, defineEvent } from 'hookwright';
import * as z from 'zod';

const beforeDeploy = defineEvent({
  name: 'BeforeDeploy',
  when: 'before a deployment',
  payload: z.object({ target: z.string() }),
  subject: 'target',
  denied: 'it is not deployed',
});
const hooks = await createHooks({ events: [beforeDeploy, agentEvents.ConfigChange] });

hooks.on(beforeDeploy, ({ target }) =>
  target === 'production' ? { decision: 'deny', reason: 'production is deployed by people' } : undefined,
);
for (const target of ['staging', 'production']) {
  const { verdict, reason } = await hooks.fire(beforeDeploy, { target });
  console.log(`${target}: ${verdict}${reason === undefined ? '' : `, ${reason}`}`);
}
await hooks.close();

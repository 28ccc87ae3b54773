// The context of the call comes as JSON on standard input; what is printed is the answer.
import { json } from 'node:stream/consumers';

const { ability_id, args } = await json(process.stdin);
if (args?.target === 'production') {
  const payload = { ability_id, reason: 'production is deployed by people' };
  console.log(JSON.stringify({ hook_signals: [{ kind: 'ability_guard', code: 'ABILITY_DENIED', payload }] }));
}

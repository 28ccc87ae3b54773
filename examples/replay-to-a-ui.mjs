// A recorded session, shown to whoever watches a bus: at its own speed, faster, step by step, or in no time at all.
import { MessageBus } from 'hookwright/bus';
import { readSession, replay, sessionOf } from 'hookwright/recorder';
import { VirtualTimeScheduler } from 'rxjs';

const file = `${import.meta.dirname}/../test/fixtures/sessions/streaming-model.jsonl`;
const bus = new MessageBus();
bus.subscribe('hook-finished', ({ eventName, hookName, outcome }) =>
  console.log(`${eventName} ${hookName}: ${outcome}`),
);

console.log('Ten times as fast, only what concerns one event:');
await replay(readSession(file), bus, { pace: 10, events: ['AfterModel'] });

console.log('Step by step, as if somebody pressed a key:');
const steps = [];
const nextKey = async ({ message }) => steps.push(message.type);
await replay(readSession(file), bus, { pace: nextKey, hooks: ['read-only'] });
console.log(`${steps.length} steps, the first of them ${steps[0]}`);

console.log('In virtual time, an hour in no time:');
const message = { type: 'hook-finished', correlationId: 'a', eventName: 'SessionEnd', hookId: 'x', hookName: 'backup' };
const entries = [{ at: 3_600_000, message: { ...message, outcome: 'silent', durationMs: 1, source: 'user' } }];
const scheduler = new VirtualTimeScheduler();
const replayed = replay(sessionOf(entries), bus, { pace: 'recorded', scheduler });
scheduler.flush();
const { published } = await replayed;
console.log(`${published} message after ${scheduler.now()} ms`);

#!/usr/bin/env node
// Looks an ability up among those that are out of order.
import { readFileSync } from 'node:fs';
import { json } from 'node:stream/consumers';

const { ability_ref } = await json(process.stdin);
const outage = JSON.parse(readFileSync('docs/outages.json', 'utf8'))[ability_ref.value];
const signal = outage && {
  kind: 'ability_preflight',
  code: outage.still_works ? 'ABILITY_AVAILABLE' : 'ABILITY_UNAVAILABLE',
  severity: outage.still_works ? 'warning' : 'error',
  payload: { ability_ref, reason: outage.reason, suggestion: outage.instead },
};
console.log(JSON.stringify({ hook_signals: signal ? [signal] : [] }));

#!/usr/bin/env node
// Makes the model steady, and ends the agent's work when it has taken too many turns.
import { readFileSync } from 'node:fs';

const { llm_request } = JSON.parse(readFileSync(0, 'utf8'));
const turns = llm_request.messages.filter(({ role }) => role === 'model').length;
const answer =
  turns < 5
    ? { hookSpecificOutput: { llm_request: { config: { temperature: 0 } } } }
    : { continue: false, stopReason: 'five turns are enough for a demo' };
console.log(JSON.stringify(answer));

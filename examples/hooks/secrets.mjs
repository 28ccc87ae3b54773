#!/usr/bin/env node
// Keeps files that hold secrets away from the model.
import { readFileSync } from 'node:fs';

const { tool_input } = JSON.parse(readFileSync(0, 'utf8'));
if (tool_input.path === '.env') {
  console.log(JSON.stringify({ decision: 'deny', reason: '.env holds secrets' }));
}

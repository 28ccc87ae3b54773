#!/usr/bin/env node
// Changes one argument of a call; the others stay as they are.
import { readFileSync } from 'node:fs';

const { tool_input } = JSON.parse(readFileSync(0, 'utf8'));
if (tool_input.timeout_seconds > 10) {
  console.log(JSON.stringify({ hookSpecificOutput: { tool_input: { timeout_seconds: 10 } } }));
}

// The compiler checks this file with the others.
import { defineHook } from 'hookwright';
import * as z from 'zod';

const protectSecrets = defineHook({
  event: 'BeforeTool',
  name: 'protect-secrets',
  matcher: 'read_file|write_file',
  onFault: 'deny', // blocks when the guard itself fails
  run: ({ tool_input: { path } }) => {
    if (typeof path !== 'string') throw new TypeError('path is not a text'); // a fault: `onFault` counts
    if (path.endsWith('.env')) return { decision: 'deny', reason: '.env holds secrets' };
    // No answer is no opinion. It is not an approval.
  },
});

const pathRules = defineHook({
  event: 'BeforeTool',
  name: 'path-rules',
  tool: { name: 'write_file', input: z.object({ path: z.string() }) },
  run: ({ tool_input }) => (tool_input.path.startsWith('/etc') ? { decision: 'deny', reason: 'not yours' } : undefined),
});

export const hooks = [protectSecrets, pathRules];

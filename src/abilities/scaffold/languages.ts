/** How a handler is written and started in a language. */
interface Language {
  readonly extension: string;
  /** The command line that runs the script; its path has no blanks. */
  readonly command: (script: string) => string;
  /** A whole script that reads its context and answers with this JSON. */
  readonly script: (eventType: string, answer: string) => string;
}

const indent = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);

export const languages = {
  sh: {
    extension: 'sh',
    command: (script) => `sh ${script}`,
    script: (eventType, answer) => `#!/bin/sh
# The context of ${eventType} comes as JSON on standard input; what is printed is the answer.
context=$(cat)

# Give another answer if the context has a certain text:
case $context in
  *'put a text here'*) echo '{}' ;;
  *)
    cat <<'JSON'
${answer}
JSON
    ;;
esac
`,
  },
  node: {
    extension: 'mjs',
    command: (script) => `node ${script}`,
    script: (eventType, answer) => `#!/usr/bin/env node
// The context of ${eventType} comes as JSON on standard input; what is printed is the answer.
import { json } from 'node:stream/consumers';

const context = await json(process.stdin);
if (context.event_type !== '${eventType}') throw new Error(\`not made for \${context.event_type}\`);

const answer = ${answer};
console.log(JSON.stringify(answer));
`,
  },
  python: {
    extension: 'py',
    command: (script) => `python3 ${script}`,
    script: (eventType, answer) => `#!/usr/bin/env python3
# The context of ${eventType} comes as JSON on standard input; what is printed is the answer.
import json
import sys

context = json.load(sys.stdin)
if context["event_type"] != "${eventType}":
    sys.exit(f"not made for {context['event_type']}")

answer = json.loads("""
    ${indent(answer, '    ')}
""")
json.dump(answer, sys.stdout)
`,
  },
} as const satisfies Readonly<Record<string, Language>>;

export type ScaffoldLanguage = keyof typeof languages;

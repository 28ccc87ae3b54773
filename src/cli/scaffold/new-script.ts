/** Writes the script of a new hook in each language. */
import {
  createExampleContext,
  EDIT_LINE,
  FORBIDDEN_COMMAND,
  FORBIDDEN_REASON,
  type NewHookKind,
  NO_EVENT_REASON,
} from '../hook-kinds.ts';
import type { Language } from './language-names.ts';

export interface NewScript {
  readonly name: string;
  readonly eventName: string;
  readonly kind: NewHookKind;
  readonly isFinished?: boolean;
  /** The program in front of the script's path; empty if the first line of the script names its program. */
  readonly starter: string;
}

const formatComment = (mark: string, { name, eventName }: NewScript): string =>
  [
    `${mark} ${name}: a hook for ${eventName}. stdin has the event as JSON, stdout takes the answer as JSON.`,
    `${mark} No output is no opinion. Exit code 2 blocks; stderr says why. Try it: hookwright test`,
  ].join('\n');

const createContextAnswer = ({ name, eventName }: NewScript): string =>
  JSON.stringify({ hookSpecificOutput: { hookEventName: eventName, additionalContext: createExampleContext(name) } });

const unfinishedReason = `\`\${forbidden} is not done here\``;

/** An unfinished guard fails with a message until its author has completed it. */
export const unfinishedGuard = {
  node: (name: string): string => `const forbidden = '${EDIT_LINE}'; // what ${name} refuses, such as git push --force
if (forbidden.startsWith('EDIT')) {
  console.error('${formatUnfinished(name)}');
  process.exit(1);
}

`,
  sh: (name: string): string => `forbidden='${EDIT_LINE}' # what ${name} refuses, such as git push --force
case $forbidden in EDIT*) echo '${formatUnfinished(name)}' >&2; exit 1 ;; esac
`,
  python: (name: string): string => `forbidden = "${EDIT_LINE}"  # what ${name} refuses, such as git push --force
if forbidden.startswith("EDIT"):
    raise SystemExit("${formatUnfinished(name)}")

`,
};

const formatUnfinished = (name: string): string => `${name} is unfinished: write in its script what it refuses`;

const shellBodies: Readonly<Record<NewHookKind, (template: NewScript) => string>> = {
  guard: (template) => `${template.isFinished ? '' : unfinishedGuard.sh(template.name)}input=$(cat)
case $input in
  *${template.isFinished ? `'${FORBIDDEN_COMMAND}'` : '"$forbidden"'}*)
    echo ${template.isFinished ? `'${FORBIDDEN_REASON}'` : '"$forbidden is not done here"'} >&2
    exit 2
    ;;
  '{'*) ;; # Anything else is not refused.
  *)
    echo '${NO_EVENT_REASON}' >&2
    exit 2
    ;;
esac
`,
  context: (template) => `cat > /dev/null
echo '${createContextAnswer(template)}'
`,
  watch: () => `input=$(cat)
: "$input" # Write here what you want to do with it.
`,
};

const readStdinCode = "let input = '';\nfor await (const piece of process.stdin) input += piece;\n";

const nodeBodies: Readonly<Record<NewHookKind, (template: NewScript) => string>> = {
  guard: (template) => `${readStdinCode}const { tool_input: toolInput } = JSON.parse(input);

${template.isFinished ? '' : unfinishedGuard.node(template.name)}if (JSON.stringify(toolInput).includes(${template.isFinished ? `'${FORBIDDEN_COMMAND}'` : 'forbidden'})) {
  console.log(JSON.stringify({ decision: 'deny', reason: ${template.isFinished ? `'${FORBIDDEN_REASON}'` : unfinishedReason} }));
}
`,
  context: ({ name, eventName }) => `${readStdinCode}const event = JSON.parse(input);

console.log(
  JSON.stringify({
    hookSpecificOutput: {
      hookEventName: '${eventName}',
      additionalContext: '${createExampleContext(name)}',
    },
  }),
);
void event; // What happened, should the answer depend on it.
`,
  watch: () => `${readStdinCode}const event = JSON.parse(input);
void event; // Write here what you want to do with it.
`,
};

const pythonBodies: Readonly<Record<NewHookKind, (template: NewScript) => string>> = {
  guard: (template) => `event = json.load(sys.stdin)

${template.isFinished ? '' : unfinishedGuard.python(template.name)}if ${template.isFinished ? `"${FORBIDDEN_COMMAND}"` : 'forbidden'} in json.dumps(event["tool_input"]):
    print(json.dumps({"decision": "deny", "reason": ${template.isFinished ? `"${FORBIDDEN_REASON}"` : 'forbidden + " is not done here"'}}))
`,
  context: ({ name, eventName }) => `event = json.load(sys.stdin)

print(
    json.dumps(
        {
            "hookSpecificOutput": {
                "hookEventName": "${eventName}",
                "additionalContext": "${createExampleContext(name)}",
            }
        }
    )
)
`,
  watch: () => `event = json.load(sys.stdin)
# Write here what you want to do with it.
`,
};

const addTypes = (body: string): string =>
  body
    .replace("let input = ''", "let input: string = ''")
    .replace(
      'const { tool_input: toolInput } = JSON.parse(input);',
      'const { tool_input: toolInput }: ToolCall = JSON.parse(input);',
    )
    .replace('const event = JSON.parse(input);', 'const event: Record<string, unknown> = JSON.parse(input);');

const toolCallTypeCode = `interface ToolCall {
  tool_name: string;
  tool_input: Record<string, unknown>;
}

`;

const scriptWriters: Readonly<Record<Language, { extension: string; write: (template: NewScript) => string }>> = {
  node: {
    extension: 'mjs',
    write: (template) => `#!/usr/bin/env node
${formatComment('//', template)}
${nodeBodies[template.kind](template)}`,
  },
  sh: {
    extension: 'sh',
    write: (template) => `#!/bin/sh
${formatComment('#', template)}
${shellBodies[template.kind](template)}`,
  },
  python: {
    extension: 'py',
    write: (template) => `#!/usr/bin/env python3
${formatComment('#', template)}
import json
import sys

${pythonBodies[template.kind](template)}`,
  },
  typescript: {
    extension: 'mts',
    write: (template) => `${template.starter === '' ? '#!/usr/bin/env node\n' : ''}${formatComment('//', template)}
${template.kind === 'guard' ? toolCallTypeCode : ''}${addTypes(nodeBodies[template.kind](template))}`,
  },
};

export const createScriptFile = (language: Language, name: string, text: string, starter: string) => ({
  file: `${name}.${scriptWriters[language].extension}`,
  text: starter === '' ? text : text.replace(/^#!.*\n/, ''),
});

export const createScript = (language: Language, template: NewScript) => {
  const { extension, write } = scriptWriters[language];
  return { file: `${template.name}.${extension}`, text: write(template) };
};

/** Writes the script of a new hook in each language. */
import {
  EDIT_MARK,
  exampleContext,
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

interface LanguageRecord {
  readonly extension: string;
  readonly write: (template: NewScript) => string;
}

const about = ({ name, eventName }: NewScript): readonly string[] => [
  `${name}: a hook for ${eventName}. stdin has the event as JSON, stdout takes the answer as JSON.`,
  'No output is no opinion. Exit code 2 blocks; stderr says why. Try it: hookwright test',
];

const commented = (mark: string, template: NewScript): string =>
  about(template)
    .map((line) => `${mark} ${line}`)
    .join('\n');

const contextAnswer = ({ name, eventName }: NewScript): string =>
  JSON.stringify({ hookSpecificOutput: { hookEventName: eventName, additionalContext: exampleContext(name) } });

const unfinishedReason = `\`\${forbidden} is not done here\``;

/** An unfinished guard fails with a message until its author has completed it. */
export const unfinishedGuard = {
  node: ({ name, isFinished }: Pick<NewScript, 'name' | 'isFinished'>): string =>
    isFinished
      ? ''
      : `const forbidden = '${EDIT_MARK}'; // what ${name} refuses, such as git push --force
if (forbidden.startsWith('EDIT')) {
  console.error('${unfinished(name)}');
  process.exit(1);
}

`,
  sh: ({ name, isFinished }: Pick<NewScript, 'name' | 'isFinished'>): string =>
    isFinished
      ? ''
      : `forbidden='${EDIT_MARK}' # what ${name} refuses, such as git push --force
case $forbidden in EDIT*) echo '${unfinished(name)}' >&2; exit 1 ;; esac
`,
  python: ({ name, isFinished }: Pick<NewScript, 'name' | 'isFinished'>): string =>
    isFinished
      ? ''
      : `forbidden = "${EDIT_MARK}"  # what ${name} refuses, such as git push --force
if forbidden.startswith("EDIT"):
    raise SystemExit("${unfinished(name)}")

`,
};

const unfinished = (name: string): string => `${name} is unfinished: write in its script what it refuses`;

const shellBodies: Readonly<Record<NewHookKind, (template: NewScript) => string>> = {
  guard: (template) => `${unfinishedGuard.sh(template)}input=$(cat)
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
echo '${contextAnswer(template)}'
`,
  watch: () => `input=$(cat)
: "$input" # Write here what you want to do with it.
`,
};

const scriptRead = "let input = '';\nfor await (const piece of process.stdin) input += piece;\n";

const nodeBodies: Readonly<Record<NewHookKind, (template: NewScript) => string>> = {
  guard: (template) => `${scriptRead}const { tool_input: toolInput } = JSON.parse(input);

${unfinishedGuard.node(template)}if (JSON.stringify(toolInput).includes(${template.isFinished ? `'${FORBIDDEN_COMMAND}'` : 'forbidden'})) {
  console.log(JSON.stringify({ decision: 'deny', reason: ${template.isFinished ? `'${FORBIDDEN_REASON}'` : unfinishedReason} }));
}
`,
  context: ({ name, eventName }) => `${scriptRead}const event = JSON.parse(input);

console.log(
  JSON.stringify({
    hookSpecificOutput: {
      hookEventName: '${eventName}',
      additionalContext: '${exampleContext(name)}',
    },
  }),
);
void event; // What happened, should the answer depend on it.
`,
  watch: () => `${scriptRead}const event = JSON.parse(input);
void event; // Write here what you want to do with it.
`,
};

const pythonBodies: Readonly<Record<NewHookKind, (template: NewScript) => string>> = {
  guard: (template) => `event = json.load(sys.stdin)

${unfinishedGuard.python(template)}if ${template.isFinished ? `"${FORBIDDEN_COMMAND}"` : 'forbidden'} in json.dumps(event["tool_input"]):
    print(json.dumps({"decision": "deny", "reason": ${template.isFinished ? `"${FORBIDDEN_REASON}"` : 'forbidden + " is not done here"'}}))
`,
  context: ({ name, eventName }) => `event = json.load(sys.stdin)

print(
    json.dumps(
        {
            "hookSpecificOutput": {
                "hookEventName": "${eventName}",
                "additionalContext": "${exampleContext(name)}",
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

const toolCall = `interface ToolCall {
  tool_name: string;
  tool_input: Record<string, unknown>;
}

`;

const records: Readonly<Record<Language, LanguageRecord>> = {
  node: {
    extension: 'mjs',
    write: (template) => `#!/usr/bin/env node
${commented('//', template)}
${nodeBodies[template.kind](template)}`,
  },
  sh: {
    extension: 'sh',
    write: (template) => `#!/bin/sh
${commented('#', template)}
${shellBodies[template.kind](template)}`,
  },
  python: {
    extension: 'py',
    write: (template) => `#!/usr/bin/env python3
${commented('#', template)}
import json
import sys

${pythonBodies[template.kind](template)}`,
  },
  typescript: {
    extension: 'mts',
    write: (template) => `${template.starter === '' ? '#!/usr/bin/env node\n' : ''}${commented('//', template)}
${template.kind === 'guard' ? toolCall : ''}${addTypes(nodeBodies[template.kind](template))}`,
  },
};

export const scriptFile = (language: Language, name: string, text: string, starter: string) => ({
  file: `${name}.${records[language].extension}`,
  text: starter === '' ? text : text.replace(/^#!.*\n/, ''),
});

export const scriptFor = (
  language: Language,
  template: NewScript,
): { readonly file: string; readonly text: string } => {
  const { extension, write } = records[language];
  return { file: `${template.name}.${extension}`, text: write(template) };
};

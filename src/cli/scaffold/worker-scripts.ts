import { UsageError } from '../arguments/usage-error.ts';
import { contextFrom, type Kind } from './kinds.ts';
import type { Language } from './language-names.ts';
import { unfinishedIn } from './languages.ts';

interface Template {
  readonly name: string;
  readonly eventName: string;
  readonly kind: Kind;
}

const about = (mark: string, { name, eventName }: Template): string =>
  [
    `${mark} ${name}: a worker for ${eventName}. The process stays and answers each event.`,
    `${mark} No answer is no opinion. Try it: hookwright test`,
  ].join('\n');

const nodeBodies: Readonly<Record<Kind, (template: Template) => string>> = {
  guard: (template) => `${unfinishedIn.node(template)}export default ({ tool_input: toolInput }) => {
  if (JSON.stringify(toolInput).includes(forbidden)) {
    return { decision: 'deny', reason: \`\${forbidden} is not done here\` };
  }
};
`,
  context: ({ name, eventName }) => `export default () => ({
  hookSpecificOutput: {
    hookEventName: '${eventName}',
    additionalContext: '${contextFrom(name)}',
  },
});
`,
  watch: () => `export default (event) => {
  void event; // Write here what you want to do with it.
};
`,
};

const pythonBodies: Readonly<Record<Kind, (template: Template) => string>> = {
  guard: () => `    if forbidden in json.dumps(event["tool_input"]):
        return {"decision": "deny", "reason": forbidden + " is not done here"}
`,
  context: ({ name, eventName }) => `    return {
        "hookSpecificOutput": {
            "hookEventName": "${eventName}",
            "additionalContext": "${contextFrom(name)}",
        }
    }
`,
  watch: () => `    pass  # Write here what you want to do with it.
`,
};

const writers: Readonly<Partial<Record<Language, { extension: string; write: (template: Template) => string }>>> = {
  node: {
    extension: 'mjs',
    write: (template) => `${about('//', template)}
${nodeBodies[template.kind](template)}`,
  },
  python: {
    extension: 'py',
    write: (template) => `#!/usr/bin/env python3
${about('#', template)}
import json
import sys

${template.kind === 'guard' ? unfinishedIn.python(template) : ''}
def answer(event):
${pythonBodies[template.kind](template)}

for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"id": request["id"], "output": answer(request["input"])}), flush=True)
`,
  },
};

/** The file of a hook that stays: in Node a function, in Python the loop around one. */
export const workerScriptFor = (
  language: Language,
  template: Template,
): { readonly file: string; readonly text: string } => {
  const writer = writers[language];
  if (writer === undefined) {
    throw new UsageError(`there is no beginning of a worker in ${language}`, 'take --language node or python');
  }
  return { file: `${template.name}.${writer.extension}`, text: writer.write(template) };
};

import { UsageError } from '../arguments/usage-error.ts';
import { contextFrom, FORBIDDEN, type Kind, REASON } from './kinds.ts';
import type { Language } from './language-names.ts';

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
  guard: () => `export default ({ tool_input: toolInput }) => {
  if (JSON.stringify(toolInput).includes('${FORBIDDEN}')) {
    return { decision: 'deny', reason: '${REASON}' };
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
  guard: () => `    if "${FORBIDDEN}" in json.dumps(event["tool_input"]):
        return {"decision": "deny", "reason": "${REASON}"}
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

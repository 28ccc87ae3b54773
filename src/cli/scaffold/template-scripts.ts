/** The scripts of `new --template`. They have no dependencies, and all but two run in Node. */

const formatHead = (about: readonly string[]): string =>
  [
    '#!/usr/bin/env node',
    ...about.map((line) => `// ${line}`),
    "let input = '';",
    'for await (const piece of process.stdin) input += piece;',
    '',
  ].join('\n');

export const protectFilesScript = `${formatHead([
  'protect-files: refuses access to files with secrets and to .git, by path or in a command.',
  'It cannot see commands that build the path themselves. Also keep secrets where the agent cannot read them.',
])}const { tool_input: toolInput } = JSON.parse(input);

const protectedPaths = [
  /(^|[/\\\\])\\.env(\\.(?!example$|sample$|template$)[\\w.-]+)?$/,
  /(^|[/\\\\])\\.git([/\\\\]|$)/,
  /(^|[/\\\\])\\.(ssh|aws|gnupg)([/\\\\]|$)/,
  /(^|[/\\\\])id_(rsa|ecdsa|ed25519)$/,
  /\\.(pem|key|p12|pfx)$/i,
];

const textsIn = (value) => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
};

// Contents that are to be written may speak of such files; paths and commands may not.
const { content, new_string, old_string, new_source, edits, ...rest } = toolInput;
const words = textsIn(rest).flatMap((text) => text.split(/[\\s"'=:,;|&<>()]+/));
const found = words.find((word) => protectedPaths.some((path) => path.test(word)));

if (found !== undefined) {
  console.log(JSON.stringify({ decision: 'deny', reason: \`\${found} is protected: ask the user to do that\` }));
}
`;

export const protectFilesPythonScript = `#!/usr/bin/env python3
# protect-files: refuses access to files with secrets and to .git, by path or in a command.
# It cannot see commands that build the path themselves. Also keep secrets where the agent cannot read them.
import json
import re
import sys

PROTECTED = [
    r"(^|[/\\\\])\\.env(\\.(?!example$|sample$|template$)[\\w.-]+)?$",
    r"(^|[/\\\\])\\.git([/\\\\]|$)",
    r"(^|[/\\\\])\\.(ssh|aws|gnupg)([/\\\\]|$)",
    r"(^|[/\\\\])id_(rsa|ecdsa|ed25519)$",
    r"(?i)\\.(pem|key|p12|pfx)$",
]
# Contents that are to be written may speak of such files; paths and commands may not.
CONTENTS = {"content", "new_string", "old_string", "new_source", "edits"}


def texts_in(value):
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [text for member in value for text in texts_in(member)] if isinstance(value, list) else []


tool_input = json.load(sys.stdin)["tool_input"]
texts = texts_in([value for key, value in tool_input.items() if key not in CONTENTS])
words = [word for text in texts for word in re.split(r"""[\\s"'=:,;|&<>()]+""", text)]
found = [word for word in words if any(re.search(path, word) for path in PROTECTED)]

if found:
    print(json.dumps({"decision": "deny", "reason": f"{found[0]} is protected: ask the user to do that"}))
`;

/** hookwright writes the JSON on one line, so the script can search it as text. */
export const protectFilesShellScript = String.raw`#!/bin/sh
# protect-files: refuses access to files with secrets and to .git, by path or in a command.
# It cannot see commands that build the path themselves. Also keep secrets where the agent cannot read them.

# Contents that are to be written may speak of such files; paths and commands may not.
contents='"(content|new_string|old_string|new_source)":"([^"\\]|\\.)*"'
allowed='(^|/)\.env\.(example|sample|template)$'
protected='(^|/)\.env(\.[A-Za-z0-9_.-]+)?$|(^|/)\.git(/|$)|(^|/)\.(ssh|aws|gnupg)(/|$)|(^|/)id_(rsa|ecdsa|ed25519)$'
keys='\.([pP][eE][mM]|[kK][eE][yY]|[pP]12|[pP][fF][xX])$'

input=$(cat)
case $input in
  '{'*) ;;
  *)
    echo 'no event arrived, so there is nothing that could be allowed' >&2
    exit 2
    ;;
esac

found=$(printf '%s\n' "$input" | awk '{ print substr($0, index($0, "\"tool_input\":")) }' |
  sed -E "s/$contents//g" | sed -e 's|\\\\|/|g' -e 's|\\.| |g' |
  tr -s ' "=:,;|&<>()'"'" '\n' |
  grep -vE "$allowed" | grep -E "$protected|$keys" | head -n 1)

if [ -n "$found" ]; then
  echo "$found is protected: ask the user to do that" >&2
  exit 2
fi
`;

export const scanSecretsScript = `${formatHead([
  'scan-secrets: refuses to write anything that looks like a key or a password into a file or a command.',
])}const { tool_input: toolInput } = JSON.parse(input);

const secrets = {
  'a key of AWS': /\\b(?:AKIA|ASIA)[0-9A-Z]{16}\\b/,
  'a token of GitHub': /\\bgh[pousr]_[A-Za-z0-9]{36,}\\b|\\bgithub_pat_\\w{40,}\\b/,
  'a token of Slack': /\\bxox[abprs]-[\\w-]{10,}/,
  'a key of a model provider': /\\bsk-[A-Za-z0-9_-]{20,}/,
  'a private key': /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  'a password in an address': /\\b[a-z][a-z0-9+.-]*:\\/\\/[^\\s/:@"']+:[^\\s/@"']{3,}@/i,
};

const text = JSON.stringify(toolInput);
const found = Object.keys(secrets).filter((name) => secrets[name].test(text));

if (found.length > 0) {
  const reason = \`this holds \${found.join(' and ')}: read it from the environment instead\`;
  console.log(JSON.stringify({ decision: 'deny', reason }));
}
`;

export const formatOnEditScript = `${formatHead([
  'format-on-edit: formats edited files with the formatter of the project, if there is one.',
])}import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const { cwd, tool_input: toolInput } = JSON.parse(input);
const { file_path, absolute_path, notebook_path, path } = toolInput;
const file = file_path ?? absolute_path ?? notebook_path ?? path;
const project = process.env.HOOKWRIGHT_PROJECT_DIR ?? cwd;
const local = (program) => join(project, 'node_modules', '.bin', program);

// The first whose program is there is used. Programs without a path are looked for where yours are.
const formatters = [
  { files: /\\.([cm]?[jt]sx?|json|css)$/, program: local('biome'), args: ['format', '--write'] },
  { files: /\\.([cm]?[jt]sx?|json|css|scss|html|md|ya?ml)$/, program: local('prettier'), args: ['--write'] },
  { files: /\\.py$/, program: 'ruff', args: ['format'] },
  { files: /\\.go$/, program: 'gofmt', args: ['-w'] },
  { files: /\\.rs$/, program: 'rustfmt', args: [] },
];

const tell = (text) =>
  console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: 'AfterTool', additionalContext: text } }));

if (typeof file === 'string' && existsSync(file)) {
  for (const { files, program, args } of formatters) {
    if (!files.test(file) || (program.includes('/') && !existsSync(program))) continue;
    try {
      execFileSync(program, [...args, file], { cwd: project, stdio: 'pipe' });
      break;
    } catch (error) {
      if (error.code === 'ENOENT') continue;
      // The model hears of it: mostly what it wrote cannot be parsed.
      tell(\`\${file} could not be formatted: \${String(error.stderr ?? error).slice(0, 2000)}\`);
      break;
    }
  }
}
`;

export const notifyScript = `${formatHead([
  'notify: shows messages of the agent on the desktop.',
])}import { execFileSync } from 'node:child_process';

const { message } = JSON.parse(input);
const title = 'Your agent';
const programs = {
  darwin: ['osascript', ['-e', \`display notification \${JSON.stringify(message)} with title \${JSON.stringify(title)}\`]],
  linux: ['notify-send', [title, message]],
};
const [program, args] = programs[process.platform] ?? [];

try {
  if (program !== undefined && message !== '') execFileSync(program, args, { stdio: 'ignore', timeout: 2_000 });
} catch {
  // No desktop, or no such program: nothing is shown.
}
`;

export const logCallsScript = `${formatHead([
  'log-calls: writes a line for every tool that ran to .hookwright/sessions/calls.log, which git ignores.',
])}import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const { timestamp, session_id: session, tool_name: tool, tool_input: toolInput, cwd } = JSON.parse(input);
const directory = join(process.env.HOOKWRIGHT_PROJECT_DIR ?? cwd, '.hookwright', 'sessions');

mkdirSync(directory, { recursive: true });
if (!existsSync(join(directory, '.gitignore'))) writeFileSync(join(directory, '.gitignore'), '*\\n');
appendFileSync(join(directory, 'calls.log'), \`\${JSON.stringify({ timestamp, session, tool, input: toolInput })}\\n\`);
`;

export const requireTestsScript = `${formatHead([
  'require-tests: the agent is not done while the tests of the project fail. It is sent back once, not for ever.',
])}import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const { cwd, stop_hook_active: isSecondTime } = JSON.parse(input);
const project = process.env.HOOKWRIGHT_PROJECT_DIR ?? cwd;
const manifest = join(project, 'package.json');
const { scripts = {} } = existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')) : {};

// Another project, another command: ['python', ['-m', 'pytest', '-q']], ['cargo', ['test']], …
const command = scripts.test === undefined ? undefined : ['npm', ['test', '--silent']];

if (command !== undefined && isSecondTime !== true) {
  const [program, args] = command;
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: project, encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (status !== 0) {
    const said = \`\${stdout}\${stderr}\`.trim().slice(-4000);
    console.log(JSON.stringify({ decision: 'deny', reason: \`The tests fail; correct that first:\\n\${said}\` }));
  }
}
`;

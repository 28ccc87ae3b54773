// Describes a hook as a subject of approvals.
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isRecord, once } from '../kit/index.ts';
import { toPathWithin } from '../kit/node.ts';
import { originOf, type RowSource } from '../protocol/index.ts';
import type { TrustQuestion } from '../registry/index.ts';
import { ownVariables, type Variables } from '../runners/process-api.ts';
import { canonicalJson, toJson } from './canonical.ts';
import { type HookDirectories, namedFiles } from './scripts/named-files.ts';
import type { Root, SubjectFile, TrustSubject } from './subject.ts';

/** The directory of an extension, from the path of its hooks file. */
const directoryOf = (file: string): string => {
  const directory = dirname(file);
  return basename(directory) === 'hooks' ? dirname(directory) : directory;
};

const rootsOf = (
  projectDir: string,
  extension: string | undefined,
  file: string | undefined,
  root = file === undefined ? undefined : directoryOf(file),
): Root[] => {
  const project = { label: '', directory: projectDir };
  if (extension === undefined || root === undefined) return [project];
  return [project, { label: `extension:${extension}`, directory: root }];
};

/** Further files are not covered. */
const MAX_PLUGIN_FILES = 2_000;

/** All files of a plugin except version control's: a hook may start or load any of them. */
const filesOfPlugin = (root: string): SubjectFile[] => {
  try {
    const entries = readdirSync(root, { recursive: true, withFileTypes: true });
    const files = entries.filter(
      (entry) => !entry.isDirectory() && !toPathWithin(root, entry.parentPath)?.startsWith('.git'),
    );
    return files.slice(0, MAX_PLUGIN_FILES).map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return { named: toPathWithin(root, path) ?? name, path };
    });
  } catch {
    return [];
  }
};

const extensionVariables = new Set(['extensionPath', 'workspacePath']);

const launchOf = (written: Readonly<Record<string, unknown>>): string => {
  const { type, command, args, url, prompt, server, tool, input } = written;
  return canonicalJson(toJson({ type, command, args, url, prompt, server, tool, input }));
};

/** Types of hooks without files → what their approval cannot cover. */
const withoutFiles: Readonly<Record<string, string>> = {
  http: 'what the server behind the URL answers, today or later',
  prompt: 'what the model answers, today or later',
  mcp: 'what the tool of the MCP server does, today or later',
  plugin: 'the code of the function',
  runtime: 'the code of the function',
};

const positionIn = ({ file, line }: RowSource): TrustSubject['position'] =>
  file === undefined ? undefined : { file, line: line ?? 1, column: 1 };

/** Variables that the engine sets rather than the entry: an extension finds its own files by them. */
const filledIn = (own: Variables = {}, written: Readonly<Record<string, unknown>> = {}): Variables => {
  const { env } = written;
  const isWritten = (name: string): boolean => isRecord(env) && Object.hasOwn(env, name);
  return Object.fromEntries(Object.entries(own).filter(([name]) => extensionVariables.has(name) && !isWritten(name)));
};

/** A hook as a subject. Its file and event count, its line does not. */
export const hookSubject = (question: TrustQuestion, where: HookDirectories): TrustSubject => {
  const { projectDir } = where;
  const { hookId, name, eventName, source, config, matcher, sequential } = question;
  const position = originOf(config)?.position ?? positionIn(source);
  const file = position?.file;
  const place = file === undefined ? undefined : toPathWithin(projectDir, file);
  const { extension, kind } = source;
  const plugin = originOf(config)?.dialect?.plugin;
  // Computed only if needed: the files of a hook that was never approved do not matter.
  const named = once(() => {
    const own = { ...ownVariables(config), ...plugin?.variables };
    const variables = plugin?.variables ?? filledIn(own, originOf(config)?.written);
    const found = namedFiles(config, where, { own, filledIn: variables });
    return plugin === undefined ? found : { ...found, files: [...found.files, ...filesOfPlugin(plugin.root)] };
  });
  const origin = extension === undefined ? kind : `${kind}:${extension}`;
  // As written, because the value of a variable may be a secret and differs between machines.
  const written = { ...config, ...originOf(config)?.written, type: config.type ?? 'command' };
  const more = withoutFiles[config.type ?? 'command'];
  return {
    hookId,
    name,
    content: {
      kind: 'hook',
      event: eventName,
      matcher: matcher ?? '',
      sequential: sequential === true,
      source: kind,
      ...(extension === undefined ? {} : { extension }),
      ...(place === undefined ? {} : { file: place }),
      hook: toJson(written),
    },
    get files() {
      return named().files;
    },
    roots: rootsOf(projectDir, extension, file, plugin?.root),
    get start() {
      return named().start;
    },
    get notCovered() {
      return [named().notCovered, more].filter((what) => what !== undefined);
    },
    kin: [
      `id:${hookId}`,
      ...(config.name === undefined ? [] : [`name:${origin}:${config.name}`]),
      `launch:${launchOf(written)}`,
      ...(position === undefined ? [] : [`at:${place ?? position.file}:${position.line}:${position.column}`]),
    ],
    position,
  };
};

// Describes a hook as a subject of approvals: its entry, its files, and the signs that identify it after a change.
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describeThrown, isRecord, omitUndefined, once } from '../kit/index.ts';
import { isWithin, toPathWithin } from '../kit/node.ts';
import { getOrigin, type RowSource } from '../protocol/index.ts';
import type { TrustQuestion } from '../registry/index.ts';
import { getOwnVariables, type Variables } from '../runners/process-api.ts';
import { toCanonicalJson, toJsonValue } from './canonical.ts';
import { findNamedFiles, type HookDirectories } from './scripts/named-files.ts';
import type { SubjectFile, TrustSubject } from './subject.ts';

const findExtensionDirectory = (file: string): string => {
  const directory = dirname(file);
  return basename(directory) === 'hooks' ? dirname(directory) : directory;
};

const MAX_PLUGIN_FILES = 2_000;

interface PluginFiles {
  readonly files: readonly SubjectFile[];
  readonly notCovered?: string;
}

/** Lists all files, because a hook may load any file of its plugin; without `.git`, which changes with each fetch. */
const listPluginFiles = (root: string): PluginFiles => {
  try {
    const paths = readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory() && !isWithin(join(root, '.git'), entry.parentPath))
      .map(({ parentPath, name }) => join(parentPath, name));
    const files = paths.slice(0, MAX_PLUGIN_FILES).map((path) => ({ named: toPathWithin(root, path) ?? path, path }));
    if (paths.length <= MAX_PLUGIN_FILES) return { files };
    return { files, notCovered: `${paths.length - MAX_PLUGIN_FILES} of the plugin's ${paths.length} files` };
  } catch (error) {
    return { files: [], notCovered: `the files of the plugin, which cannot be listed: ${describeThrown(error)}` };
  }
};

const enginePathVariables = new Set(['extensionPath', 'workspacePath']);

const toLaunchKey = (written: Readonly<Record<string, unknown>>): string => {
  const { type, command, args, url, prompt, server, tool, input } = written;
  return toCanonicalJson(toJsonValue({ type, command, args, url, prompt, server, tool, input }));
};

const notCoveredByType: Readonly<Record<string, string>> = {
  http: 'what the server behind the URL answers, today or later',
  prompt: 'what the model answers, today or later',
  mcp: 'what the tool of the MCP server does, today or later',
  plugin: 'the code of the function',
  runtime: 'the code of the function',
};

const toPosition = ({ file, line }: RowSource): TrustSubject['position'] =>
  file === undefined ? undefined : { file, line: line ?? 1, column: 1 };

/** Selects the variables that the engine, not the settings, sets to the paths of the extension and the workspace. */
const selectEngineVariables = (own: Variables, written: Readonly<Record<string, unknown>> = {}): Variables => {
  const { env } = written;
  const isWritten = (name: string): boolean => isRecord(env) && Object.hasOwn(env, name);
  return Object.fromEntries(Object.entries(own).filter(([name]) => enginePathVariables.has(name) && !isWritten(name)));
};

export const describeHookSubject = (question: TrustQuestion, where: HookDirectories): TrustSubject => {
  const { projectDir } = where;
  const { hookId, name, eventName, source, config, matcher, sequential } = question;
  const position = getOrigin(config)?.position ?? toPosition(source);
  const file = position?.file;
  const relativeFile = file === undefined ? undefined : toPathWithin(projectDir, file);
  const { extension, kind } = source;
  const type = config.type ?? 'command';
  const plugin = getOrigin(config)?.dialect?.plugin;
  const root = plugin?.root ?? (file === undefined ? undefined : findExtensionDirectory(file));
  // Computed on demand: files of a hook without approval are never needed.
  const named = once(() => {
    const own = { ...getOwnVariables(config), ...plugin?.variables };
    const variables = plugin?.variables ?? selectEngineVariables(own, getOrigin(config)?.written);
    const found = findNamedFiles(config, where, { own, filledIn: variables });
    const { files, notCovered }: PluginFiles = plugin === undefined ? { files: [] } : listPluginFiles(plugin.root);
    return {
      ...found,
      files: [...found.files, ...files],
      notCovered: [found.notCovered, notCovered, notCoveredByType[type]],
    };
  });
  const origin = extension === undefined ? kind : `${kind}:${extension}`;
  // Variables stay unexpanded, because their values may be secrets and differ between machines.
  const written = { ...config, ...getOrigin(config)?.written, type };
  return {
    hookId,
    name,
    content: {
      kind: 'hook',
      event: eventName,
      matcher: matcher ?? '',
      sequential: sequential === true,
      source: kind,
      ...omitUndefined({ extension, file: relativeFile }),
      hook: toJsonValue(written),
    },
    get files() {
      return named().files;
    },
    roots: [
      { label: '', directory: projectDir },
      ...(extension === undefined || root === undefined ? [] : [{ label: `extension:${extension}`, directory: root }]),
    ],
    get start() {
      return named().start;
    },
    get notCovered() {
      return named().notCovered.filter((what) => what !== undefined);
    },
    kin: [
      `id:${hookId}`,
      ...(config.name === undefined ? [] : [`name:${origin}:${config.name}`]),
      `launch:${toLaunchKey(written)}`,
      ...(position === undefined ? [] : [`at:${relativeFile ?? position.file}:${position.line}:${position.column}`]),
    ],
    position,
  };
};

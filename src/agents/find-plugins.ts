// Finds the enabled plugins and extensions of an agent, and their hooks files.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { isRecord, parseJson, readAtPath, textOf } from '../kit/index.ts';
import { readRegularFile, toPathWithin } from '../kit/node.ts';
import { isAtLeast } from './agent-version.ts';
import { createWarning, type DialectProblem } from './reading/entry.ts';
import type { SwitchSource } from './reading/switches.ts';
import type { JsonObject, Plugin, PluginRule, Scope } from './rule-types.ts';
import type { DialectMode } from './rules.ts';

interface PluginCandidate {
  readonly scope: Scope;
  readonly id: string;
  readonly root: string;
  readonly version: string;
}

interface PluginSearch {
  readonly rule: PluginRule;
  readonly title: string;
  readonly mode: DialectMode;
  readonly projectDir: string;
  readonly cwd: string;
  readonly fill: (template: string) => string;
  readonly settings: readonly SwitchSource[];
  /** Collects all files that were read or looked for, and `*` in each directory that was listed. */
  readonly lookedAt: Set<string>;
}

/** People install far fewer plugins. */
const MAX_PLUGIN_FOLDERS = 500;
const MAX_MANIFEST_BYTES = 1_048_576;

const readFile = (path: string, { lookedAt }: PluginSearch) => {
  lookedAt.add(path);
  return readRegularFile(path, { maxBytes: MAX_MANIFEST_BYTES });
};

const readJson = (path: string, search: PluginSearch): JsonObject => {
  const found = readFile(path, search);
  const parsed = 'bytes' in found ? parseJson(found.bytes.toString('utf8')) : undefined;
  return parsed?.ok === true && isRecord(parsed.value) ? parsed.value : {};
};

const isReadableFile = (path: string, search: PluginSearch): boolean => 'bytes' in readFile(path, search);

const listFolders = async (directory: string, { lookedAt }: PluginSearch): Promise<string[]> => {
  lookedAt.add(join(directory, '*'));
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries.flatMap((entry) => (entry.isDirectory() || entry.isSymbolicLink() ? [entry.name] : [])).sort();
};

const expandFolders = async (
  pattern: string,
  search: PluginSearch,
): Promise<{ path: string; found: readonly string[] }[]> => {
  const [start = '', ...rest] = pattern.split(`${sep}*`);
  let all: { path: string; found: readonly string[] }[] = [{ path: start, found: [] }];
  for (const tail of rest) {
    const next: typeof all = [];
    for (const { path, found } of all)
      for (const name of await listFolders(path, search))
        next.push({ path: join(path, name, tail), found: [...found, name] });
    all = next.slice(0, MAX_PLUGIN_FOLDERS);
  }
  return all;
};

const findCandidates = async (search: PluginSearch): Promise<PluginCandidate[]> => {
  const { rule, fill } = search;
  const found: PluginCandidate[] = [];
  const listed = rule.registry === undefined ? {} : readJson(fill(rule.registry), search).plugins;
  for (const [id, value] of Object.entries(isRecord(listed) ? listed : {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      const root = isRecord(one) ? textOf(one.installPath) : undefined;
      if (root !== undefined) found.push({ id, root, version: textOf(one.version) ?? '', scope: 'user' });
    }
  }
  for (const { path, parts } of rule.folders) {
    for (const folder of await expandFolders(fill(path), search)) {
      const named = Object.fromEntries(parts.map((part, index) => [part, folder.found[index] ?? '']));
      const id = named.market === undefined ? (named.name ?? '') : `${named.name}@${named.market}`;
      const scope = path.startsWith('{project}') ? 'project' : 'user';
      found.push({ id, root: folder.path, version: named.version ?? '', scope });
    }
  }
  return found;
};

/** Marketplaces list plugins by a path inside their own folder. */
const findInMarket = (id: string, search: PluginSearch): PluginCandidate | undefined => {
  const {
    rule: { markets },
    fill,
    settings,
  } = search;
  const [name = '', market = ''] = id.split('@');
  if (markets === undefined || market === '') return undefined;
  const own = settings.map(({ root }) => readAtPath(root, ['extraKnownMarketplaces', market, 'source', 'path']));
  const installed = readAtPath(readJson(fill(markets.file), search), [market, 'installLocation']);
  const folders = [...own, installed, join(fill(markets.fallback), market)].flatMap((folder) => textOf(folder) ?? []);
  for (const folder of folders.map((one) => resolve(fill('{project}'), one))) {
    const { plugins } = readJson(join(folder, '.claude-plugin', 'marketplace.json'), search);
    const listed = Array.isArray(plugins) ? plugins.find((one) => isRecord(one) && one.name === name) : undefined;
    const source = textOf(readAtPath(listed, ['source']));
    const root = source === undefined ? undefined : resolve(folder, source);
    if (root !== undefined && toPathWithin(folder, root) !== undefined) return { id, root, version: '', scope: 'user' };
  }
  return undefined;
};

interface PluginSwitch {
  readonly isOn: boolean;
  readonly scope: Scope;
  readonly file: string;
}

/** The strongest settings file decides. Except in faithful mode, a project cannot disable the user's plugins. */
const readPluginSwitches = ({ rule, settings, mode }: PluginSearch): Map<string, PluginSwitch> => {
  const switches = new Map<string, PluginSwitch>();
  for (const { root, scope, path } of settings) {
    for (const [id, isOn] of Object.entries(rule.wishes(root))) {
      if (typeof isOn !== 'boolean' || switches.has(id)) continue;
      if (isOn || scope !== 'project' || mode === 'faithful') switches.set(id, { isOn, scope, file: path });
    }
  }
  return switches;
};

/** The last matching row of the enablement file decides. */
const isDisabledForDirectory = (id: string, search: PluginSearch): boolean => {
  const { rule, fill, cwd } = search;
  const enablement = rule.enablement === undefined ? {} : readJson(fill(rule.enablement), search);
  const overrides = readAtPath(enablement, [id, 'overrides']);
  const rows = Array.isArray(overrides) ? overrides : [];
  let isOff = false;
  for (const row of rows.map(String)) {
    const directory = row.replace(/^!/, '').replace(/\/?\*?$/, '');
    const reaches = row.endsWith('*') ? toPathWithin(directory, cwd) !== undefined : resolve(directory) === cwd;
    if (reaches || directory === '') isOff = row.startsWith('!');
  }
  return isOff;
};

const listHooksFiles = (
  root: string,
  manifest: { readonly path: string; readonly hooks: unknown },
  search: PluginSearch,
): string[] => {
  const { rule } = search;
  const named = (Array.isArray(manifest.hooks) ? manifest.hooks : [manifest.hooks]).flatMap((one) => textOf(one) ?? []);
  const inside = [...rule.hooks, ...named].map((path) => resolve(root, path));
  const files = [...new Set(inside)].filter(
    (path) => toPathWithin(root, path) !== undefined && isReadableFile(path, search),
  );
  return isRecord(manifest.hooks) ? [...files, manifest.path] : files;
};

const readPlugin = ({ id, root, version }: PluginCandidate, scope: Scope, search: PluginSearch): Plugin => {
  const { rule, fill, projectDir } = search;
  const manifests = rule.manifests.map((name) => join(root, name));
  const path = manifests.find((one) => isReadableFile(one, search)) ?? join(root, rule.manifests[0] ?? '');
  const manifest = readJson(path, search);
  const data = join(fill(rule.data ?? '{home}'), rule.data === undefined ? '' : id.replaceAll(/[^\w-]/g, '-'));
  const files = listHooksFiles(root, { path, hooks: rule.readsManifest ? manifest.hooks : undefined }, search);
  return { id, version: textOf(manifest.version) ?? version, root, data, projectDir, scope, files };
};

const isNewer = (one: PluginCandidate, other: PluginCandidate): boolean =>
  one.version !== other.version && isAtLeast(one.version, other.version);

export const findPlugins = async (given: Omit<PluginSearch, 'lookedAt'>) => {
  const search: PluginSearch = { ...given, lookedAt: new Set() };
  const { rule, title, lookedAt } = search;
  const switches = readPluginSwitches(search);
  const byId = new Map<string, PluginCandidate>();
  for (const one of await findCandidates(search)) {
    const before = byId.get(one.id);
    // A plugin of the registry wins over one found in a folder; of several versions the newest runs.
    if (before === undefined || (dirname(before.root) === dirname(one.root) && isNewer(one, before)))
      byId.set(one.id, one);
  }
  const problems: DialectProblem[] = [];
  for (const [id, { isOn, file }] of switches) {
    if (!isOn || existsSync(byId.get(id)?.root ?? '')) continue;
    const found = findInMarket(id, search);
    if (found !== undefined) byId.set(id, found);
    else {
      const message = `${title}'s ${rule.noun} ${id} is enabled here, and its folder was not found; hooks it has do not run`;
      problems.push(createWarning({ file }, message, `install it in ${title}, or switch it off there`));
    }
  }
  const plugins = [...byId.values()].flatMap((one): Plugin[] => {
    const said = switches.get(one.id) ?? switches.get(basename(one.root));
    const isOn = (said?.isOn ?? rule.isOnByDefault) && !isDisabledForDirectory(one.id, search);
    return isOn ? [readPlugin(one, one.scope === 'project' ? 'project' : (said?.scope ?? 'user'), search)] : [];
  });
  for (const { root } of byId.values()) for (const path of rule.hooks) lookedAt.add(join(root, path));
  return { plugins, problems, paths: [...lookedAt] };
};

// Builds dist/: ESM entry points that share chunks, dependencies bundled, and the declarations beside them.
//   node scripts/build.mjs [--quiet]
// Does nothing when nothing changed since the last build.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { commandOf, root, run } from './tools.mjs';

/** One line per subpath that package.json exports. They share chunks, so that a class is the same from each of them. */
const libraryEntries = {
  index: 'src/index.ts',
  engine: 'src/engine.ts',
  trust: 'src/trust.ts',
  bus: 'src/bus/index.ts',
  abilities: 'src/abilities/index.ts',
  backtest: 'src/sessions/backtest/index.ts',
  recorder: 'src/sessions/recorder/index.ts',
  dialects: 'src/agents/index.ts',
  nats: 'src/transports/index.ts',
  translators: 'src/models/translators.ts',
  'ai-sdk': 'src/adapters/ai-sdk/index.ts',
  'openai-agents': 'src/adapters/openai-agents/index.ts',
  langchain: 'src/adapters/langchain/index.ts',
  mcp: 'src/adapters/mcp/index.ts',
  'claude-agent-sdk': 'src/adapters/claude-agent-sdk/index.ts',
  tap: 'src/sessions/tap/index.ts',
  testing: 'src/testing/index.ts',
  'testing-required': 'src/testing/names.ts',
  worker: 'src/runners/serve-hook.ts',
  inspector: 'src/inspector/index.ts',
  otel: 'src/adapters/otel/index.ts',
};

/**
 * The binary runs in a process of its own, so it needs no class of the library to be the same. Built apart it does not
 * cut the library into forty pieces, each of which costs whoever imports hookwright a third of a millisecond.
 */
const binaryEntries = { program: 'src/cli/program.ts' };

/** The line that starts one of the two programs below. They are CommonJS, whose compiled code can be kept on Node 20 too. */
const startEntries = { cli: 'src/cli/main.ts' };

/** What other agents start at each of their events is a program of its own, in which there is nothing of the other commands. */
const hookEntries = { hook: 'src/cli/hook-program.ts' };

/** Each of these is one file, so that it costs one file to load; what is in several is in the first of them. */
const libraryGroups = {
  bus: [libraryEntries.bus],
  engine: [libraryEntries.index],
  // What the registry loads at its first load.
  reading: ['src/registry/hook-source.ts'],
  // What `createHooks` and the triggers load at their first call.
  hooks: ['src/facade/make-hooks.ts', 'src/facade/resume.ts'],
};
const binaryGroups = {
  // What every command needs, help included.
  start: ['src/cli/program.ts'],
  // What commands need that look at hooks: those in settings, and how they would be started.
  hooks: ['src/cli/commands/explain/run.ts', 'src/settings/read-config.ts', 'src/runners/lanes/command-lane.ts'],
  engine: [libraryEntries.index],
};
const hookGroups = {
  hook: [hookEntries.hook, 'src/settings/read-config.ts'],
  // What the packs of agents share; each of them is a file of its own.
  packs: ['src/agents/hosting/claude-like.ts', 'src/agents/hosting/host-rule.ts', 'src/agents/packs/shared.ts'],
};

const { peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const dist = join(root, 'dist');
const idFile = '.build-id';

const filesIn = (directory) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

/** Changes with everything a build depends on. */
const currentBuildId = () => {
  const settings = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
  const inputs = [
    ...filesIn(join(root, 'src')),
    ...['build.mjs', 'tools.mjs'].map((name) => join(root, 'scripts', name)),
    ...settings.map((name) => join(root, name)),
  ];
  const hash = createHash('sha256');
  for (const file of inputs) hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
};

const lastBuildId = () => {
  try {
    return readFileSync(join(dist, idFile), 'utf8');
  } catch {
    return undefined;
  }
};

/**
 * Schemas are built by `once(() => …)` on first use. Said to be pure, those that nobody uses leave a bundle, and zod with
 * them: hookwright/bus needs none, which halves what a browser loads. The same holds for lists of the keys of a table, and
 * for the scheduler of RxJS, which the bus does without.
 */
// Only what stands at the top of a module: within a function an expression that is said to be pure may be moved, and with it
// what the callbacks behind it do.
const pure =
  /(?<== )(?=once\()|(?<=^(?:export )?const [^\n]*? = )(?=Object\.(?:keys|values)\(|new (?:Set|Map|RegExp|AsyncScheduler)\(|keysAt\()/gm;
const callsArePure = {
  name: 'calls-are-pure',
  transform: {
    filter: { id: /[\\/]src[\\/].*\.ts$|[\\/]scheduler[\\/]async\.js$/ },
    handler: (code) => code.replace(pure, '/* @__PURE__ */ '),
  },
};

/**
 * The two tables that zod keeps on globalThis, made where they are first used, and its table for JSON Schema: as zod writes them they stay in every bundle, and
 * with them a class.
 */
const zodTable = /^\(_a = globalThis\)\.(\w+) \?\? \(_a\.\1 = (.+)\);\nexport const (\w+) = globalThis\.\1;/m;
const zodIsPure = {
  name: 'zod-is-pure',
  transform: {
    filter: { id: /[\\/]zod[\\/]v4[\\/]core[\\/](?:registries|core|json-schema-processors)\.js$/ },
    handler: (code) =>
      code
        .replace(zodTable, 'const shared = () => (globalThis.$1 ??= $2);\nexport const $3 = /* @__PURE__ */ shared();')
        .replace(/(?<=: )(?=formatContributor\()/g, '/* @__PURE__ */ '),
  },
};

/** No call of ours passes a scheduler to `from`, and Node needs no helper for `for await`. */
const rxjsIsPlain = {
  name: 'rxjs-is-plain',
  transform: {
    filter: { id: /[\\/]rxjs[\\/].*[\\/]observable[\\/](?:from|innerFrom)\.js$/ },
    handler: (code) =>
      code.replace('scheduler ? scheduled(input, scheduler) : ', '').replace(
        /^function process\([\s\S]*?^}/m,
        `async function process(values, subscriber) {
            for await (const value of values) {
              subscriber.next(value);
              if (subscriber.closed) return;
            }
            subscriber.complete();
          }`,
      ),
  },
};

/** Tables of Unicode that string-width makes as it is loaded, in 16 ms, are made for the first text that needs them. */
const widthIsLazy = {
  name: 'width-is-lazy',
  transform: {
    filter: { id: /[\\/]string-width[\\/]index\.js$/ },
    handler: (code) =>
      code
        .replace('/^\\p{RGI_Emoji}$/v', () => "new RegExp('^\\\\p{RGI_Emoji}$', 'v')")
        .replace('const segmenter =', 'let made;\nfunction make() {\nconst segmenter =')
        .replace('export default function', 'return function')
        .concat('}\nexport default function stringWidth(text) { return (made ??= make())(text); }\n'),
  },
};

/**
 * The binary requires its programs as they lie beside it, each in a build of its own: if it imported them, Node would read all of
 * them for the names of their exports first.
 */
const programsAreApart = {
  name: 'programs-are-apart',
  transform: {
    filter: { id: /[\\/]src[\\/]cli[\\/]main\.ts$/ },
    handler: (code) =>
      code
        .replace(/^#!.*\n/, "$&import { createRequire } from 'node:module';\n")
        .replace("import('./hook-program.ts')", "createRequire(import.meta.url)('./hook.cjs')")
        .replace("import('./program.ts')", "createRequire(import.meta.url)('./program.cjs')"),
  },
};

const rxjs = join(root, 'node_modules/rxjs/dist/esm/index.js');

const statements = /^(?:import|export)\s+(?!type\s)(?:\{([^}]*)\}|[^;'"]*?)\s+from\s+'([^']+)';/gm;

const HANDED_ON = /^export\s+(?!type\s)\{([^}]*)\}\s+from\s/gm;

const COMMENTS = /\/\*[\s\S]*?\*\//g;

/** What a file of ours names in its imports, types left out: pairs of a name and what it is called here; no list where it is all of them. */
const importsOf = (file) =>
  [...readFileSync(file, 'utf8').matchAll(statements)].map(([, list, specifier]) => {
    const names = list
      ?.replace(COMMENTS, '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !name.startsWith('type '))
      .map((name) => name.split(/\s+as\s+/));
    return { names, specifier };
  });

/**
 * Finds out, once everything is parsed, what each of some modules needs, itself and what that needs included. A door (a file
 * of nothing but `export … from`) costs whoever goes through it only what stands behind the names that are asked for.
 */
const closuresOf = (groups) => {
  const closures = groups.map(() => new Set());
  const isOurs = (id) => id.startsWith(join(root, 'src'));
  const isDoor = (id) =>
    isOurs(id) && /^(?:\s|\/\*[\s\S]*?\*\/|\/\/.*|export[^;]*\sfrom\s'[^']*';)*$/.test(readFileSync(id, 'utf8'));
  /** Whether all that is asked for by name is only handed on there. */
  const handsOn = (id, names) => {
    const statements = [...readFileSync(id, 'utf8').matchAll(HANDED_ON)].flatMap(([, list]) => namesIn(list));
    return names?.every(([name]) => statements.some(({ as }) => as === name)) === true;
  };
  /** Its index imports all of it. */
  const rxjsPartsOf = (id) => {
    const wanted = importsOf(id).flatMap(({ names, specifier }) =>
      specifier === 'rxjs' ? names.map(([name]) => name) : [],
    );
    return [...readFileSync(rxjs, 'utf8').matchAll(/^export \{([^}]*)\} from '([^']*)'/gm)]
      .filter(([, list]) => namesIn(list).some(({ as }) => wanted.includes(as)))
      .map(([, , path]) => `${join(dirname(rxjs), path)}.js`);
  };
  const plugin = {
    name: 'closures',
    buildEnd() {
      const add = (id, closure) => {
        if (closure.has(id)) return;
        closure.add(id);
        if (!isOurs(id)) for (const imported of this.getModuleInfo(id)?.importedIds ?? []) add(imported, closure);
        else for (const { names, specifier } of importsOf(id)) follow(id, specifier, names, closure);
        // What is left: packages, and imports for their effect alone.
        if (isOurs(id))
          for (const imported of this.getModuleInfo(id)?.importedIds ?? [])
            if (imported === rxjs) for (const part of rxjsPartsOf(id)) add(part, closure);
            else if (!isOurs(imported)) add(imported, closure);
      };
      const follow = (id, specifier, names, closure) => {
        if (!specifier.startsWith('.')) return;
        const target = join(dirname(id), specifier);
        if (!isDoor(target) && !handsOn(target, names)) {
          if (names === undefined || names.length > 0) add(target, closure);
          return;
        }
        const statements = importsOf(target);
        const byName = new Set(statements.flatMap(({ names: listed = [] }) => listed.map(([name, as = name]) => as)));
        for (const { names: listed, specifier: behind } of statements) {
          const wanted =
            listed === undefined
              ? names?.filter(([each]) => !byName.has(each))
              : listed.filter(([name, as = name]) => names === undefined || names.some(([each]) => each === as));
          if (wanted?.length === 0) continue;
          const asked = listed === undefined ? wanted : wanted?.map(([name]) => [name]);
          follow(target, behind, asked, closure);
        }
      };
      for (const [index, files] of groups.entries()) {
        for (const file of files) {
          const entry = join(root, file);
          closures[index].add(entry);
          for (const { names, specifier } of importsOf(entry)) follow(entry, specifier, names, closures[index]);
        }
      }
    },
  };
  return { plugin, closures };
};

const keepNames = { function: true, class: true };

/** Lists of the syntax tree in which each entry but the first may begin a line. */
const LISTS = ['body', 'consequent', 'declarations', 'expressions', 'elements', 'properties', 'arguments'];
const LINE_LENGTH = 300;
const PURE = /(\w?)\/\*\s*@__PURE__\s*\*\/ ?/g;
const NO_SIDE_EFFECTS = /\/\/ @__NO_SIDE_EFFECTS__\n|\/\* @__NO_SIDE_EFFECTS__ \*\/ ?/g;

/** A bundler needs to know which values of a module are pure: not what is within a function, nor which functions are. */
const withoutNotes = (text, parse) => {
  const code = text.replace(NO_SIDE_EFFECTS, '');
  let plain = '';
  let end = 0;
  const walk = (node) => {
    if (!/^(?:Arrow)?Function/.test(node.type)) {
      for (const each of Object.values(node)) if (typeof each === 'object' && each !== null) walk(each);
      return;
    }
    const { start, end: last } = node.body;
    plain += code.slice(end, start) + code.slice(start, last).replace(PURE, (_note, before) => before && `${before} `);
    end = last;
  };
  walk(parse(code));
  return (plain + code.slice(end)).replace(PURE, '$1/*@__PURE__*/');
};

/** Node prints the whole line of an error that was not caught: minified code gets its line breaks back. */
const breakLines = (code, parse) => {
  const starts = new Set();
  const walk = (node) => {
    for (const [key, value] of Object.entries(node)) {
      if (Array.isArray(value) && LISTS.includes(key)) for (const each of value.slice(1)) starts.add(each?.start);
      if (typeof value === 'object' && value !== null) walk(value);
    }
  };
  walk(parse(code));
  let broken = '';
  let end = 0;
  for (const start of [...starts].sort((one, other) => one - other)) {
    if (start === undefined || start - end < LINE_LENGTH) continue;
    broken += `${code.slice(end, start)}\n`;
    end = start;
  }
  return broken + code.slice(end);
};

/**
 * V8 parses the outer arrow functions of a module in full as it loads it, and a `function` only when it is called: importing
 * the package takes a seventh less time. Only arrow functions that use neither `this` nor `arguments` mean the same.
 */
const arrowsToFunctions = (code, parse) => {
  const edits = [];
  const walk = (node) => {
    if (node.type !== 'ArrowFunctionExpression') {
      if (/Function/.test(node.type)) return;
      for (const each of Object.values(node)) if (typeof each === 'object' && each !== null) walk(each);
      return;
    }
    const [, head, parentheses] = /^(.*)=>(\(*)$/s.exec(code.slice(node.start, node.body.start)) ?? [];
    if (
      head === undefined ||
      node.body.end - node.body.start < 40 ||
      /\b(?:this|arguments)\b/.test(code.slice(node.start, node.body.end))
    )
      return;
    const parameters = head.replace(/^async\b ?/, '');
    const isExpression = node.body.type !== 'BlockStatement';
    const list = parameters.startsWith('(') ? parameters : `(${parameters})`;
    edits.push({
      at: node.start,
      end: node.body.start - parentheses.length,
      text: `${node.async ? 'async ' : ''}function${list}${isExpression ? '{return ' : ''}`,
    });
    const bodyEnd = node.body.end + parentheses.length;
    if (isExpression) edits.push({ at: bodyEnd, end: bodyEnd, text: '}' });
  };
  walk(parse(code));
  let plain = '';
  let last = 0;
  for (const { at, end, text } of edits) {
    plain += code.slice(last, at) + text;
    last = end;
  }
  return plain + code.slice(last);
};

/** V8 keeps source text in half the memory if all of it is ASCII. */
const escapedUnit = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The part of zod that writes JSON Schemas. Few commands need it, and it stands behind the same door as the rest. */
const isSchemaWriter = (id) => /[\\/]zod[\\/].*json-schema[\w-]*\.js$/.test(id);

/**
 * Every file that an import leads to costs a third of a millisecond, and left to itself a bundler makes one of whatever
 * some entry points share and others do not: thirty. So what the bus needs is one file, and what the engine needs is one.
 */
const bundle = async (outdir, input, chunks, groups, { format = 'esm', isAlone = false } = {}) => {
  // Loaded here because it takes longer than finding out that nothing is to be done.
  const { rolldown } = await import('rolldown');
  const { parseAst } = await import('rolldown/parseAst');
  const names = Object.keys(groups);
  const extension = format === 'esm' ? 'js' : 'cjs';
  const { plugin, closures } = closuresOf(Object.values(groups));
  const build = await rolldown({
    cwd: root,
    input,
    platform: 'node',
    // Optional peers: vitest has to be the copy that runs the user's tests, the client of the broker the one the user connects with.
    external: Object.keys(peerDependencies).map((name) => new RegExp(`^${name}(?:/|$)`)),
    resolve: {
      alias: {
        // The condition `node` leads to CommonJS, which cannot be tree-shaken: 148 kB instead of 9.
        rxjs,
        // The variant for Node imports node:crypto, which would keep hookwright/bus out of browsers.
        nanoid: join(root, 'node_modules/nanoid/index.browser.js'),
        // The entry for Node is CommonJS, all of it and twice as large.
        yaml: join(root, 'node_modules/yaml/browser/dist/index.js'),
        // Its entry for Node is wrapped so that a bundler cannot see what it requires.
        'jsonc-parser': join(root, 'node_modules/jsonc-parser/lib/esm/main.js'),
      },
    },
    transform: { target: 'node20' },
    plugins: [callsArePure, zodIsPure, rxjsIsPlain, widthIsLazy, programsAreApart, plugin],
    logLevel: 'warn',
    ...(isAlone ? { preserveEntrySignatures: 'allow-extension' } : {}),
    // A group may hold what one of its modules loads later: it is read with the others, and run when it is asked for.
    checks: { ineffectiveDynamicImport: false },
  });
  const { output } = await build.write({
    dir: outdir,
    format,
    // Code from Node 20's code cache cannot call import().
    dynamicImportInCjs: false,
    entryFileNames: `[name].${extension}`,
    chunkFileNames: `${chunks}/[name]-[hash].${extension}`,
    comments: { jsdoc: false, legal: true, annotation: true },
    // Node parses all of this at each start of an agent: minified it is a third smaller. Names of functions and classes stay, so
    // that a stack still says where an error came from.
    minify: { compress: { keepNames }, mangle: { keepNames }, codegen: { removeWhitespace: true } },
    codeSplitting: {
      groups: names.map((name, index) => ({
        name,
        test: (id) => closures[index].has(id) && !isSchemaWriter(id),
        priority: names.length - index,
        ...(isAlone ? { includeDependenciesRecursively: false } : {}),
      })),
    },
  });
  await build.close();
  for (const { fileName, code } of output) {
    const noted = withoutNotes(code, parseAst);
    // The binary keeps its compiled code.
    const plain = format === 'esm' ? arrowsToFunctions(noted, parseAst) : noted;
    writeFileSync(join(outdir, fileName), breakLines(plain, parseAst).replace(/[\u0080-\uffff]/g, escapedUnit));
  }
  return output;
};

/** The page of the inspector: one file with its script and its style in it, so that nothing is loaded from anywhere. */
const buildPage = async (outdir) => {
  const { rolldown } = await import('rolldown');
  const from = join(root, 'src/inspector/page');
  const build = await rolldown({
    cwd: root,
    input: join(from, 'main.tsx'),
    platform: 'browser',
    tsconfig: join(from, 'tsconfig.json'),
    transform: { target: 'es2022' },
    logLevel: 'warn',
  });
  const { output } = await build.generate({ format: 'esm', minify: true });
  await build.close();
  const [{ code }] = output;
  const own = ['base', 'list', 'detail', 'views', 'phone'].map((name) => `src/inspector/page/style/${name}.css`);
  const style = ['node_modules/uplot/dist/uPlot.min.css', ...own]
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n');
  const page = readFileSync(join(from, 'template.txt'), 'utf8')
    .replace('%STYLE%', () => style)
    .replace('%SCRIPT%', () => code.replaceAll('</script', '<\\/script'));
  writeFileSync(join(outdir, 'inspector.html'), page);
  return output;
};

/** Makes both programs of the CLI use one copy of execa, 135 kB. */
const shareExeca = (outdir) => {
  const [copy, shared] = ['hook-chunks', 'cli-chunks'].map((folder) => {
    const file = readdirSync(join(outdir, folder)).find((name) => name.startsWith('execa-'));
    if (file === undefined) throw new Error(`there is no execa in ${folder}: shareExeca can go`);
    return `${folder}/${file}`;
  });
  writeFileSync(join(outdir, copy), `module.exports = require('../${shared}');\n`);
};

const bundleAll = async (outdir) => {
  const library = await bundle(outdir, libraryEntries, 'chunks', libraryGroups);
  const start = await bundle(outdir, startEntries, 'cli-chunks', {});
  const binary = await bundle(outdir, binaryEntries, 'cli-chunks', binaryGroups, { format: 'cjs' });
  const hook = await bundle(outdir, hookEntries, 'hook-chunks', hookGroups, { format: 'cjs', isAlone: true });
  shareExeca(outdir);
  chmodSync(join(outdir, 'cli.js'), 0o755);
  const page = await buildPage(outdir);
  return [...library, ...start, ...binary, ...hook, ...page];
};

/** What is bundled is redistributed, so its licences travel with it. */
const thirdPartyLicenses = (output) => {
  const bundled = output
    .flatMap(({ modules = {} }) => Object.entries(modules))
    .flatMap(([id, { renderedLength }]) => (renderedLength > 0 ? [relative(root, id).replaceAll('\\', '/')] : []));
  const directories = new Set(bundled.flatMap((file) => file.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []));
  const texts = [...directories].sort().map((directory) => {
    const files = readdirSync(join(root, directory));
    const { name, version } = JSON.parse(readFileSync(join(root, directory, 'package.json'), 'utf8'));
    const license = files.find((file) => /^licen[cs]e/i.test(file));
    if (license === undefined) throw new Error(`${name} is bundled but has no license file; add its text by hand`);
    return `${name} ${version}\n\n${readFileSync(join(root, directory, license), 'utf8').trim()}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
};

const emitDeclarations = async (outdir) => {
  const { code, output } = await run(process.execPath, [
    ...[commandOf('typescript', 'tsc'), '-p', 'tsconfig.build.json'],
    ...['--outDir', outdir],
  ]);
  if (code !== 0) throw new Error(`the declarations could not be built\n${output}`);
  // The compiler rewrites './x.ts' in JavaScript but not in declarations, where only './x.js' resolves everywhere.
  for (const file of filesIn(outdir)) {
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/((?:from|import)\s*\(?\s*['"]\.{1,2}\/[^'"]+)\.ts(?=['"])/g, '$1.js'));
  }
  bringTypesOf('zod', 'zod/mini', 'mini/index.d.ts', outdir);
  goThroughDoors(outdir);
  keepReachable(outdir);
};

const importedBy = (file) =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)]
    .map(([, specifier]) => join(dirname(file), specifier).replace(/\.js$/, '.d.ts'))
    .filter((target) => existsSync(target));

const reachableFrom = (files) => {
  const reached = new Set();
  const add = (file) => {
    if (reached.has(file)) return;
    reached.add(file);
    importedBy(file).forEach(add);
  };
  files.forEach(add);
  return reached;
};

/** The types of a bundled package stand beside ours, so that nobody installs all of it for the sake of them. */
const bringTypesOf = (name, specifier, entry, outdir) => {
  const from = join(root, 'node_modules', name);
  const to = join(outdir, 'bundled', name);
  for (const file of reachableFrom([join(from, entry)])) {
    const copy = join(to, relative(from, file));
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, readFileSync(file));
  }
  for (const file of filesIn(outdir).filter((each) => !each.startsWith(to))) {
    const way = relative(dirname(file), join(to, entry))
      .replaceAll('\\', '/')
      .replace(/\.d\.ts$/, '.js');
    const here = way.startsWith('.') ? way : `./${way}`;
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(new RegExp(`(['"])${specifier}\\1`, 'g'), `$1${here}$1`));
  }
};

const DOOR = /^(?:\s|\/\*[\s\S]*?\*\/|\/\/.*|export[^;]*\sfrom\s'[^']*';)*$/;
const LISTED = /^(import|export)( type)? \{([^}]*)\} from '(\.[^']+)';/gm;

const declarationAt = (file, specifier) => join(dirname(file), specifier).replace(/\.js$/, '.d.ts');

const ENTRY = /(\/\*[\s\S]*?\*\/)?\s*(type\s)?\s*(\w+)(?:\s+as\s+(\w+))?\s*(?:,|$)/g;

/** `type A as B` taken apart, with the comment before it. */
const namesIn = (list) =>
  [...list.matchAll(ENTRY)].map(([, comment = '', type, name, as = name]) => ({
    comment,
    name,
    as,
    isType: type !== undefined,
  }));

/**
 * A declaration that is imported through a door is imported from where it stands instead: a door lists what a whole room is
 * used for, and whoever needs one type of it must not need the types of all the rest.
 */
const goThroughDoors = (outdir) => {
  const files = filesIn(outdir).filter((file) => !file.includes(join(outdir, 'bundled')));
  const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
  const lists = new Map();
  for (const [file, text] of texts) {
    if (!DOOR.test(text)) continue;
    const names = new Map();
    for (const [, , , list, specifier] of text.matchAll(LISTED)) {
      for (const { name, as } of namesIn(list)) names.set(as, { name, file: declarationAt(file, specifier) });
    }
    lists.set(file, names);
  }
  const home = (file, name) => {
    const behind = lists.get(file)?.get(name);
    return behind === undefined ? { file, name } : home(behind.file, behind.name);
  };
  const wayTo = (from, to) => {
    const way = relative(dirname(from), to)
      .replaceAll('\\', '/')
      .replace(/\.d\.ts$/, '.js');
    return way.startsWith('.') ? way : `./${way}`;
  };
  for (const [file, text] of texts) {
    const listed = text.replace(LISTED, (statement, keyword, type = '', list, specifier) => {
      const target = declarationAt(file, specifier);
      if (!lists.has(target)) return statement;
      const lines = namesIn(list).map(({ comment, name, as, isType }) => {
        const found = home(target, name);
        const renamed = found.name === as ? as : `${found.name} as ${as}`;
        return `${keyword}${type} { ${comment}${comment && ' '}${isType ? 'type ' : ''}${renamed} } from '${wayTo(file, found.file)}';`;
      });
      return lines.join('\n');
    });
    const inline = listed.replace(/import\("(\.[^"]+)"\)\.(\w+)/g, (_expression, specifier, name) => {
      const found = home(declarationAt(file, specifier), name);
      return `import("${wayTo(file, found.file)}").${found.name}`;
    });
    if (inline !== text) writeFileSync(file, inline);
  }
};

/** Declarations that no entry point leads to are for nobody. */
const keepReachable = (outdir) => {
  const entries = Object.values(libraryEntries).map((file) =>
    join(outdir, relative('src', file).replace(/\.ts$/, '.d.ts')),
  );
  const reached = reachableFrom(entries);
  for (const file of filesIn(outdir)) if (!reached.has(file)) rmSync(file);
};

/** Puts a finished build in place of dist/. Whoever runs at the same time did the same, so the last one may win. */
const publish = (built, discarded) => {
  for (;;) {
    try {
      renameSync(dist, discarded);
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
    try {
      renameSync(built, dist);
      return;
    } catch (error) {
      // Another build took the place between the two renames.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST' && error.code !== 'EPERM') throw error;
      rmSync(discarded, { recursive: true, force: true });
    }
  }
};

const say = process.argv.includes('--quiet') ? () => {} : console.log;
const started = performance.now();
const buildId = currentBuildId();

if (buildId === lastBuildId()) {
  say('dist is up to date');
} else {
  const work = join(root, '.tmp', `build-${process.pid}`);
  const built = join(work, 'dist');
  try {
    mkdirSync(built, { recursive: true });
    const output = await bundleAll(built);
    await emitDeclarations(join(built, 'types'));
    writeFileSync(join(built, 'third-party-licenses.txt'), thirdPartyLicenses(output));
    writeFileSync(join(built, idFile), buildId);
    // The id is for this machine only, and npm packs whatever lies in dist/ unless told otherwise.
    writeFileSync(join(built, '.npmignore'), `${idFile}\n`);
    publish(built, join(work, 'discarded'));
    say(`dist built in ${Math.round(performance.now() - started)} ms`);
  } catch (error) {
    console.error(`build failed: ${error.message}`);
    process.exitCode = 1;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

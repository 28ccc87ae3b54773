// Builds dist/: ESM entry points that share chunks, dependencies bundled, and the declarations beside them.
//   node scripts/build.mjs [--quiet]
// Does nothing when nothing changed since the last build.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { commandOf, root, run } from './tools.mjs';

/** One line per subpath that package.json exports. */
const entryPoints = {
  index: 'src/index.ts',
  bus: 'src/bus/index.ts',
  backtest: 'src/backtest/index.ts',
  recorder: 'src/recorder/index.ts',
  testing: 'src/testing/index.ts',
};

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

/** CommonJS dependencies (cross-spawn) call `require` for Node's modules; ESM output has no `require`, so import them. */
const importBuiltins = {
  name: 'import-builtins',
  setup(build) {
    build.onResolve({ filter: /^[a-z_/]+$/ }, ({ path, kind }) =>
      kind === 'require-call' && builtinModules.includes(path) ? { path, namespace: 'builtin' } : undefined,
    );
    build.onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: `export { default as 'module.exports' } from 'node:${path}';`,
    }));
  },
};

/**
 * Schemas are built by `once(() => …)` on first use. Said to be pure, those that nobody uses leave a bundle, and zod with
 * them: hookwright/bus needs none, which halves what a browser loads.
 */
const onceIsPure = {
  name: 'once-is-pure',
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(/(?<== )once\(/g, '/* @__PURE__ */ once('),
      loader: 'ts',
    }));
  },
};

/**
 * esbuild makes `var Hook = class _Hook` of a class that mentions itself, and users would meet `_Hook` in their logs; its
 * keepNames prevents that but makes everything look used: 19 kB of bus instead of 8. And it imports the chunk of its own
 * helpers where none is used; bundlers complain about such an import of a package without side effects.
 */
const tidy = (text) => {
  let tidied = text.replace(/^import "\.[^"]+";\n/gm, '');
  for (const [, name] of text.matchAll(/^var (\w+) = class _\1\b/gm)) {
    tidied = tidied.replace(new RegExp(`(?<![\\w$])_${name}(?![\\w$])`, 'g'), name);
  }
  return tidied;
};

const bundle = async (outdir) => {
  // Loaded here because it takes longer than finding out that nothing is to be done.
  const esbuild = await import('esbuild');
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints,
    outdir,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // An optional peer of hookwright/testing: it has to be the copy that runs the user's tests.
    external: ['vitest'],
    alias: {
      // The condition `node` leads to CommonJS, which cannot be tree-shaken: 148 kB instead of 9.
      rxjs: './node_modules/rxjs/dist/esm/index.js',
      // The variant for Node imports node:crypto, which would keep hookwright/bus out of browsers.
      nanoid: './node_modules/nanoid/index.browser.js',
    },
    plugins: [importBuiltins, onceIsPure],
    metafile: true,
    logLevel: 'warning',
  });
  for (const file of filesIn(outdir)) writeFileSync(file, tidy(readFileSync(file, 'utf8')));
  return metafile;
};

/** What is bundled is redistributed, so its licences travel with it. */
const thirdPartyLicenses = (metafile) => {
  const bundled = Object.values(metafile.outputs).flatMap((output) =>
    Object.entries(output.inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
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
    const metafile = await bundle(built);
    await emitDeclarations(join(built, 'types'));
    writeFileSync(join(built, 'third-party-licenses.txt'), thirdPartyLicenses(metafile));
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

// npm run mutate: breaks the rules that must not be broken, one place at a time, and looks whether a test notices.
//   node scripts/mutate.mjs [--only <part of a path>] [--most <number>] [--seed <number>] [--json <file>] [--soak]
//   node scripts/mutate.mjs --named [--only <part of a name>] [--seed <number>]
// `--soak` puts each mutant to the soak first, `--named` tries those of scripts/named-mutants.mjs.
// A mutant that no test notices is a survivor: the place is printed, and what was changed there.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildSync } from 'esbuild';
import picomatch from 'picomatch';
import { createVitest, parseAst } from 'vitest/node';
import { namedMutants } from './named-mutants.mjs';
import { commandOf, root } from './tools.mjs';

/** Where a wrong sign costs a block, an approval or an answer; and the tests that have to notice. */
const targets = [
  {
    sources: ['src/merging/*.ts'],
    tests: [
      'test/events/**/*.test.ts',
      'test/merging/*.test.ts',
      'test/handlers/conflicts.test.ts',
      'test/agents/{packs,cases,engine}.test.ts',
      'test/abilities/{log,rules,run-hooks,runtime}.test.ts',
    ],
  },
  {
    sources: ['src/protocol/hooks/verdicts.ts', 'src/triggers/verdict.ts'],
    tests: ['test/protocol/*.test.ts', 'test/events/**/*.test.ts', 'test/triggers/*.test.ts', 'test/facade/*.test.ts'],
  },
  {
    sources: ['src/handlers/{event-handler,lifetime,recheck-guards,reporting/event-report}.ts'],
    tests: ['test/handlers/**/*.test.ts'],
  },
  {
    sources: ['src/runners/answer/{on-fault,parse-output,find-document}.ts'],
    tests: ['test/runners/answer/*.test.ts', 'test/protocol/verdict-spellings.test.ts'],
  },
  {
    sources: ['src/trust/**/*.ts', 'src/settings/approvals.ts'],
    // Programs of a project, guards of projects above and who may write settings show where settings are read.
    tests: ['test/trust/**/*.test.ts', 'test/settings/**/*.test.ts', 'test/agents/plugins.test.ts'],
  },
];

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    most: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    json: { type: 'string' },
    named: { type: 'boolean', default: false },
    soak: { type: 'boolean', default: false },
  },
});

const swaps = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
};

/** Every change worth trying in one file: negate a condition, swap an operator, drop a statement, miss by one. */
const mutantsOf = (file, text) => {
  const mutants = [];
  const add = (what, start, end, code) => mutants.push({ file, what, start, end, code });
  const visit = (node) => {
    if (node === null || typeof node !== 'object') return;
    if (Array.isArray(node)) {
      for (const item of node) visit(item);
      return;
    }
    const { type } = node;
    if (typeof type !== 'string' || type.startsWith('TS') || type === 'ImportDeclaration') return;
    // The condition of a loop stays: a loop without an end would be noticed by nobody but the clock.
    if (type === 'IfStatement' || type === 'ConditionalExpression') {
      add('negate', node.test.start, node.test.end, `!(${text.slice(node.test.start, node.test.end)})`);
    }
    if ((type === 'BinaryExpression' || type === 'LogicalExpression') && Object.hasOwn(swaps, node.operator)) {
      const at = text.indexOf(node.operator, node.left.end);
      add(`${node.operator} for ${swaps[node.operator]}`, at, at + node.operator.length, swaps[node.operator]);
    }
    if (type === 'WhileStatement' || type === 'ForStatement') {
      visit(node.body);
      return;
    }
    if (type === 'Literal' && typeof node.value === 'number')
      add('off by one', node.start, node.end, String(node.value + 1));
    if (type === 'Literal' && typeof node.value === 'boolean') add('swap', node.start, node.end, String(!node.value));
    if (type === 'ExpressionStatement' && node.expression.type === 'CallExpression')
      add('drop', node.start, node.end, ';');
    for (const [key, value] of Object.entries(node)) if (key !== 'type' && key !== 'typeAnnotation') visit(value);
  };
  visit(parseAst(text, { lang: 'ts' }).body);
  return mutants;
};

/** A list in an order that the seed decides, so that a run of a few is a fair sample and can be had again. */
const shuffled = (items, seed) => {
  let state = Number(seed) >>> 0 || 1;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const list = [...items];
  for (let index = list.length - 1; index > 0; index -= 1) {
    const other = Math.floor(next() * (index + 1));
    [list[index], list[other]] = [list[other], list[index]];
  }
  return list;
};

/** Mutants are tried in a copy: this tree stays as it is however the run ends. */
const work = mkdtempSync(join(tmpdir(), 'hookwright-mutate-'));
process.once('exit', () => rmSync(work, { recursive: true, force: true }));
// All of it but what is made or installed: some tests read the pages and the scripts beside the code.
const isLeftOut = (name) => ['node_modules', 'dist', '.git'].includes(name);
for (const name of readdirSync(root)) {
  if (!isLeftOut(name)) cpSync(join(root, name), join(work, name), { recursive: true });
}
symlinkSync(join(root, 'node_modules'), join(work, 'node_modules'));
process.chdir(work);

/** The engine of the copy, as the soak imports it. */
const buildEngine = () =>
  buildSync({
    absWorkingDir: work,
    entryPoints: ['src/index.ts'],
    outfile: 'dist/index.js',
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    // What is written as CommonJS asks for modules of Node.
    banner: { js: "import { createRequire as of } from 'node:module'; const require = of(import.meta.url);" },
  });

const SOAK_SECONDS = 40;

/** The first promise that the soak finds broken; `undefined` if it finds none in its time. */
const brokenInSoak = (seed) => {
  buildEngine();
  const args = [
    '--expose-gc',
    'bench/soak.mjs',
    '--seconds',
    SOAK_SECONDS,
    '--requests',
    2_000,
    '--at-once',
    12,
    '--first',
  ];
  const startedAt = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [...args, '--seed', seed].map(String), {
    cwd: work,
    encoding: 'utf8',
    // A soak that does not end has been stopped by what was broken.
    timeout: 2 * SOAK_SECONDS * 1_000,
  });
  if (status === 0) return undefined;
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  return `${stderr.split('\n')[0] || 'it does not end'} (${seconds} s)`;
};

const expectHealthySoak = () => {
  const broken = brokenInSoak(options.seed);
  if (broken !== undefined) throw new Error(`the soak is red before anything is broken: ${broken}`);
};

/** Whether a test of the copy fails. */
const isRedIn = ({ file, title, project }) => {
  const args = [commandOf('vitest', 'vitest'), 'run', file, '-t', title, '--project', project];
  return spawnSync(process.execPath, args, { cwd: work, stdio: 'ignore' }).status !== 0;
};

/** Changes texts of the copy while something is done. */
const changed = (edits, act) => {
  const before = new Map();
  for (const { file, was, is } of edits) {
    const path = join(work, file);
    const text = readFileSync(path, 'utf8');
    if (text.split(was).length !== 2) throw new Error(`${file} has not once: ${was}; write the patch anew`);
    if (!before.has(path)) before.set(path, text);
    writeFileSync(
      path,
      text.replace(was, () => is),
    );
  }
  try {
    return act();
  } finally {
    for (const [path, text] of before) writeFileSync(path, text);
  }
};

/** Tries the mutants that have a name: the soak first, then the test that is named with it. */
const tryNamed = () => {
  const wanted = namedMutants.filter(({ name }) => name.includes(options.only ?? ''));
  if (wanted.some(({ soak }) => soak !== false)) expectHealthySoak();
  const noticers = wanted.map(({ name, edits, soak, test }) => {
    const noticer = changed(edits, () => {
      const broken = soak === false ? undefined : brokenInSoak(options.seed);
      if (broken !== undefined) return `the soak: ${broken}`;
      return test !== undefined && isRedIn(test) ? `${test.file}: ${test.title}` : undefined;
    });
    console.log(`${name}: ${noticer === undefined ? 'SURVIVED' : `noticed by ${noticer}`}`);
    return noticer;
  });
  const left = noticers.filter((noticer) => noticer === undefined).length;
  console.log(`${wanted.length} mutants, ${wanted.length - left} noticed, ${left} survived`);
  process.exit(left === 0 ? 0 : 1);
};
if (options.named) tryNamed();
if (options.soak) expectHealthySoak();

const everyFile = ['src', 'test'].flatMap((folder) =>
  readdirSync(join(work, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
);
/** A pattern that fits no file is a mistake of this table: rooms move, and nobody would miss what is not tried. */
const filesOf = (patterns) =>
  patterns.flatMap((pattern) => {
    const fits = picomatch(pattern);
    // Not as a callback: what `filter` hands on besides would be read as an option, and every file would fit.
    const found = everyFile.filter((file) => fits(file));
    if (found.length === 0) throw new Error(`no file fits ${pattern}; correct the table of targets`);
    return found.map((file) => join(work, file));
  });

/** The first failure ends the run, now and then before it is told itself: then files that did not get to their end tell of it. */
const isRed = (module) => !module.ok() || module.state() === 'pending';

/** The first thing that went wrong in a file of tests. */
const whyOf = (module) => {
  const [failed] = module.children.allTests('failed');
  const [error] = [...(failed?.result().errors ?? []), ...module.errors()];
  return `${failed?.fullName ?? 'loading it'}: ${error?.message ?? 'no error was told'}`;
};

const survivors = [];
let tried = 0;
let left = Number(options.most);

const finish = () => {
  if (options.json !== undefined) {
    writeFileSync(resolve(root, options.json), `${JSON.stringify(survivors, null, 2)}\n`);
  }
  console.log(`${tried} mutants, ${tried - survivors.length} noticed, ${survivors.length} survived`);
  process.exit(0);
};

/** The workers of a run that does not end. Nothing but their end gets one out of a loop. */
const endWorkers = () => {
  const children = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [])
    .filter(([, , parent, args]) => Number(parent) === process.pid && args.includes('vitest'));
  for (const [, pid] of children) process.kill(Number(pid), 'SIGKILL');
};

for (const { sources, tests } of targets) {
  const files = filesOf(sources).filter((file) => options.only === undefined || file.includes(options.only));
  if (files.length === 0) continue;
  const wishes = {
    root: work,
    config: join(work, 'vitest.config.ts'),
    watch: true,
    bail: 1,
    reporters: [{}],
    project: ['unit'],
    standalone: true,
  };
  // What is kept from run to run lies in the copy, and not among the modules of this tree.
  const vitest = await createVitest('test', wishes, { cacheDir: join(work, '.vite') });
  const wanted = new Set(filesOf(tests));
  const specifications = (await vitest.globTestSpecifications()).filter(({ moduleId }) => wanted.has(moduleId));
  /** The files of tests that fail, and why. */
  const whatFails = async (among) => {
    const { testModules, unhandledErrors } = await vitest.rerunTestSpecifications(among);
    const failing = testModules.filter((module) => wanted.has(module.moduleId) && isRed(module));
    const reasons = failing.map((module) => `${relative(work, module.moduleId)} (${whyOf(module)})`);
    return {
      files: failing.map(({ moduleId }) => moduleId),
      why: [...reasons, ...unhandledErrors.map(({ message }) => message)],
    };
  };
  // What fails before anything is broken, on a busy machine above all, notices nothing.
  const startedAt = performance.now();
  const before = await whatFails(specifications);
  const limitMs = 30_000 + 5 * (performance.now() - startedAt);
  for (const why of before.why) console.log(`left out, for it fails beforehand: ${why}`);
  const healthy = specifications.filter(({ moduleId }) => !before.files.includes(moduleId));
  if (healthy.length === 0) throw new Error(`no test of ${sources.join(', ')} passes before anything is broken`);
  const isNoticed = async (described) => {
    // The tests of a mutant that loops without an end never come back, and the run cannot go on without its worker.
    const timer = setTimeout(() => {
      console.log(`without an end, noticed by the clock: ${described}; the rest is left out, try another --seed`);
      tried += 1;
      endWorkers();
      finish();
    }, limitMs);
    const { why } = await whatFails(healthy);
    clearTimeout(timer);
    return why.length > 0;
  };
  const mutants = shuffled(
    files.flatMap((file) => mutantsOf(file, readFileSync(file, 'utf8'))),
    options.seed,
  );
  for (const mutant of mutants.slice(0, Math.ceil(Number(options.most) / targets.length))) {
    if (left === 0) break;
    left -= 1;
    const { file, start, end, code, what } = mutant;
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.slice(0, start) + code + text.slice(end));
    vitest.invalidateFile(file);
    const line = text.slice(0, start).split('\n').length;
    const broken = options.soak ? brokenInSoak(options.seed) : undefined;
    const described = `${relative(work, file)}:${line} ${what}`;
    if (broken !== undefined) console.log(`noticed by the soak: ${described}: ${broken}`);
    const noticed = broken !== undefined || (await isNoticed(described));
    if (options.soak && broken === undefined && noticed) console.log(`noticed by a test: ${described}`);
    writeFileSync(file, text);
    vitest.invalidateFile(file);
    tried += 1;
    if (noticed) continue;
    const survivor = { file: relative(work, file), line, what, was: text.slice(start, end), is: code };
    survivors.push(survivor);
    console.log(`survived: ${survivor.file}:${line} ${what}: ${survivor.was.slice(0, 80)} → ${code.slice(0, 80)}`);
  }
  await vitest.close();
}
finish();

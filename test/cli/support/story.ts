import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, resolve } from 'node:path';

/** One command of a story, and what it has to print. */
interface Step {
  readonly command: string;
  readonly expected: string;
}

interface StoryFile {
  readonly path: string;
  readonly isExecutable: boolean;
  readonly text: string;
}

/**
 * A text file that tells what somebody does and sees: remarks (`#`), commands (`$ `) with their output below them, and files
 * that are there beforehand (`-- path --`, `-- path (executable) --`). Lines of stderr begin with `! `, an exit code other than
 * 0 stands in a line of its own (`? 64`). A path that begins with `~/` is in the home directory.
 */
export interface Story {
  readonly file: string;
  /** Its first remark. */
  readonly title: string;
  readonly remarks: string;
  readonly steps: readonly Step[];
  readonly files: readonly StoryFile[];
  /** As it stands in the file, from the first `-- path --` on. */
  readonly filesText: string;
}

const FILE_HEAD = /^-- (\S+)( \(executable\))? --$/;

const readFiles = (text: string): StoryFile[] => {
  const files: { path: string; isExecutable: boolean; lines: string[] }[] = [];
  for (const line of text.split('\n')) {
    const head = FILE_HEAD.exec(line);
    if (head !== null) files.push({ path: head[1] ?? '', isExecutable: head[2] !== undefined, lines: [] });
    else files.at(-1)?.lines.push(line);
  }
  return files.map(({ path, isExecutable, lines }) => ({ path, isExecutable, text: lines.join('\n') }));
};

const readSteps = (text: string): Step[] =>
  text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\n');
      return { command: part.slice(0, end), expected: part.slice(end + 1).replace(/\n+$/, '') };
    });

export const readStory = (file: string): Story => {
  const text = readFileSync(file, 'utf8');
  const at = text.search(/^-- \S+/m);
  const told = at === -1 ? text : text.slice(0, at);
  const filesText = at === -1 ? '' : text.slice(at);
  const remarks = told.slice(0, told.search(/^\$ /m)).trimEnd();
  const title = /^# (.*)$/m.exec(remarks)?.[1] ?? basename(file);
  return { file, title, remarks, steps: readSteps(told), files: readFiles(filesText), filesText };
};

/** Where a story happens: an empty home, a directory with its files, and nothing of this machine's settings. */
export interface Stage {
  readonly home: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

const cli = resolve('dist/cli.js');

export const createStage = async (files: readonly StoryFile[] = []): Promise<Stage> => {
  const directory = realpathSync(await mkdtemp(join(tmpdir(), 'hookwright-story-')));
  const [home, cwd, bin, runtime] = ['home', 'work', 'bin', 'run'].map((name) => join(directory, name));
  if (home === undefined || cwd === undefined || bin === undefined || runtime === undefined) throw new Error('four');
  for (const made of [home, cwd, bin, runtime]) mkdirSync(made, { mode: 0o700 });
  symlinkSync(cli, join(bin, 'hookwright'));
  for (const { path, text, isExecutable } of files) {
    const file = path.startsWith('~/') ? join(home, path.slice(2)) : join(cwd, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (isExecutable) chmodSync(file, 0o755);
  }
  const path = [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter);
  const env = { HOME: home, PATH: path, XDG_RUNTIME_DIR: runtime, COLUMNS: '80', LANG: 'C.UTF-8' };
  // Agents in stories import the package as its users do.
  mkdirSync(join(directory, 'node_modules'));
  symlinkSync(resolve('.'), join(directory, 'node_modules', 'hookwright'));
  return { home, cwd, env, remove: () => rmSync(directory, { recursive: true, force: true }) };
};

/** What differs from run to run, replaced by what it is. */
const normalise = (text: string, { home, cwd }: Stage): string =>
  text
    .replaceAll(cwd, '$CWD')
    .replaceAll(home, '$HOME')
    .replace(/\bprocess \d+/g, 'process N')
    .replace(/(?<=hooks? ran in )\d+\.\d+ s\b/g, 'N ms')
    .replace(/\b\d+(?:\.\d+)? ms\b/g, 'N ms')
    .replace(/\b\d+\.\d+ s\b */g, 'N s  ')
    .replace(/\d{4}-\d\d-\d\dT[\d-]+Z(?=\.jsonl)/g, '<time>')
    .replace(/\d{13}\.[0-9a-f]{12}\.\d+\.\d+\.[\w-]{21}(?=\.jsonl)/g, '<time>')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, '<when>')
    .replace(/(?<=on )\d{4}-\d\d-\d\d\b/g, '<day>')
    .replace(/"(startedAt|timestamp|approvedAt)":"[^"]*"/g, '"$1":"<time>"')
    .replace(/"(durationMs|totalDuration|at|bytes)":[\d.]+/g, '"$1":0')
    // Said of starts that take long, as on a machine that is busy.
    .replace(/"startupMs":[\d.]+,/g, '')
    .replace(/(?<![\w-])(?=[\w-]*[A-Z0-9])[\w-]{21}(?![\w-])/g, '<id>');

const marked = (text: string): string[] =>
  text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => `! ${line}`.trimEnd());

const perform = (command: string, stage: Stage): Promise<string> =>
  new Promise((done) => {
    const { cwd, env } = stage;
    const options = { cwd, env, timeout: 20_000, killSignal: 'SIGKILL' } as const;
    execFile('bash', ['-c', command], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : (error.code ?? error.signal);
      const lines = [
        ...(stdout === '' ? [] : [stdout.replace(/\n$/, '')]),
        ...marked(stderr),
        ...(code === 0 ? [] : [`? ${code}`]),
      ];
      done(normalise(lines.join('\n'), stage));
    });
  });

/** Performs a story and writes down what happened, in the form of its file. */
export const tellStory = async ({ remarks, steps, files, filesText }: Story): Promise<string> => {
  const stage = await createStage(files);
  try {
    const told: string[] = [];
    for (const { command } of steps) {
      const output = await perform(command, stage);
      told.push(output === '' ? `$ ${command}\n` : `$ ${command}\n${output}\n`);
    }
    return `${[remarks, told.join('\n')].filter((part) => part !== '').join('\n\n')}${filesText === '' ? '' : `\n${filesText}`}`;
  } finally {
    stage.remove();
  }
};

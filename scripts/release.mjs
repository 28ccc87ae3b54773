// A release: checks that the working tree, the version and the changelog agree, then tags the commit.
//   node scripts/release.mjs [--dry-run]
//   node scripts/release.mjs --publish     publishes a tagged commit, with provenance; for CI
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { run } from './tools.mjs';

const { values: options } = parseArgs({
  options: { 'dry-run': { type: 'boolean', default: false }, publish: { type: 'boolean', default: false } },
});
const directory = process.cwd();

const git = async (...args) => {
  const { code, stdout, output } = await run('git', args, { cwd: directory });
  if (code !== 0) throw new Error(`git ${args.join(' ')} failed: ${output.trim()}`);
  return stdout.trim();
};

/** The text below `## <version>`, up to the next heading of its rank. */
const changesIn = (changelog, version) => {
  const heading = `## ${version}`;
  const lines = changelog.split('\n');
  const at = lines.findIndex((line) => line === heading || line.startsWith(`${heading} `));
  if (at === -1) throw new Error(`CHANGELOG.md has no section "${heading}": rename "## Unreleased"`);
  const end = lines.findIndex((line, index) => index > at && line.startsWith('## '));
  const text = lines
    .slice(at + 1, end === -1 ? undefined : end)
    .join('\n')
    .trim();
  if (text === '') throw new Error(`CHANGELOG.md says nothing below "${heading}"`);
  return text;
};

const release = async () => {
  const { name, version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  const tag = `v${version}`;
  const changes = changesIn(readFileSync(join(directory, 'CHANGELOG.md'), 'utf8'), version);
  const changed = await git('status', '--porcelain');
  if (changed !== '') throw new Error(`the working tree has changes that are in no commit:\n${changed}`);
  const isTagged = (await git('tag', '--points-at', 'HEAD')).split('\n').includes(tag);
  if (options.publish) {
    if (!isTagged) throw new Error(`the current commit is not ${tag}: run node scripts/release.mjs first`);
    const { code, output } = await run('npm', ['publish', '--provenance', '--access', 'public'], { cwd: directory });
    if (code !== 0) throw new Error(`npm publish failed:\n${output.trim()}`);
    return console.log(`published ${name} ${version}`);
  }
  if (!isTagged && (await git('tag', '--list', tag)) !== '') {
    throw new Error(`${tag} is the tag of another commit: raise "version" in package.json`);
  }
  console.log(`${name} ${version}\n\n${changes}\n`);
  if (options['dry-run']) return console.log(`dry run: ${tag} was not created`);
  if (!isTagged) await git('tag', '--annotate', tag, '--message', `${name} ${version}\n\n${changes}`);
  return console.log(`${tag} is the tag of this commit; next: git push origin ${tag}, which publishes from CI`);
};

try {
  await release();
} catch (error) {
  console.error(`release: ${error.message}`);
  process.exitCode = 1;
}

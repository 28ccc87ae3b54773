import { rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { repositoryWith } from '../abilities/support.ts';
import { approveAllAt, hookwright } from './support/built-cli.ts';

const settings = JSON.stringify({
  hooks: { BeforeTool: [{ hooks: [{ name: 'guard', command: 'exit 2', onFault: 'deny' }] }] },
});

const project = (): string =>
  repositoryWith({ '.git/HEAD': '', 'home/.keep': '', '.hookwright/settings.json': settings });

const problem = /the project switched "guard" off, a guard that was approved/;

test('R1502 undo takes back what disable recorded of a guard, and what enable took back of it', async () => {
  const root = project();
  await approveAllAt(root);
  await hookwright(root, 'disable', 'guard');
  expect((await hookwright(root, 'list')).said).not.toMatch(problem);
  await hookwright(root, 'undo');
  // The project switches it off by itself now.
  const off = JSON.stringify({ ...JSON.parse(settings), hooksConfig: { disabled: ['guard'] } });
  writeFileSync(`${root}/.hookwright/settings.json`, off);
  expect((await hookwright(root, 'list')).said).toMatch(problem);
  await hookwright(root, 'disable', 'guard');
  expect((await hookwright(root, 'list')).said).not.toMatch(problem);
  await hookwright(root, 'enable', 'guard');
  await hookwright(root, 'undo');
  expect((await hookwright(root, 'list')).said).not.toMatch(problem);
});

test('R2001 disable and enable that cannot change the settings record nothing', async () => {
  const root = project();
  await approveAllAt(root);
  const inTheWay = `${root}/home/.hookwright/undo`;
  writeFileSync(inTheWay, '');
  expect(await hookwright(root, 'disable', 'guard')).toMatchObject({ code: 1 });
  const off = JSON.stringify({ ...JSON.parse(settings), hooksConfig: { disabled: ['guard'] } });
  writeFileSync(`${root}/.hookwright/settings.json`, off);
  expect((await hookwright(root, 'list')).said).toMatch(problem);
  rmSync(inTheWay);
  await hookwright(root, 'disable', 'guard');
  rmSync(inTheWay, { recursive: true, force: true });
  writeFileSync(inTheWay, '');
  expect(await hookwright(root, 'enable', 'guard')).toMatchObject({ code: 1 });
  expect((await hookwright(root, 'list')).said).not.toMatch(problem);
});

/** Runs the tests of ability hooks, and renders their results. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { HookTestResult } from '../../abilities/index.ts';
import { shorten } from '../../kit/index.ts';
import { isUnapproved } from '../../protocol/index.ts';
import type { LoadedConfig } from '../../settings/index.ts';
import type { Context } from '../context.ts';
import type { Page } from '../rendering/layout.ts';
import { formatParagraph } from '../rendering/layout.ts';
import { formatCount } from '../rendering/problem-lines.ts';
import { createSpan, type Text } from '../rendering/text.ts';
import { getAbilityHooksFolder } from '../sources/ability-hooks.ts';
import type { TestBench } from './test-bench.ts';

const UNAPPROVED_REASON = 'it is not approved in its current version, and did not run; hookwright trust shows it';

export const runAbilityTests = async (
  { config, trustsProject }: Pick<TestBench, 'config' | 'trustsProject'>,
  { signal }: Context,
): Promise<HookTestResult[]> => {
  const root = config.getProjectDir();
  if (!existsSync(join(root, '.system', 'hook-tests'))) return [];
  const { loadAbilityHooks, testAbilityHooks } = await import('../../abilities/internal.ts');
  const set = await loadAbilityHooks(getAbilityHooksFolder(root), {
    home: config.getHome(),
    log: false,
    ...(trustsProject ? { trustedFolder: true } : {}),
  });
  try {
    const rows = await set.inspect();
    const approved = new Set(
      rows.filter(({ reasons = [] }) => !reasons.some(isUnapproved)).map(({ source }) => source.file),
    );
    return await testAbilityHooks(set, {
      signal,
      refuse: ({ file }) => (approved.has(file) ? undefined : UNAPPROVED_REASON),
    });
  } finally {
    await set.dispose();
  }
};

export const listAbilityTestPaths = async (config: LoadedConfig): Promise<string[]> => {
  const directories = ['hook-tests', 'hooks'].map((name) => join(config.getProjectDir(), '.system', name));
  const names = await Promise.all(directories.map((directory) => readdir(directory).catch(() => [])));
  return directories.flatMap((directory, index) => (names[index] ?? []).map((name) => join(directory, name)));
};

const MAX_SHOWN_VALUE_LENGTH = 500;

const formatValue = (label: string, value: unknown, { width }: Page): Text =>
  value === undefined
    ? []
    : formatParagraph(`${label} ${shorten(JSON.stringify(value), MAX_SHOWN_VALUE_LENGTH)}`, width, 4, 6);

const formatResult = (result: HookTestResult, page: Page): Text => {
  const { ok, file, hook_id: id, message, expected, actual } = result;
  const mark = ok ? createSpan('green', '✓ ') : createSpan('red', '✗ ');
  return [
    ['  ', mark, id === '' ? '' : `${id}  `, createSpan('dim', file)],
    ...(message === undefined ? [] : formatParagraph(message, page.width, 4, 6, 'red')),
    ...formatValue('expected', expected, page),
    ...formatValue('found', actual, page),
  ];
};

export const formatAbilityTests = (results: readonly HookTestResult[], page: Page): Text => {
  const failed = results.filter(({ ok }) => !ok).length;
  return [
    [createSpan('dim', 'ability hooks')],
    ...results.flatMap((result) => formatResult(result, page)),
    '',
    [
      `${formatCount(results.length, 'ability test')}: `,
      createSpan('green', `${results.length - failed} passed`),
      ...(failed > 0 ? [', ', createSpan('red', `${failed} failed`)] : []),
    ],
  ];
};

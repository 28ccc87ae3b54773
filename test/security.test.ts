import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('R682 each promise of SECURITY.md leads to its tests, in a table that is up to date', () => {
  const page = readFileSync('SECURITY.md', 'utf8');
  const promised = page.slice(page.indexOf('## Promises'), page.indexOf('## Limits'));
  const bullets = promised.match(/^- [\s\S]*?(?=^- |^Tests)/gm) ?? [];
  expect(bullets.length).toBeGreaterThan(8);
  for (const bullet of bullets) expect(bullet).toMatch(/\[R\d{3}(?:, R\d{3})*\]\s*$/);
  execFileSync(process.execPath, ['scripts/generate-security.mjs', '--check']);
});

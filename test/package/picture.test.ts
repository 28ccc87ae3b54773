import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

test.skipIf(process.platform === 'win32')(
  'the picture of the README shows what the built package does today (node scripts/generate-picture.mjs)',
  async () => {
    const { agentPicture } = await import(pathToFileURL(resolve('scripts/generate-picture.mjs')).href);
    expect(readFileSync('docs/images/agent.svg', 'utf8')).toBe(await agentPicture());
  },
);

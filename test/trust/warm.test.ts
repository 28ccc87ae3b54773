import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createHooks } from '../../src/index.ts';
import { createPlace, OWN, type Place } from '../settings/support.ts';
import { approveAll } from './approve-all.ts';

const good = '#!/bin/sh\ncat >/dev/null\n';

/** Longer than it takes until the next process would wait. */
const SPARE_MS = 200;

describe.skipIf(process.platform !== 'linux')('R822 a hook that is started ahead of its event', () => {
  test.each<[how: string, swap: (place: Place, file: string, text: string) => void]>([
    ['replaced', ({ write }, file, text) => renameSync(write('project/other.sh', text), file)],
    ['written over', (_place, file, text) => writeFileSync(file, text)],
  ])('is not started with a script that was %s since it was approved', async (_how, swap) => {
    const place = createPlace();
    const ran = join(place.root, 'ran');
    const evil = `#!/bin/sh\ntouch ${ran}\ncat >/dev/null\n`;
    const file = place.write('project/check.sh', good);
    place.write(OWN, { hooks: { BeforeTool: [{ hooks: [{ name: 'x', command: 'sh ./check.sh', warm: true }] }] } });
    await approveAll(place);
    const { config } = await place.load();
    const hooks = await createHooks({ config });
    onTestFinished(() => hooks.close());
    for (let round = 0; round < 3; round += 1) {
      writeFileSync(file, good);
      // What was written just now counts as changed until its time is past.
      await sleep(SPARE_MS);
      expect(await hooks.beforeTool({ tool: 'Bash', input: {} })).toMatchObject({ faults: [] });
      swap(place, file, evil);
      await sleep(SPARE_MS);
      expect(existsSync(ran)).toBe(false);
    }
    expect(await hooks.beforeTool({ tool: 'Bash', input: {} })).toMatchObject({
      faults: [{ code: 'changed-since-trusted' }],
    });
    expect(existsSync(ran)).toBe(false);
  });
});

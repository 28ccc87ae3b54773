// B16: what do ability hooks cost where none of them is active, and how long do a thousand declarations take to read?
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAbilityHooks, runHooks } from 'hookwright/abilities';
import { alternate, fewCalls, manyCalls, scaledRow } from './support.mjs';

const declaration = (index) => `id: guard-${index}
event_type: PreAbilityCall
enabled: true
blocking: true
summary: Looks at what ability ${index} is asked for
match:
  ability_scope:
    - ability_${index}
    - other_${index}_*
handler:
  kind: script
  command: ./guards/guard-${index}.sh
`;

const repository = (count) => {
  const root = mkdtempSync(join(tmpdir(), 'hookwright-bench-'));
  const folder = join(root, '.system', 'hooks');
  mkdirSync(folder, { recursive: true });
  for (let index = 0; index < count; index += 1) writeFileSync(join(folder, `h${index}.yaml`), declaration(index));
  process.on('exit', () => rmSync(root, { recursive: true, force: true }));
  return { root, folder };
};

const contexts = Array.from({ length: 8 }, (_, index) => ({
  ability_id: `unheard_${index}`,
  caller: { source: 'ai_session' },
}));

const declared = (count) => async () => {
  const hooks = await loadAbilityHooks(repository(count).root, { trustedFolder: true, log: false });
  if (hooks.hooks.length !== count) throw new Error('the hooks were not read');
  return manyCalls((index) => runHooks(hooks, 'PreAbilityCall', contexts[index % 8]));
};

/** The least that can answer: a plan looked up by event and ability, and a fresh result. */
const bare = () => {
  const plans = new Map([['PreAbilityCall', new Map(contexts.map(({ ability_id }) => [ability_id, null]))]]);
  const fire = (eventType, { ability_id }) =>
    plans.get(eventType)?.get(ability_id) === null
      ? Promise.resolve({ event_type: eventType, success: true, logs: [], hook_signals: [], hooks: [] })
      : Promise.reject(new Error('no plan'));
  return manyCalls((index) => fire('PreAbilityCall', contexts[index % 8]));
};

const loading = () => {
  const { root } = repository(1_000);
  return fewCalls(() => loadAbilityHooks(root, { trustedFolder: true, log: false }), 3);
};

/** The least: the same files read one after the other, and nothing made of them. */
const reading = () => {
  const { folder } = repository(1_000);
  return fewCalls(() => {
    for (const name of readdirSync(folder)) readFileSync(join(folder, name), 'utf8');
  }, 3);
};

export const variants = { bare, 0: declared(0), 1000: declared(1_000), loading, reading };

export const measure = async () => {
  const figures = await alternate(import.meta.url, Object.keys(variants), { rounds: 15 });
  const rows = [0, 1_000].map((count) =>
    scaledRow({
      id: 'B16',
      what: `runHooks, nothing active, ${count} declared`,
      ours: figures[count],
      bare: figures.bare,
      bareInDocument: 0.05,
      budget: 0.3,
    }),
  );
  const load = scaledRow({
    id: 'B16',
    what: '1,000 declarations read and checked',
    ours: figures.loading,
    bare: figures.reading,
    bareInDocument: 15,
    unit: 'ms',
    budget: 300,
  });
  return [...rows, load];
};

import type { HookRow } from '../../protocol/index.ts';
import type { Story } from './wire.ts';
import { outcomes, took } from './words.ts';

interface Bar {
  readonly name: string;
  readonly waited: number;
  readonly ran: number;
  readonly row: HookRow;
}

/** When a hook began, since the request was: by the message that said so, or by the row where none did. */
const waitedOf = ({ summary, trace, times }: Story, row: HookRow, taken: Set<number>): number => {
  const place = times.findIndex(({ hookId }, index) => hookId === row.hookId && !taken.has(index));
  const time = times[place];
  if (time !== undefined) {
    taken.add(place);
    return Math.max(0, time.startedAt - summary.at);
  }
  if (row.startedAt === undefined || trace === undefined) return 0;
  return Math.max(0, Date.parse(row.startedAt) - Date.parse(trace.startedAt));
};

const barsOf = (story: Story): Bar[] => {
  const taken = new Set<number>();
  return (story.trace?.rows ?? [])
    .filter(({ outcome }) => outcome !== undefined)
    .map((row) => ({ name: row.name, row, waited: waitedOf(story, row, taken), ran: row.durationMs ?? 0 }));
};

/** Each hook of a request on one scale of time: how long it waited for its turn, and how long it took. */
export const Waterfall = ({ story }: { readonly story: Story }) => {
  const bars = barsOf(story);
  if (bars.length === 0) return null;
  const whole = Math.max(1, story.trace?.durationMs ?? 0, ...bars.map(({ waited, ran }) => waited + ran));
  const share = (ms: number): string => `${(ms / whole) * 100}%`;
  return (
    <section aria-label="Waterfall">
      <h3>
        Waterfall{' '}
        <small>
          {took(whole)} in all{story.trace === undefined ? '' : `, ${story.trace.mode}`}
        </small>
      </h3>
      <ol class="waterfall">
        {bars.map(({ name, waited, ran, row }, index) => (
          <li
            key={index}
            aria-label={`${name}: waited ${took(waited)}, ran ${took(ran)}, ${outcomes[row.outcome ?? '']}`}
          >
            <span class="name">{name}</span>
            <span class="track" aria-hidden="true">
              <i class="waited" style={{ width: share(waited) }} />
              <i class={`ran outcome-${row.outcome}`} style={{ width: `max(2px, ${share(ran)})` }} />
            </span>
            <span class="ms">
              {took(ran)}
              {waited >= 1 ? <small> after {took(waited)}</small> : null}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
};

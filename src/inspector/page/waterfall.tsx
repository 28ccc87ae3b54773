import type { HookRow } from '../../protocol/index.ts';
import type { Story } from './wire.ts';
import { kindOfRow, marksUpTo, outcomes, runKinds, took } from './words.ts';

interface Bar {
  readonly name: string;
  readonly waited: number;
  readonly started: number;
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
    .map((row) => {
      const { name, durationMs = 0, startupMs = 0 } = row;
      const started = Math.min(startupMs, durationMs);
      return { name, row, waited: waitedOf(story, row, taken), started, ran: durationMs - started };
    });
};

const endingOf = ({ waited, started, ran }: Bar): number => waited + started + ran;

const textOf = (bar: Bar): string => {
  const { name, waited, started, ran, row } = bar;
  const start = started > 0 ? `, was started for ${took(started)}` : '';
  return `${name}: waited ${took(waited)}${start}, ran ${took(ran)}, ${outcomes[row.outcome ?? '']}`;
};

/** Each hook of a request on one scale of time: its wait for a turn, the start of its process, and its own work. */
export const Waterfall = ({ story }: { readonly story: Story }) => {
  const bars = barsOf(story);
  if (bars.length === 0) return null;
  const whole = Math.max(1, story.trace?.durationMs ?? 0, ...bars.map(endingOf));
  const share = (ms: number): string => `${(ms / whole) * 100}%`;
  return (
    <section aria-label="Waterfall">
      <h3>
        Waterfall{' '}
        <small>
          {took(whole)} in all{story.trace === undefined ? '' : `, ${story.trace.mode}`}
        </small>
      </h3>
      <div class="scale" aria-hidden="true">
        <span />
        <span class="marks">
          {marksUpTo(whole).map(({ ms, label }) => (
            <i key={label} style={{ left: share(ms) }}>
              {label}
            </i>
          ))}
        </span>
        <span />
      </div>
      <ol class="waterfall">
        {bars.map((bar, index) => (
          <li key={index} aria-label={textOf(bar)}>
            <span class="name">
              {bar.name}
              {bar.row.dialect === undefined ? null : <small> {bar.row.dialect}</small>}
            </span>
            <span class="track" aria-hidden="true">
              <i class="waited" style={{ width: share(bar.waited) }} />
              <i class="started" style={{ width: share(bar.started) }} />
              <i class={`ran is-${kindOfRow(bar.row)}`} style={{ width: `max(2px, ${share(bar.ran)})` }} />
            </span>
            <span class="ms">{took(bar.started + bar.ran)}</span>
          </li>
        ))}
      </ol>
      <p class="legend" aria-hidden="true">
        <span>
          <i class="waited" /> waits for a slot
        </span>
        <span>
          <i class="started" /> its process starts
        </span>
        {Object.entries(runKinds)
          .filter(([kind]) => bars.some(({ row }) => kindOfRow(row) === kind))
          .map(([kind, word]) => (
            <span key={kind}>
              <i class={`ran is-${kind}`} /> {word}
            </span>
          ))}
      </p>
    </section>
  );
};

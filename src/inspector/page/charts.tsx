// The charts view: durations over time, verdicts, and durations of each hook.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import UPlot from 'uplot';
import type { RequestSummary } from './api-client.ts';
import { findQuantile, formatCount, formatDuration, verdictLabels } from './labels.ts';
import { useThrottled } from './use-throttled.ts';
import { Verdict } from './verdict.tsx';

interface HookTimes {
  readonly name: string;
  readonly runs: number;
  readonly faults: number;
  readonly p50: number;
  readonly p95: number;
}

const measureHooks = (requests: readonly RequestSummary[]): HookTimes[] => {
  const byName = new Map<string, { readonly times: number[]; faults: number }>();
  for (const [name, ms, outcome] of requests.flatMap(({ runs }) => runs)) {
    const known = byName.get(name) ?? { times: [], faults: 0 };
    if (outcome !== 'running' && outcome !== 'background') known.times.push(ms);
    if (outcome === 'faulted') known.faults += 1;
    byName.set(name, known);
  }
  return [...byName]
    .map(([name, { times, faults }]) => {
      const sorted = times.sort((a, b) => a - b);
      return { name, runs: sorted.length, faults, p50: findQuantile(sorted, 0.5), p95: findQuantile(sorted, 0.95) };
    })
    .sort((a, b) => b.p95 - a.p95);
};

const countVerdicts = (requests: readonly RequestSummary[]): [string, number][] => {
  const counts = new Map<string, number>();
  for (const { state, verdict } of requests) {
    if (state === 'done') counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a);
};

const readCssColour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const verdictColours: Readonly<Record<string, string>> = {
  none: '--dim',
  allow: '--allow',
  ask: '--ask',
  deny: '--deny',
  stop: '--deny',
  error: '--fault',
};

const formatSinceStart = (seconds: number, marks: readonly number[]): string => {
  const [first = 0, second = 1] = marks;
  const step = second - first;
  if (step >= 60) return `${Math.round(seconds / 60)} min`;
  return `${seconds.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)))} s`;
};

const CHART_HEIGHT_PX = 240;
/** A logarithmic axis has no zero, so shorter durations are drawn at this value. */
const MIN_DRAWN_MS = 0.1;
const AXIS_TICKS_MS = [0.1, 1, 10, 100, 1_000, 10_000, 100_000];

/** Points are rounded to this many steps per axis, and points that coincide are drawn once. */
const ROUNDING_STEPS_PER_AXIS = 1_000;

const selectDrawable = (requests: readonly RequestSummary[]): RequestSummary[] => {
  const timed = requests.filter(({ ms }) => ms !== undefined);
  const [from, to] = timed.reduce(([least, most], { at }) => [Math.min(least, at), Math.max(most, at)], [Infinity, 0]);
  const seen = new Set<string>();
  return timed
    .filter(({ at, ms = 0, verdict }) => {
      const column = Math.round(((at - from) / Math.max(1, to - from)) * ROUNDING_STEPS_PER_AXIS);
      const place = `${verdict} ${column} ${Math.round((Math.log10(Math.max(MIN_DRAWN_MS, ms)) * ROUNDING_STEPS_PER_AXIS) / AXIS_TICKS_MS.length)}`;
      return !seen.has(place) && seen.add(place);
    })
    .sort((a, b) => a.at - b.at);
};

const createChartPoints = (requests: readonly RequestSummary[]) => {
  const timed = selectDrawable(requests);
  const kinds = Object.keys(verdictLabels).filter((kind) => timed.some(({ verdict }) => verdict === kind));
  const times = timed.map(({ at }) => at / 1_000);
  const tookOf = (kind: string) =>
    timed.map(({ verdict, ms }) => (verdict === kind ? Math.max(MIN_DRAWN_MS, ms ?? 0) : null));
  return {
    kinds,
    count: timed.length,
    data: [times, ...kinds.map(tookOf)] satisfies [number[], ...(number | null)[][]],
  };
};

const DurationChart = ({ requests }: { readonly requests: readonly RequestSummary[] }) => {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    const { kinds, count, data } = createChartPoints(requests);
    if (element === null || count < 2) return;
    const draw = (): UPlot => {
      const line = readCssColour('--line');
      const axis = {
        stroke: readCssColour('--dim'),
        grid: { stroke: line, width: 1 },
        ticks: { stroke: line, width: 1 },
      };
      return new UPlot(
        {
          width: element.clientWidth,
          height: CHART_HEIGHT_PX,
          legend: { show: false },
          cursor: { show: false },
          scales: { x: { time: false }, y: { distr: 3 } },
          axes: [
            { ...axis, space: 70, values: (_plot, marks) => marks.map((seconds) => formatSinceStart(seconds, marks)) },
            {
              ...axis,
              size: 64,
              splits: (_plot, _axis, from, to) => AXIS_TICKS_MS.filter((ms) => ms >= from && ms <= to),
              values: (_plot, marks) => marks.map((ms) => formatDuration(ms)),
            },
          ],
          series: [
            {},
            ...kinds.map((kind) => {
              const fill = readCssColour(verdictColours[kind] ?? '--accent');
              return { paths: () => null, points: { show: true, size: 6, width: 0, fill, stroke: fill } };
            }),
          ],
        },
        data,
        element,
      );
    };
    let plot = draw();
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: CHART_HEIGHT_PX }));
    observer.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const redraw = (): void => {
      plot.destroy();
      plot = draw();
    };
    scheme.addEventListener('change', redraw);
    return () => {
      scheme.removeEventListener('change', redraw);
      observer.disconnect();
      plot.destroy();
    };
  }, [requests]);
  return <div class="plot" ref={box} role="img" aria-label="How long each request took, over time" />;
};

const VerdictBars = ({ counts }: { readonly counts: readonly (readonly [string, number])[] }) => {
  const all = counts.reduce((sum, [, count]) => sum + count, 0);
  return (
    <section class="card" aria-label="Verdicts">
      <h2>Verdicts</h2>
      <table>
        <tbody>
          {counts.map(([verdict, count]) => (
            <tr key={verdict}>
              <th scope="row">
                <Verdict verdict={verdict} />
              </th>
              <td class="wide">
                <span class="track" aria-hidden="true">
                  <i class={`share is-${verdict}`} style={{ width: `max(2px, ${(count / all) * 100}%)` }} />
                </span>
              </td>
              <td class="number">{count.toLocaleString('en')}</td>
              <td class="number dim">{count / all < 0.01 ? '<1 %' : `${Math.round((count / all) * 100)} %`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
};

const MAX_SHOWN_HOOKS = 200;

interface RangeProps {
  readonly p50: number;
  readonly p95: number;
  readonly slowest: number;
  readonly isLog: boolean;
}

const DurationRange = ({ p50, p95, slowest, isLog }: RangeProps) => {
  const place = (ms: number): number => (isLog ? Math.log1p(ms) / Math.log1p(slowest) : ms / slowest) * 100;
  return (
    <span class="track" aria-hidden="true">
      <i class="p95" style={{ width: `${place(p95)}%` }} />
      <i class="p50" style={{ width: `max(2px, ${place(p50)}%)` }} />
    </span>
  );
};

const HookTimesTable = ({ hooks }: { readonly hooks: readonly HookTimes[] }) => {
  const [isLog, setLog] = useState(false);
  const slowest = Math.max(1, ...hooks.map(({ p95 }) => p95));
  return (
    <section class="card" aria-label="Hooks">
      <h2>How long hooks took</h2>
      {hooks.length === 0 ? <p>No hook ran.</p> : null}
      <table class="hooks">
        <thead>
          <tr>
            <th scope="col">hook</th>
            <th scope="col" class="wide">
              p50 / p95{' '}
              <button type="button" class="switch" aria-pressed={isLog} onClick={() => setLog(!isLog)}>
                log scale
              </button>
            </th>
            {['p50', 'p95', 'runs'].map((title) => (
              <th key={title} scope="col" class="number">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {hooks.slice(0, MAX_SHOWN_HOOKS).map(({ name, runs, faults, p50, p95 }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="wide">
                <DurationRange p50={p50} p95={p95} slowest={slowest} isLog={isLog} />
              </td>
              <td class="number">{formatDuration(p50)}</td>
              <td class="number">{formatDuration(p95)}</td>
              <td class="number">
                {runs.toLocaleString('en')}
                {faults === 0 ? null : <b class="faults"> {formatCount(faults, 'fault')}</b>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {hooks.length > MAX_SHOWN_HOOKS ? (
        <p class="dim">
          the {MAX_SHOWN_HOOKS} slowest of {formatCount(hooks.length, 'hook')}
        </p>
      ) : null}
    </section>
  );
};

export const Charts = ({ requests: latest }: { readonly requests: readonly RequestSummary[] }) => {
  const requests = useThrottled(latest);
  const hooks = useMemo(() => measureHooks(requests), [requests]);
  const counts = useMemo(() => countVerdicts(requests), [requests]);
  return (
    <div class="charts">
      <VerdictBars counts={counts} />
      <section class="card" aria-label="Durations">
        <h2>
          How long requests took <small>log scale, coloured by verdict</small>
        </h2>
        <DurationChart requests={requests} />
      </section>
      <HookTimesTable hooks={hooks} />
    </div>
  );
};

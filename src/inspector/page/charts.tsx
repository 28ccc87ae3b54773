import { useEffect, useMemo, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import type { Summary } from './wire.ts';
import { counted, quantile, took, verdicts } from './words.ts';

interface HookTimes {
  readonly name: string;
  readonly runs: number;
  readonly faults: number;
  readonly p50: number;
  readonly p95: number;
}

const hookTimes = (requests: readonly Summary[]): HookTimes[] => {
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
      return { name, runs: sorted.length, faults, p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95) };
    })
    .sort((a, b) => b.p95 - a.p95);
};

const countVerdicts = (requests: readonly Summary[]): [string, number][] => {
  const counts = new Map<string, number>();
  for (const { state, verdict } of requests) {
    if (state === 'done') counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a);
};

const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** How long requests took, over time. */
const Durations = ({ requests }: { readonly requests: readonly Summary[] }) => {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    const timed = requests.filter(({ ms }) => ms !== undefined).sort((a, b) => a.at - b.at);
    if (element === null || timed.length < 2) return;
    const axis = { stroke: colour('--dim'), grid: { stroke: colour('--line') }, ticks: { stroke: colour('--line') } };
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height: 220,
        legend: { show: false },
        scales: { x: { time: false } },
        axes: [
          { ...axis, values: (_plot, marks) => marks.map((seconds) => `${seconds} s`) },
          { ...axis, size: 64, values: (_plot, marks) => marks.map((ms) => took(ms)) },
        ],
        series: [
          {},
          { paths: () => null, points: { show: true, size: 5, fill: colour('--accent'), stroke: colour('--accent') } },
        ],
      },
      [timed.map(({ at }) => at / 1_000), timed.map(({ ms }) => ms ?? 0)],
      element,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: 220 }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [requests]);
  return <div class="plot" ref={box} role="img" aria-label="How long each request took, over time" />;
};

const Meter = ({ share, kind }: { readonly share: number; readonly kind: string }) => (
  <span class="track" aria-hidden="true">
    <i class={kind} style={{ width: `${share * 100}%` }} />
  </span>
);

export const Charts = ({ requests }: { readonly requests: readonly Summary[] }) => {
  const hooks = useMemo(() => hookTimes(requests), [requests]);
  const counts = useMemo(() => countVerdicts(requests), [requests]);
  const slowest = Math.max(1, ...hooks.map(({ p95 }) => p95));
  const most = Math.max(1, ...counts.map(([, count]) => count));
  return (
    <div class="charts">
      <section aria-label="Verdicts">
        <h2>Verdicts</h2>
        <table>
          <tbody>
            {counts.map(([verdict, count]) => (
              <tr key={verdict} class={`verdict-${verdict}`}>
                <th scope="row">
                  <span class="verdict">{verdicts[verdict]?.word ?? verdict}</span>
                </th>
                <td class="wide">
                  <Meter share={count / most} kind="count" />
                </td>
                <td>{count.toLocaleString('en')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <section aria-label="Durations">
        <h2>How long requests took</h2>
        <Durations requests={requests} />
      </section>
      <section aria-label="Hooks">
        <h2>How long hooks took</h2>
        {hooks.length === 0 ? <p>No hook ran.</p> : null}
        <table>
          <thead>
            <tr>
              <th scope="col">hook</th>
              <th scope="col" class="wide">
                p50 within p95
              </th>
              <th scope="col">p50</th>
              <th scope="col">p95</th>
              <th scope="col">runs</th>
            </tr>
          </thead>
          <tbody>
            {hooks.slice(0, 200).map(({ name, runs, faults, p50, p95 }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td class="wide">
                  <span class="track" aria-hidden="true">
                    <i class="p95" style={{ width: `${(p95 / slowest) * 100}%` }} />
                    <i class="p50" style={{ width: `${(p50 / slowest) * 100}%` }} />
                  </span>
                </td>
                <td>{took(p50)}</td>
                <td>{took(p95)}</td>
                <td>
                  {runs.toLocaleString('en')}
                  {faults === 0 ? '' : `, ${counted(faults, 'fault')}`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
};

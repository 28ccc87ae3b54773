import { useEffect, useState } from 'preact/hooks';
import { type Compared, type Comparison, type Decided, fetchComparison } from './wire.ts';
import { counted, verdicts } from './words.ts';

const decidedText = ({ verdict, reason }: Decided): string =>
  `${verdicts[verdict]?.word ?? verdict}${reason === undefined ? '' : `: ${reason}`}`;

const Decision = ({ one, onShow }: { readonly one: Compared; readonly onShow: (id: string) => void }) => (
  <tr>
    <th scope="row">
      {one.correlationId === undefined ? (
        `${one.eventName} ${one.subject ?? ''}`
      ) : (
        <button type="button" class="link" onClick={() => onShow(one.correlationId ?? '')}>
          {one.eventName} {one.subject ?? ''}
        </button>
      )}
      <br />
      <small>{one.kinds.join(', ')}</small>
    </th>
    <td class={`verdict-${one.before.verdict}`}>
      <span class="verdict">{decidedText(one.before)}</span>
    </td>
    <td class={`verdict-${one.after.verdict}`}>
      <span class="verdict">{decidedText(one.after)}</span>
      {one.details?.map((detail) => (
        <p class="source" key={detail}>
          {detail}
        </p>
      ))}
    </td>
  </tr>
);

const AT_ONCE = 500;

/** What a backtest found: each decision as it was recorded, and as it would be now. */
export const Diff = ({ onShow }: { readonly onShow: (id: string) => void }) => {
  const [report, setReport] = useState<Comparison | null>();
  const [kind, setKind] = useState('');
  const [problem, setProblem] = useState('');
  useEffect(() => {
    fetchComparison().then(setReport, (error: Error) => setProblem(error.message));
  }, []);
  if (problem !== '') return <p role="alert">{problem}</p>;
  if (report === undefined || report === null) return <p>…</p>;
  const kinds = Object.entries(report.counts).filter(([, count]) => count > 0);
  const shown = report.decisions.filter(({ kinds: of }) => kind === '' || of.includes(kind));
  return (
    <section class="diff" aria-label="Backtest">
      <h2>Recorded, and now</h2>
      <p>
        {counted(report.total, 'decision')}, {report.mode} run. {report.notice ?? ''}
      </p>
      <label>
        what changed{' '}
        <select value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value)}>
          <option value="">anything</option>
          {kinds.map(([name, count]) => (
            <option key={name} value={name}>
              {name} ({count})
            </option>
          ))}
        </select>
      </label>
      <table>
        <thead>
          <tr>
            <th scope="col">request</th>
            <th scope="col">recorded</th>
            <th scope="col">now</th>
          </tr>
        </thead>
        <tbody>
          {shown.slice(0, AT_ONCE).map((one, index) => (
            <Decision key={index} one={one} onShow={onShow} />
          ))}
        </tbody>
      </table>
      {shown.length > AT_ONCE ? (
        <p>
          the first {AT_ONCE} of {shown.length}; choose a kind to see fewer
        </p>
      ) : null}
    </section>
  );
};

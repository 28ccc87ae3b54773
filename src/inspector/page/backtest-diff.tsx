// The backtest view: a table of recorded and current decisions.
import { useEffect, useState } from 'preact/hooks';
import { type BacktestComparison, type ComparedDecision, type DecisionSummary, fetchComparison } from './api-client.ts';
import { formatCount } from './labels.ts';
import { Verdict } from './verdict.tsx';

const DecisionSide = ({ verdict, reason }: DecisionSummary) => (
  <>
    <Verdict verdict={verdict} />
    {reason === undefined || reason === '' ? null : <p class="reason">{reason}</p>}
  </>
);

interface DecisionProps {
  readonly one: ComparedDecision;
  readonly gist: string | undefined;
  readonly onShow: (id: string) => void;
}

const DecisionRow = ({ one, gist, onShow }: DecisionProps) => {
  const title = `${one.eventName} ${one.subject ?? ''}`.trim();
  return (
    <tr>
      <th scope="row">
        {one.correlationId === undefined ? (
          title
        ) : (
          <button type="button" class="link" onClick={() => onShow(one.correlationId ?? '')}>
            {title}
          </button>
        )}
        {gist === undefined ? null : <code class="gist">{gist}</code>}
        <span class="kinds">
          {one.kinds.map((kind) => (
            <span key={kind} class="kind">
              {kind}
            </span>
          ))}
        </span>
      </th>
      <td data-title="recorded">
        <DecisionSide {...one.before} />
      </td>
      <td data-title="now">
        <DecisionSide {...one.after} />
        {one.details?.map((detail) => (
          <p class="source" key={detail}>
            {detail}
          </p>
        ))}
      </td>
    </tr>
  );
};

const MAX_SHOWN_DECISIONS = 500;

interface DiffProps {
  readonly gistOf: (id: string) => string | undefined;
  readonly onShow: (id: string) => void;
}

const hasOtherVerdict = ({ before, after }: ComparedDecision): boolean => before.verdict !== after.verdict;

export const BacktestDiff = ({ gistOf, onShow }: DiffProps) => {
  const [report, setReport] = useState<BacktestComparison | null>();
  const [kind, setKind] = useState('');
  const [problem, setProblem] = useState('');
  useEffect(() => {
    fetchComparison().then(setReport, (error: Error) => setProblem(error.message));
  }, []);
  if (problem !== '') return <p role="alert">{problem}</p>;
  if (report === undefined || report === null) return <p>…</p>;
  const kinds = Object.entries(report.counts).filter(([, count]) => count > 0);
  const shown = report.decisions
    .filter(({ kinds: of }) => kind === '' || of.includes(kind))
    .sort((one, other) => Number(hasOtherVerdict(other)) - Number(hasOtherVerdict(one)));
  return (
    <section class="diff" aria-label="Backtest">
      <h2>
        Recorded, and now <small>{formatCount(report.total, 'decision')}</small>
      </h2>
      <p class="dim">{report.notice ?? `${report.mode} run`}</p>
      <p>
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
      </p>
      {shown.length === 0 ? <p>Every decision comes out as it was recorded.</p> : null}
      <table>
        <thead>
          <tr>
            <th scope="col">request</th>
            <th scope="col">recorded</th>
            <th scope="col">now</th>
          </tr>
        </thead>
        <tbody>
          {shown.slice(0, MAX_SHOWN_DECISIONS).map((one, index) => (
            <DecisionRow key={index} one={one} gist={gistOf(one.correlationId ?? '')} onShow={onShow} />
          ))}
        </tbody>
      </table>
      {shown.length > MAX_SHOWN_DECISIONS ? (
        <p>
          the first {MAX_SHOWN_DECISIONS} of {shown.length}; choose a kind to see fewer
        </p>
      ) : null}
    </section>
  );
};

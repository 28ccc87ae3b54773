// Shows a verdict as a coloured symbol and a word.
import type { RequestSummary } from './api-client.ts';
import { verdictLabels } from './labels.ts';

const unfinishedLabels = {
  asking: { word: 'asks', mark: '?', kind: 'ask' },
  running: { word: 'running', mark: '…', kind: 'none' },
} as const;

interface VerdictProps {
  readonly verdict: string;
  readonly state?: RequestSummary['state'];
}

export const Verdict = ({ verdict, state = 'done' }: VerdictProps) => {
  const { word, mark, kind } =
    state === 'done'
      ? { ...(verdictLabels[verdict] ?? { word: verdict, mark: '' }), kind: verdict }
      : unfinishedLabels[state];
  return (
    <span class={`verdict is-${kind}`}>
      <span aria-hidden="true">{mark}</span> {word}
    </span>
  );
};

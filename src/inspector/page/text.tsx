import { useMemo, useState } from 'preact/hooks';
import { visibleJson } from '../../kit/index.ts';
import { counted } from './labels.ts';

const LONG = 2_000;
/** What is longer is shown without colours: each word of it would be an element. */
const COLOURED = 20_000;

const TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b/g;

interface Piece {
  readonly text: string;
  readonly kind?: 'key' | 'string' | 'word';
}

const piecesOf = (json: string): readonly Piece[] => {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of json.matchAll(TOKENS)) {
    const [whole, string, colon] = match;
    if (match.index > end) pieces.push({ text: json.slice(end, match.index) });
    pieces.push({ text: whole, kind: colon !== undefined ? 'key' : string !== undefined ? 'string' : 'word' });
    end = match.index + whole.length;
  }
  return [...pieces, { text: json.slice(end) }];
};

const Json = ({ text }: { readonly text: string }) => {
  const pieces = useMemo(() => (text.length > COLOURED ? [{ text }] : piecesOf(text)), [text]);
  return (
    <>
      {pieces.map(({ text: piece, kind }: Piece, index) =>
        kind === undefined ? (
          piece
        ) : (
          <span key={index} class={`json-${kind}`}>
            {piece}
          </span>
        ),
      )}
    </>
  );
};

interface TextProps {
  readonly label: string;
  readonly value: unknown;
  readonly isOpen?: boolean;
}

/** Text of a hook or an agent: never markup, and cut until the user opens it. */
export const Text = ({ label, value, isOpen = false }: TextProps) => {
  const [isWhole, setWhole] = useState(false);
  if (value === undefined || value === '') return null;
  const isPlain = typeof value === 'string';
  const text = isPlain ? value : visibleJson(JSON.stringify(value, undefined, 2));
  const isLong = text.length > LONG;
  const shown = isLong && !isWhole ? `${text.slice(0, LONG)} …` : text;
  return (
    <details class="text" open={isOpen}>
      <summary>
        {label} <small>{counted(text.length, 'character')}</small>
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by the keyboard, too */}
      <pre tabIndex={0}>{isPlain ? shown : <Json text={shown} />}</pre>
      {isLong ? (
        <button type="button" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'less' : 'all of it'}
        </button>
      ) : null}
    </details>
  );
};

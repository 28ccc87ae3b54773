// The list of requests, which renders only visible lines.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RequestSummary } from './api-client.ts';
import { askOutcomeLabels, formatCount, formatDuration, formatTime } from './labels.ts';
import { Verdict } from './verdict.tsx';

const OVERSCAN_LINES = 8;

/** Narrower pages show a request on two lines; style/list.css has the same width in pixels. */
const NARROW_WIDTH_PX = 640;

const getLineHeight = (list: HTMLElement | null): number =>
  (list?.clientWidth ?? NARROW_WIDTH_PX) < NARROW_WIDTH_PX ? 56 : 32;

const RequestLine = ({ summary, isChosen, top, position, count, onChoose }: LineProps) => {
  const { id, at, event, subject, state, verdict, ms, gist, reason, runs, became } = summary;
  const faults = runs.filter(([, , outcome]) => outcome === 'faulted').length;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and says which of its options is the active one
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list hears the keys
    <div
      role="option"
      id={`request-${id}`}
      aria-selected={isChosen}
      aria-posinset={position + 1}
      aria-setsize={count}
      class={`line verdict-${verdict} ${isChosen ? 'chosen' : ''}`}
      style={{ top: `${top}px` }}
      onClick={onChoose}
    >
      <span class="at">{formatTime(at)}</span>
      <span class="about">
        <span class="event">{event}</span> <b class="subject">{subject ?? ''}</b>
      </span>
      <Verdict verdict={verdict} state={state} />
      <span class="ms">{formatDuration(ms)}</span>
      <span class="what">
        {faults > 0 ? <b class="faults">{formatCount(faults, 'fault')} </b> : null}
        {verdict !== 'ask' || became === undefined || became === 'waiting' ? null : (
          <b class={`became is-${became}`}>{askOutcomeLabels[became]} </b>
        )}
        {gist === undefined ? null : <code>{gist} </code>}
        {reason === undefined || reason === '' ? null : <span class="reason">{reason}</span>}
      </span>
    </div>
  );
};

interface LineProps {
  readonly summary: RequestSummary;
  readonly isChosen: boolean;
  readonly top: number;
  readonly position: number;
  readonly count: number;
  readonly onChoose: () => void;
}

interface ListProps {
  readonly requests: readonly RequestSummary[];
  readonly chosen: string | undefined;
  readonly follows: boolean;
  readonly nothing: string;
  readonly onChoose: (id: string) => void;
  readonly onOpen: () => void;
}

export const RequestList = ({ requests, chosen, follows, nothing, onChoose, onOpen }: ListProps) => {
  const box = useRef<HTMLDivElement>(null);
  /** New requests scroll the list only if the user sees its end. */
  const isAtEnd = useRef(true);
  const [view, setView] = useState({ top: 0, height: 600 });
  const [height, setHeight] = useState(() => getLineHeight(null));
  const updateView = (): void => {
    const element = box.current;
    if (element === null) return;
    const { scrollTop: top, clientHeight, scrollHeight } = element;
    isAtEnd.current = top + clientHeight >= scrollHeight - height;
    setView({ top, height: clientHeight });
  };
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      setHeight(getLineHeight(element));
      updateView();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const element = box.current;
    if (follows && isAtEnd.current && element !== null) element.scrollTop = element.scrollHeight;
  }, [follows, requests.length]);

  const position = requests.findIndex(({ id }) => id === chosen);
  const choose = (next: number): void => {
    const index = Math.max(0, Math.min(requests.length - 1, next));
    const request = requests[index];
    const element = box.current;
    if (request === undefined || element === null) return;
    onChoose(request.id);
    const top = index * height;
    if (top < element.scrollTop) element.scrollTop = top;
    if (top + height > element.scrollTop + element.clientHeight)
      element.scrollTop = top + height - element.clientHeight;
  };
  const page = Math.max(1, Math.floor(view.height / height) - 1);
  const steps: Readonly<Record<string, () => number>> = {
    ArrowDown: () => position + 1,
    ArrowUp: () => (position === -1 ? requests.length - 1 : position - 1),
    PageDown: () => position + page,
    PageUp: () => position - page,
    Home: () => 0,
    End: () => requests.length - 1,
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && chosen !== undefined) onOpen();
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    choose(step());
  };
  const first = Math.max(0, Math.floor(view.top / height) - OVERSCAN_LINES);
  const shown = requests.slice(first, first + Math.ceil(view.height / height) + 2 * OVERSCAN_LINES);
  return (
    <div
      class="list"
      role="listbox"
      tabIndex={0}
      aria-label="Requests"
      aria-activedescendant={position === -1 ? undefined : `request-${chosen}`}
      ref={box}
      onScroll={updateView}
      onKeyDown={onKeyDown}
    >
      {requests.length === 0 ? <p class="nothing">{nothing}</p> : null}
      <div class="whole" role="presentation" style={{ height: `${requests.length * height}px` }}>
        {shown.map((summary, index) => (
          <RequestLine
            key={summary.id}
            summary={summary}
            isChosen={summary.id === chosen}
            top={(first + index) * height}
            position={first + index}
            count={requests.length}
            onChoose={() => onChoose(summary.id)}
          />
        ))}
      </div>
    </div>
  );
};

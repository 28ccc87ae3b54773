// The whole page: tabs, filters, replay controls, and the open view.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { RequestSummary } from './api-client.ts';
import { BacktestDiff } from './backtest-diff.tsx';
import { Charts } from './charts.tsx';
import { formatCount, formatTime, verdictLabels } from './labels.ts';
import { emptyFilter, matchesFilter, type PageStore, type RequestFilter } from './page-store.ts';
import { RequestDetail } from './request-detail.tsx';
import { RequestList } from './request-list.tsx';
import { useThrottled } from './use-throttled.ts';

type PageView = 'requests' | 'charts' | 'diff';

const useStore = (store: PageStore): number => {
  const [version, setVersion] = useState(store.version);
  useEffect(() => store.listen(() => setVersion(store.version)), [store]);
  return version;
};

const describeStatus = (store: PageStore): string => {
  const { hello, state, isConnected } = store;
  if (hello === undefined) return 'connecting';
  if (hello.kind === 'session') return state.isOver ? 'recorded' : 'reading';
  if (!isConnected) return 'not connected';
  return state.isOver ? 'the agent ended' : 'live';
};

const describeEmptyList = ({ hello, state, all }: PageStore): string => {
  if (all.length > 0) return 'No request matches these filters.';
  if (hello === undefined || (hello.kind === 'session' && !state.isOver)) return 'Reading …';
  return hello.kind === 'session'
    ? 'This session has no requests. Record one: npx hookwright record -- <your agent>'
    : 'No request yet. Give the agent a prompt: each request to its hooks appears here.';
};

const ListHeader = () => (
  <div class="columns" aria-hidden="true">
    <span>time</span>
    <span>event and tool</span>
    <span>verdict</span>
    <span class="ms">took</span>
    <span class="what">what and why</span>
  </div>
);

const ViewTabs = ({
  view,
  compares,
  onView,
}: {
  readonly view: PageView;
  readonly compares: boolean;
  readonly onView: (view: PageView) => void;
}) => {
  const views: readonly (readonly [PageView, string])[] = [
    ['requests', 'Requests'],
    ['charts', 'Charts'],
    ...(compares ? ([['diff', 'Backtest']] as const) : []),
  ];
  return (
    <nav class="tabs" aria-label="Views">
      {views.map(([one, word]) => (
        <button key={one} type="button" aria-current={one === view ? 'page' : undefined} onClick={() => onView(one)}>
          {word}
        </button>
      ))}
    </nav>
  );
};

export const App = ({ store }: { readonly store: PageStore }) => {
  const version = useStore(store);
  const [view, setView] = useState<PageView>('requests');
  const [filter, setFilter] = useState(emptyFilter);
  const [chosen, setChosen] = useState<string>();
  const [isOpened, setOpened] = useState(0);
  const [cursor, setCursor] = useState<number>();
  const { hello, state } = store;
  const isSession = hello?.kind === 'session';

  const all = useMemo(() => [...store.all], [version]);
  const calm = useThrottled(all);
  const choices = useMemo(() => collectChoices(calm), [calm]);
  const upTo = useMemo(() => (cursor === undefined ? all : all.slice(0, cursor)), [all, cursor]);
  const requests = useMemo(() => upTo.filter((one) => matchesFilter(one, filter)), [upTo, filter]);
  const asking = useMemo(() => all.filter((one) => one.state === 'asking'), [all]);
  const summary = chosen === undefined ? undefined : store.find(chosen);
  const open = (id: string): void => {
    setView('requests');
    setChosen(id);
    setOpened((count) => count + 1);
  };
  useEffect(() => {
    const onKeyDown = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') setChosen(undefined);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);

  const countText =
    requests.length === all.length
      ? formatCount(all.length, 'request')
      : `${requests.length} of ${formatCount(all.length, 'request')}`;
  return (
    <>
      <header>
        <h1>
          <span class="brand">hookwright</span> <small>{hello?.name ?? ''}</small>
        </h1>
        <ViewTabs view={view} compares={hello?.compares ?? false} onView={setView} />
        <p class="status">
          <span class={`dot ${describeStatus(store).replaceAll(' ', '-')}`} aria-hidden="true" />{' '}
          <span role="status">{describeStatus(store)}</span>, {countText}
          {state.dropped > 0 ? `, ${formatCount(state.dropped, 'message')} came too fast to be shown` : ''}
          {state.forgotten > 0 ? `, ${formatCount(state.forgotten, 'older request')} let go` : ''}
        </p>
      </header>
      {state.problem === undefined ? null : <p role="alert">{state.problem}</p>}
      <div role="status">
        {asking.length === 0 ? null : (
          <p class="asking">
            {asking.slice(0, 5).map(({ id, event, subject }) => (
              <button type="button" key={id} onClick={() => open(id)}>
                {event} <b>{subject ?? ''}</b> asks
              </button>
            ))}
          </p>
        )}
      </div>
      {view === 'diff' ? null : <FilterBar filter={filter} choices={choices} onChange={setFilter} />}
      {isSession && view !== 'diff' ? (
        <ReplayControls requests={all} cursor={cursor ?? all.length} onMove={setCursor} />
      ) : null}
      <main
        class={`view-${view} ${view === 'requests' && summary !== undefined ? 'with-detail' : ''}`}
        tabIndex={view === 'requests' ? undefined : 0}
      >
        {view === 'requests' ? (
          <>
            <ListHeader />
            <RequestList
              requests={requests}
              chosen={chosen}
              follows={summary === undefined && (!isSession || cursor !== undefined)}
              nothing={describeEmptyList(store)}
              onChoose={setChosen}
              onOpen={() => setOpened((count) => count + 1)}
            />
            {summary === undefined ? null : (
              <RequestDetail
                summary={summary}
                answers={hello?.answers ?? false}
                isOpened={isOpened}
                onClose={() => setChosen(undefined)}
              />
            )}
          </>
        ) : null}
        {view === 'charts' ? <Charts requests={requests} /> : null}
        {view === 'diff' ? <BacktestDiff gistOf={(id) => store.find(id)?.gist} onShow={open} /> : null}
      </main>
    </>
  );
};

const replaySpeeds = [1, 4, 16, 64] as const;
const MAX_REPLAY_WAIT_MS = 2_000;

interface ReplayProps {
  readonly requests: readonly RequestSummary[];
  readonly cursor: number;
  readonly onMove: (cursor: number) => void;
}

const ReplayControls = ({ requests, cursor, onMove }: ReplayProps) => {
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<number>(1);
  const isAtEnd = cursor >= requests.length;
  useEffect(() => {
    if (!isPlaying) return;
    const [now, next] = [requests[cursor - 1], requests[cursor]];
    if (next === undefined) {
      setPlaying(false);
      return;
    }
    const wait = Math.min(MAX_REPLAY_WAIT_MS, Math.max(0, next.at - (now?.at ?? next.at)) / speed);
    const timer = setTimeout(() => onMove(cursor + 1), wait);
    return () => clearTimeout(timer);
  }, [isPlaying, cursor, requests, speed, onMove]);
  return (
    <fieldset class="replay" aria-label="Replay">
      <button
        type="button"
        onClick={() => {
          if (isAtEnd) onMove(0);
          setPlaying(!isPlaying);
        }}
      >
        {isPlaying ? 'Pause' : 'Play'}
      </button>
      <input
        type="range"
        min={0}
        max={requests.length}
        value={cursor}
        aria-label="Requests shown"
        aria-valuetext={`${cursor} of ${requests.length}`}
        onInput={({ currentTarget }) => onMove(Number(currentTarget.value))}
      />
      <span class="at">
        {formatTime(requests[cursor - 1]?.at ?? 0)} <small>{`${cursor} of ${requests.length}`}</small>
      </span>
      <label class="speed">
        <span>speed</span>
        <select value={speed} onChange={({ currentTarget }) => setSpeed(Number(currentTarget.value))}>
          {replaySpeeds.map((one) => (
            <option key={one} value={one}>
              {one}×
            </option>
          ))}
        </select>
      </label>
    </fieldset>
  );
};

const MAX_CHOICES_PER_FILTER = 300;

const listChoices = (values: Iterable<string | undefined>): string[] =>
  [...new Set(values)]
    .filter((value): value is string => value !== undefined && value !== '')
    .sort()
    .slice(0, MAX_CHOICES_PER_FILTER);

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, word: string])[];
  readonly onChange: (value: string) => void;
}

const FilterChoice = ({ label, value, choices, onChange }: ChoiceProps) => (
  <label class={value === '' ? '' : 'is-set'}>
    <span>{label}</span>
    <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      <option value="">any</option>
      {choices.map(([one, word]) => (
        <option key={one} value={one}>
          {word}
        </option>
      ))}
    </select>
  </label>
);

type ChoiceName = Exclude<keyof RequestFilter, 'text'>;

const collectChoices = (requests: readonly RequestSummary[]): Readonly<Record<ChoiceName, readonly string[]>> => {
  const runs = requests.flatMap((request) => request.runs);
  return {
    event: listChoices(requests.map(({ event }) => event)),
    tool: listChoices(requests.map(({ subject }) => subject)),
    verdict: listChoices(requests.map(({ verdict }) => verdict)),
    hook: listChoices(runs.map(([name]) => name)),
    fault: listChoices(runs.map(([, , , code]) => code)),
  };
};

const choiceNames: readonly ChoiceName[] = ['event', 'tool', 'verdict', 'hook', 'fault'];

const formatChoice = (name: ChoiceName, value: string): string =>
  name === 'verdict' ? (verdictLabels[value]?.word ?? value) : value;

interface FiltersProps {
  readonly filter: RequestFilter;
  readonly choices: ReturnType<typeof collectChoices>;
  readonly onChange: (filter: RequestFilter) => void;
}

const FilterBar = ({ filter, choices, onChange }: FiltersProps) => {
  const [isOpen, setOpen] = useState(false);
  const change = (part: Partial<RequestFilter>): void => onChange({ ...filter, ...part });
  const count = Object.values(filter).filter((value) => value !== '').length;
  return (
    <search class={`filters ${isOpen ? 'open' : ''}`} aria-label="Filter">
      <label class="find">
        <span>find</span>
        <input
          type="search"
          value={filter.text}
          placeholder="command, reason, hook, id"
          onInput={({ currentTarget }) => change({ text: currentTarget.value })}
        />
      </label>
      <button type="button" class="more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Filters{count === 0 ? '' : ` (${count})`}
      </button>
      {choiceNames.map((name) => (
        <FilterChoice
          key={name}
          label={name}
          value={filter[name]}
          choices={[
            ...(name === 'fault' ? [['any', 'any fault'] as const] : []),
            ...choices[name].map((value) => [value, formatChoice(name, value)] as const),
          ]}
          onChange={(value) => change({ [name]: value })}
        />
      ))}
      {count === 0 ? null : (
        <button type="button" class="clear" onClick={() => onChange(emptyFilter)}>
          Show all
        </button>
      )}
    </search>
  );
};

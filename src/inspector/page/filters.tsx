import { useState } from 'preact/hooks';
import type { Summary } from './api-client.ts';
import { verdicts } from './labels.ts';
import { type Filter, noFilter } from './page-store.ts';

const MAX_CHOICES = 300;

const choicesOf = (values: Iterable<string | undefined>): string[] =>
  [...new Set(values)]
    .filter((value): value is string => value !== undefined && value !== '')
    .sort()
    .slice(0, MAX_CHOICES);

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, word: string])[];
  readonly onChange: (value: string) => void;
}

const Choice = ({ label, value, choices, onChange }: ChoiceProps) => (
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

export interface Choices {
  readonly events: readonly string[];
  readonly tools: readonly string[];
  readonly hooks: readonly string[];
  readonly faults: readonly string[];
  readonly verdicts: readonly string[];
}

/** All that could be chosen among these requests, found in one pass: there may be 20,000 of them. */
export const choicesAmong = (requests: readonly Summary[]): Choices => {
  const events = new Set<string | undefined>();
  const tools = new Set<string | undefined>();
  const hooks = new Set<string | undefined>();
  const faults = new Set<string | undefined>();
  const reached = new Set<string | undefined>();
  for (const { event, subject, verdict, runs } of requests) {
    events.add(event);
    tools.add(subject);
    reached.add(verdict);
    for (const [name, , , code] of runs) {
      hooks.add(name);
      faults.add(code);
    }
  }
  return {
    events: choicesOf(events),
    tools: choicesOf(tools),
    hooks: choicesOf(hooks),
    faults: choicesOf(faults),
    verdicts: choicesOf(reached),
  };
};

interface FiltersProps {
  readonly filter: Filter;
  readonly choices: Choices;
  readonly onChange: (filter: Filter) => void;
}

const same = (values: readonly string[]): (readonly [string, string])[] =>
  values.map((value) => [value, value] as const);

export const Filters = ({ filter, choices, onChange }: FiltersProps) => {
  const [isOpen, setOpen] = useState(false);
  const change = (part: Partial<Filter>): void => onChange({ ...filter, ...part });
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
      <Choice
        label="event"
        value={filter.event}
        choices={same(choices.events)}
        onChange={(event) => change({ event })}
      />
      <Choice label="tool" value={filter.tool} choices={same(choices.tools)} onChange={(tool) => change({ tool })} />
      <Choice
        label="verdict"
        value={filter.verdict}
        choices={choices.verdicts.map((one) => [one, verdicts[one]?.word ?? one] as const)}
        onChange={(verdict) => change({ verdict })}
      />
      <Choice label="hook" value={filter.hook} choices={same(choices.hooks)} onChange={(hook) => change({ hook })} />
      <Choice
        label="fault"
        value={filter.fault}
        choices={[['any', 'any fault'], ...same(choices.faults)]}
        onChange={(fault) => change({ fault })}
      />
      {count === 0 ? null : (
        <button type="button" class="clear" onClick={() => onChange(noFilter)}>
          Show all
        </button>
      )}
    </search>
  );
};

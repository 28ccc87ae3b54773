import { agentEventNames, calledElsewhere, type HookEventName, hookEventNames } from '../../../events/index.ts';
import { expectEvent } from '../../arguments/events.ts';
import { UsageError } from '../../arguments/usage-error.ts';
import type { Run } from '../../command.ts';
import { type EventPage, pageOf } from '../../event-pages/event-page.ts';
import { pageText } from '../../event-pages/page-text.ts';
import type { CommandOutcome } from '../../outcome.ts';
import { paragraph, table } from '../../rendering/layout.ts';
import { kindFor } from '../../scaffold/kinds.ts';
import { type Language, languageOf } from '../../scaffold/language-names.ts';
import { scriptFor } from '../../scaffold/languages.ts';
import type { eventsSpec } from './spec.ts';

const columns = [{ title: 'event' }, { title: 'fires', min: 30 }, { title: 'matcher', min: 7 }];

const overview = (width: number): CommandOutcome => {
  const pages = hookEventNames.map(pageOf);
  return {
    data: { events: pages },
    text: () => [
      ...table(
        columns,
        pages.map(({ name, when, matcher }) => [{ text: name, style: 'bold' }, when, matcher?.field ?? '']),
        width,
      ),
      '',
      ...paragraph(`events of other agents, for hooks that they start: ${agentEventNames.join(', ')}`, width),
      '',
      'all about one of them: hookwright events <event>',
    ],
  };
};

const script = (eventName: HookEventName, language: Language): string =>
  scriptFor(language, { name: 'my-hook', eventName, kind: kindFor(eventName), starter: '', isFinished: true }).text;

const only = (data: unknown, text: string): CommandOutcome => ({ data, text: () => text.trimEnd().split('\n') });

const stdinOf = ({ stdin }: EventPage): CommandOutcome => only({ stdin }, JSON.stringify(stdin));

export const run: Run<typeof eventsSpec> = async ({ event, script: language, stdin }, { screen }) => {
  if (event === undefined) {
    if (language === undefined && !stdin) return overview(screen.width);
    throw new UsageError(`--${stdin ? 'stdin' : 'script'} is about one event`, 'hookwright events lists them');
  }
  const eventName = expectEvent(calledElsewhere(event) ?? event);
  if (language !== undefined && stdin)
    throw new UsageError('--script and --stdin cannot be combined', 'take one of them');
  if (language !== undefined) {
    const text = script(eventName, languageOf(language));
    return only({ script: text }, text);
  }
  const page = pageOf(eventName);
  if (stdin) return stdinOf(page);
  return { data: page, text: () => pageText(page, screen.width) };
};

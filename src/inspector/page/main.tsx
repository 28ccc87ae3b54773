// Starts the page.
import { options, render } from 'preact';
import { isRecord, printable } from '../../kit/index.ts';
import { App } from './app.tsx';
import { PageStore } from './page-store.ts';

const made = options.vnode;

/** Makes control characters and bidirectional marks visible in all texts, so that no text can mislead. */
options.vnode = (node) => {
  // The props of a text node are its text.
  const props: unknown = node.props;
  if (typeof props === 'string') Object.assign(node, { props: printable(props, 'lines') });
  const label: unknown = isRecord(props) ? props['aria-label'] : undefined;
  if (isRecord(props) && typeof label === 'string') props['aria-label'] = printable(label);
  made?.(node);
};

const root = document.querySelector('#page');
if (root !== null) render(<App store={new PageStore()} />, root);

// Starts the page in the browser.
import { options, render } from 'preact';
import { isRecord, printable } from '../../kit/index.ts';
import { App } from './app.tsx';
import { PageStore } from './page-store.ts';

const previousVnodeHook = options.vnode;

/** Control characters and bidirectional marks in texts of an agent could mislead the user, so they are made visible. */
options.vnode = (node) => {
  const props: unknown = node.props;
  if (typeof props === 'string') Object.assign(node, { props: printable(props, 'lines') });
  const label: unknown = isRecord(props) ? props['aria-label'] : undefined;
  if (isRecord(props) && typeof label === 'string') props['aria-label'] = printable(label);
  previousVnodeHook?.(node);
};

const pageElement = document.querySelector('#page');
if (pageElement !== null) render(<App store={new PageStore()} />, pageElement);

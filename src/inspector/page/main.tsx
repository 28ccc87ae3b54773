import { options, render } from 'preact';
import { isRecord, printable } from '../../kit/index.ts';
import { App } from './app.tsx';
import { PageStore } from './page-store.ts';

const made = options.vnode;

/** Whatever is shown, wherever it came from: nothing of it turns a text around, or stands there unseen. */
options.vnode = (node) => {
  // Of a text, the text itself.
  const props: unknown = node.props;
  if (typeof props === 'string') Object.assign(node, { props: printable(props, 'lines') });
  const label: unknown = isRecord(props) ? props['aria-label'] : undefined;
  if (isRecord(props) && typeof label === 'string') props['aria-label'] = printable(label);
  made?.(node);
};

const root = document.querySelector('#page');
if (root !== null) render(<App store={new PageStore()} />, root);

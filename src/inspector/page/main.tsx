import { render } from 'preact';
import { App } from './app.tsx';
import { Store } from './store.ts';

const root = document.querySelector('#page');
if (root !== null) render(<App store={new Store()} />, root);

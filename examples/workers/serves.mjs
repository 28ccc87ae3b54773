import { serveHook } from 'hookwright/worker';
import noRm from './no-rm.mjs';

serveHook(noRm);

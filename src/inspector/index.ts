/** Entry `hookwright/inspector`: a browser page that shows what hooks do, live or from a recorded session. */
export { type Inspector, type InspectorOptions, type InspectorSource, openInspector } from './open-inspector.ts';

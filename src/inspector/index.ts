/** A page in the browser that shows what hooks do: live, or out of a recorded session. This door is for users. */
export { type Inspector, type InspectorOptions, type InspectorSource, openInspector } from './open-inspector.ts';

// The playground of the site: fields for an event and the output of two hooks, and below them the verdict and the fates.
import { catalogue } from '../../../src/events/index.ts';
import { judge } from './judge.mjs';

const element = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

const select = (values, chosen) =>
  element('select', {}, ...values.map((value) => new Option(value, value, false, value === chosen)));

const labelled = (text, control) => element('label', {}, text, control);

const samples = [
  '{\n  "decision": "allow",\n  "hookSpecificOutput": { "additionalContext": "Use tabs here." }\n}',
  '{\n  "decision": "deny",\n  "reason": "deleting recursively is for people",\n  "hookSpecificOutput": { "tool_imput": {} }\n}',
];

const hookFields = (name, sample) => {
  const stdout = element('textarea', { value: sample, rows: 6, spellcheck: false });
  const stderr = element('input', { type: 'text' });
  const exitCode = select(['0', '1', '2'], '0');
  const onFault = select(['allow', 'ask', 'deny'], 'allow');
  const form = element(
    'fieldset',
    {},
    element('legend', {}, `Hook "${name}"`),
    labelled('stdout', stdout),
    labelled('stderr', stderr),
    labelled('exit code', exitCode),
    labelled('onFault', onFault),
  );
  const read = () => ({
    name,
    stdout: stdout.value,
    stderr: stderr.value,
    exitCode: Number(exitCode.value),
    onFault: onFault.value,
  });
  return { form, read };
};

const fateText = ({ fate, by, note }) => [fate, by && `by ${by}`, note && `(${note})`].filter(Boolean).join(' ');

const fatesTable = ({ fates }) => {
  const rows = fates.map((fate) =>
    element('tr', {}, element('td', {}, element('code', {}, fate.field)), element('td', {}, fateText(fate))),
  );
  return element('div', { className: 'table' }, element('table', {}, element('tbody', {}, ...rows)));
};

const hookResult = (hook) => [
  element('p', {}, element('strong', {}, hook.name), `: ${hook.outcome}`),
  ...(hook.fault === undefined ? [] : [element('p', {}, hook.fault)]),
  ...(hook.fates.length === 0 ? [] : [fatesTable(hook)]),
];

const event = select(Object.keys(catalogue), 'BeforeTool');
const hooks = [hookFields('first', samples[0]), hookFields('second', samples[1])];
const result = element('div', { id: 'playground-result' });
result.setAttribute('aria-live', 'polite');

const show = () => {
  const {
    verdict,
    reason,
    hooks: judged,
  } = judge(
    event.value,
    hooks.map(({ read }) => read()),
  );
  result.replaceChildren(
    element('h2', {}, `Verdict: ${verdict}`),
    ...(reason === undefined ? [] : [element('p', {}, reason)]),
    ...judged.flatMap(hookResult),
  );
};

const form = element('form', { id: 'playground' }, labelled('Event', event), ...hooks.map((hook) => hook.form));
form.addEventListener('input', show);
form.addEventListener('submit', (submitted) => submitted.preventDefault());
document.querySelector('#content h1 + p').after(form, result);
show();

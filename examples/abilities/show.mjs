// Prints what was said, short and without what differs from run to run.
const WIDTH = 100;
const INDENT = ' '.repeat(11);

const stable = (key, value) => (key === 'duration_ms' ? undefined : value);

const isList = Array.isArray;
const isBranch = (value) => typeof value === 'object' && value !== null;

const inline = (value) => {
  if (isList(value)) return `[${value.map(inline).join(', ')}]`;
  if (!isBranch(value)) return typeof value === 'string' ? value : JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, member]) => `${key}: ${inline(member)}`)
    .join(', ')}}`;
};

const linesOf = (value) => {
  if (!isBranch(value)) return [inline(value)];
  if (isList(value))
    return value.flatMap((item) => linesOf(item).map((line, at) => `${at === 0 ? '- ' : '  '}${line}`));
  return Object.entries(value).flatMap(([key, member]) => {
    const line = `${key}: ${inline(member)}`;
    return !isBranch(member) || line.length < WIDTH ? [line] : [`${key}:`, ...linesOf(member).map((one) => `  ${one}`)];
  });
};

export const show = (title, value) => {
  const whole = inline(JSON.parse(JSON.stringify(value, stable)));
  const lines =
    whole.length < WIDTH ? [whole.replace(/^\{(.*)\}$/, '$1')] : linesOf(JSON.parse(JSON.stringify(value, stable)));
  console.log(lines.map((line, at) => (at === 0 ? title.padEnd(INDENT.length) : INDENT) + line).join('\n'));
};

// Reads and writes the `apply_patch` text, with which some agents change files.
import type { JsonObject } from '../rule-types.ts';
import type { ArgumentCodec, ToolKind } from './vocabulary.ts';

const BEGIN_PATCH = '*** Begin Patch';
const END_PATCH = '*** End Patch';

const prefixLines = (text: string, mark: string): string[] => text.split('\n').map((line) => `${mark}${line}`);

const isText = (value: unknown): value is string => typeof value === 'string';

const writeBody = (kind: ToolKind, { path, content, before, after }: Readonly<JsonObject>): string[] | undefined => {
  if (!isText(path)) return undefined;
  if (kind === 'write' && isText(content)) return [`*** Add File: ${path}`, ...prefixLines(content, '+')];
  if (kind === 'delete') return [`*** Delete File: ${path}`];
  if (kind === 'edit' && isText(before) && isText(after)) {
    return [`*** Update File: ${path}`, '@@', ...prefixLines(before, '-'), ...prefixLines(after, '+')];
  }
  return undefined;
};

const sectionHeaders: readonly (readonly [string, ToolKind])[] = [
  ['*** Add File: ', 'write'],
  ['*** Update File: ', 'edit'],
  ['*** Delete File: ', 'delete'],
];

interface PatchSection {
  readonly kind: ToolKind;
  readonly path: string;
  readonly header: string;
  readonly lines: string[];
}

const splitSections = (patch: string): PatchSection[] => {
  const sections: PatchSection[] = [];
  for (const line of patch.split('\n')) {
    const header = sectionHeaders.find(([start]) => line.startsWith(start));
    if (header !== undefined)
      sections.push({ kind: header[1], path: line.slice(header[0].length).trim(), header: line, lines: [] });
    else if (line !== BEGIN_PATCH && line !== END_PATCH) sections.at(-1)?.lines.push(line);
  }
  return sections;
};

const pickMarkedLines = (lines: readonly string[], mark: string): string =>
  lines.flatMap((line) => (line.startsWith(mark) ? [line.slice(1)] : [])).join('\n');

const readSection = ({ kind, path, lines }: PatchSection): { kind: ToolKind; common: JsonObject } => {
  if (kind === 'delete') return { kind, common: { path } };
  if (kind === 'write') return { kind, common: { path, content: pickMarkedLines(lines, '+') } };
  // Several hunks cannot be written as one edit, so only the path is passed on.
  const hunks = lines.filter((line) => line.startsWith('@@')).length;
  if (hunks > 1 || lines.some((line) => line.startsWith('*** Move to: '))) return { kind, common: { path } };
  const side = (other: string): string =>
    lines
      .flatMap((line) => (line.startsWith('@@') || line.startsWith(other) || line === '' ? [] : [line.slice(1)]))
      .join('\n');
  return { kind, common: { path, before: side('+'), after: side('-') } };
};

export const patchCodec: ArgumentCodec = {
  write: (kind, common) => {
    const body = writeBody(kind, common);
    return body === undefined ? undefined : { command: [BEGIN_PATCH, ...body, END_PATCH].join('\n') };
  },
  read: ({ command }) => {
    if (!isText(command)) return undefined;
    const [section, ...more] = splitSections(command);
    return section === undefined || more.length > 0 ? undefined : readSection(section);
  },
  split: (input) => {
    const sections = isText(input.command) ? splitSections(input.command) : [];
    if (sections.length < 2) return [input];
    return sections.map(({ header, lines }) => ({
      ...input,
      command: [BEGIN_PATCH, header, ...lines, END_PATCH].join('\n'),
    }));
  },
};

// Translates a tool call between the names and arguments of two agents, and changed arguments back.
import type { JsonObject } from '../rule-types.ts';
import type { ToolKind, Vocabulary, VocabularyTool } from './vocabulary.ts';

export interface TranslatedCall {
  readonly name: string;
  readonly input: Readonly<JsonObject>;
}

export interface CallTranslation {
  readonly call: TranslatedCall;
  /** All names that a matcher may use for the tool. */
  readonly names: readonly string[];
  readonly kind: ToolKind | 'mcp' | undefined;
  /** Translates changed arguments back; `lost` says why that is impossible. */
  readonly back: (input: Readonly<JsonObject>) => { readonly input: JsonObject } | { readonly lost: string };
}

interface McpToolName {
  readonly server: string;
  readonly tool: string;
}

const sliceBetween = (text: string, start: string, end: string): string | undefined =>
  text.startsWith(start) && text.endsWith(end) && text.length > start.length + end.length
    ? text.slice(start.length, text.length - end.length)
    : undefined;

const parseMcpName = (name: string, form: string | undefined, server: string | undefined): McpToolName | undefined => {
  if (form === undefined) return undefined;
  const [before = '', rest = ''] = form.split('{server}');
  if (!form.includes('{server}')) {
    const tool = sliceBetween(name, form.slice(0, form.indexOf('{tool}')), '');
    return tool === undefined ? undefined : { server: server ?? '', tool };
  }
  const [separator = ''] = rest.split('{tool}');
  const inner = sliceBetween(name, before, '');
  if (inner === undefined) return undefined;
  // A known server name ends the prefix; otherwise the first separator does.
  const known = server === undefined ? undefined : sliceBetween(inner, `${server}${separator}`, '');
  if (known !== undefined && server !== undefined) return { server, tool: known };
  const at = inner.indexOf(separator);
  return at <= 0 ? undefined : { server: inner.slice(0, at), tool: inner.slice(at + separator.length) };
};

export const isMcpName = (name: string, { mcp }: Vocabulary): boolean =>
  parseMcpName(name, mcp, undefined) !== undefined;

const formatMcpName = ({ server, tool }: McpToolName, form: string | undefined): string | undefined =>
  form?.replace('{server}', server).replace('{tool}', tool);

const findToolByName = (vocabulary: Vocabulary, name: string): VocabularyTool | undefined =>
  vocabulary.tools.find(({ names }) => names[0] === name) ?? vocabulary.tools.find(({ names }) => names.includes(name));

const findToolByKind = (vocabulary: Vocabulary, kind: ToolKind): VocabularyTool | undefined =>
  vocabulary.tools.find((tool) => tool.kind === kind);

const createUnchangedCall = (
  names: readonly string[],
  call: TranslatedCall,
  kind?: ToolKind | 'mcp',
): CallTranslation => ({
  call,
  names,
  kind,
  back: (input) => ({ input: { ...input } }),
});

const renameKeys = (input: Readonly<JsonObject>, names: ReadonlyMap<string, string>): JsonObject =>
  Object.fromEntries(Object.entries(input).map(([key, value]) => [names.get(key) ?? key, value]));

const mapArgumentNames = (from: VocabularyTool, to: VocabularyTool): Map<string, string> => {
  const pairs = Object.entries(from.args ?? {}).flatMap(([common, name]) => {
    const other = to.args?.[common];
    return other === undefined ? [] : [[name, other] as const];
  });
  return new Map(pairs);
};

const toCommonArguments = (input: Readonly<JsonObject>, args: Readonly<Record<string, string>> = {}): JsonObject =>
  Object.fromEntries(
    Object.entries(args).flatMap(([common, name]) => (Object.hasOwn(input, name) ? [[common, input[name]]] : [])),
  );

const translateByName = (call: TranslatedCall, from: VocabularyTool, to: VocabularyTool): CallTranslation => {
  const forth = mapArgumentNames(from, to);
  const home = new Map([...forth].map(([ours, theirs]) => [theirs, ours]));
  const translated = renameKeys(call.input, forth);
  const back: CallTranslation['back'] = (input) => {
    const strangers = Object.keys(input).filter((key) => !home.has(key) && !Object.hasOwn(translated, key));
    if (strangers.length === 0) return { input: renameKeys(input, home) };
    return { lost: `${call.name} has no argument for ${strangers.map((key) => `"${key}"`).join(', ')}` };
  };
  return { call: { name: to.names[0] ?? call.name, input: translated }, names: to.names, kind: to.kind, back };
};

const translateToCodec = (
  call: TranslatedCall,
  from: VocabularyTool,
  to: VocabularyTool,
): CallTranslation | undefined => {
  const { codec } = to;
  const written = codec?.write(from.kind, toCommonArguments(call.input, from.args));
  if (codec === undefined || written === undefined) return undefined;
  const back: CallTranslation['back'] = (input) => {
    const read = codec.read(input);
    if (read === undefined) return { lost: `the change cannot be read as one ${from.kind} of ${call.name}` };
    if (read.kind !== from.kind) return { lost: `it turns the ${from.kind} of ${call.name} into a ${read.kind}` };
    const args = from.args ?? {};
    const strange = Object.keys(read.common).filter((common) => args[common] === undefined);
    if (strange.length > 0) return { lost: `${call.name} has no argument for ${strange.join(', ')}` };
    const renamed = Object.entries(read.common).map(([common, value]) => [args[common] ?? common, value]);
    return { input: { ...call.input, ...Object.fromEntries(renamed) } };
  };
  return { call: { name: to.names[0] ?? call.name, input: written }, names: to.names, kind: from.kind, back };
};

/** Translates a call whose arguments are one text, such as a patch, into separate arguments. */
const translateFromCodec = (
  call: TranslatedCall,
  from: VocabularyTool,
  target: Vocabulary,
): CallTranslation | undefined => {
  const read = from.codec?.read(call.input);
  // If the target cannot delete files, a deletion becomes an edit.
  const to = read === undefined ? undefined : (findToolByKind(target, read.kind) ?? findToolByKind(target, from.kind));
  if (read === undefined || to === undefined) return undefined;
  const { kind, common } = read;
  const middle: VocabularyTool = {
    kind,
    names: [call.name],
    args: Object.fromEntries(Object.keys(common).map((key) => [key, key])),
  };
  const translated = translateByName({ name: call.name, input: common }, middle, to);
  const back: CallTranslation['back'] = (input) => {
    if (from.codec?.write(kind, common) === undefined) {
      return { lost: `${call.name} changes several places, which have no names of their own` };
    }
    const changed = translated.back(input);
    if ('lost' in changed) return changed;
    const written = from.codec?.write(kind, changed.input);
    return written === undefined ? { lost: `the change cannot be written as ${call.name}` } : { input: written };
  };
  return { ...translated, back };
};

/** Returns `undefined` unless the tool has several kinds, such as a tool that writes and edits files. */
export const listPossibleNames = (name: string, from: Vocabulary, to: Vocabulary): readonly string[] | undefined => {
  const tools = from === to ? [] : from.tools.filter(({ names, codec }) => codec !== undefined && names[0] === name);
  if (tools.length === 0) return undefined;
  return tools.flatMap(({ kind }) => findToolByKind(to, kind)?.names ?? []);
};

export const splitCall = (call: TranslatedCall, from: Vocabulary): readonly Readonly<JsonObject>[] =>
  findToolByName(from, call.name)?.codec?.split(call.input) ?? [call.input];

export const translateCall = (
  call: TranslatedCall,
  from: Vocabulary,
  to: Vocabulary,
  mcpServer?: string | undefined,
): CallTranslation => {
  const own = findToolByName(from, call.name);
  if (own === undefined) {
    const mcp = parseMcpName(call.name, from.mcp, mcpServer);
    const name = mcp === undefined ? call.name : (formatMcpName(mcp, to.mcp) ?? call.name);
    return createUnchangedCall([name], { name, input: call.input }, mcp === undefined ? undefined : 'mcp');
  }
  if (from === to) return createUnchangedCall(own.names, call, own.kind);
  // A tool of the same kind and name is the same tool.
  const named = to.tools.find(({ kind, names }) => kind === own.kind && names.includes(call.name));
  const target = named ?? findToolByKind(to, own.kind);
  const through = own.codec === undefined ? undefined : translateFromCodec(call, own, to);
  if (through !== undefined) return through;
  if (target === undefined) return createUnchangedCall([call.name], call, own.kind);
  return (
    (target.codec === undefined ? undefined : translateToCodec(call, own, target)) ?? translateByName(call, own, target)
  );
};

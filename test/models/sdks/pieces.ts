import { isRecord } from '../../../src/kit/index.ts';
import type { SdkTranslator } from '../../../src/models/translators.ts';
import type { TranslatorSamples } from '../../../src/testing/index.ts';

/** Samples in the types of the SDK that a translator is for. */
export type SamplesOf<Translator> =
  Translator extends SdkTranslator<infer Request, infer Response, infer Tools, infer _Chunk>
    ? TranslatorSamples<Request, Response, Tools>
    : never;

const isText = (part: unknown): part is { text: string } =>
  isRecord(part) && typeof part.text === 'string' && /^(input_|output_)?text$/.test(String(part.type));

/** What a conversation says, in the form of any of the SDKs: texts as strings, all else as it stands there. */
export const piecesOf = (entries: unknown): unknown[] =>
  (Array.isArray(entries) ? entries : []).flatMap((entry: unknown): unknown[] => {
    if (!isRecord(entry) || entry.role === undefined || entry.role === 'tool') return [entry];
    const { content, tool_calls: calls } = entry;
    const said = typeof content === 'string' ? [content] : Array.isArray(content) ? content : [];
    return [...said.map((part) => (isText(part) ? part.text : part)), ...(Array.isArray(calls) ? calls : [])];
  });

const isResult = (piece: unknown): boolean =>
  isRecord(piece) &&
  (piece.role === 'tool' || /^(tool_result|function_call_output|tool-result)$/.test(String(piece.type)));

const isCall = (piece: unknown): boolean =>
  isRecord(piece) && /^(tool_use|function_call|tool-call|function|reasoning)$/.test(String(piece.type));

/** A call and its result, several of them, and a thought with the call that it leads to. */
export const isPair = (one: unknown, other: unknown): boolean =>
  isCall(one) ? isResult(other) || isCall(other) : isResult(one) && isResult(other);

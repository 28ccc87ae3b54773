/** Reads settings files and keeps the last valid text of each. */
import { setTimeout as pause } from 'node:timers/promises';
import type { FileOwnership } from '../../kit/index.ts';
import { findRealPath, readRegularFile, toPathWithin } from '../../kit/node.ts';
import { type Notice, noticeText } from '../../protocol/index.ts';
import { decode } from '../../runners/process-api.ts';
import { whyWritableByOthers } from '../../trust/index.ts';
import type { SourceFile } from '../source-file.ts';
import { type ParsedText, parseJsonc } from './parse-jsonc.ts';
import { SettingsDocument } from './settings-document.ts';

export interface FoundFile {
  readonly file: SourceFile;
  readonly document?: SettingsDocument | undefined;
  readonly realPathOutside?: string | undefined;
  readonly exposed?: string | undefined;
  readonly exists: boolean;
  readonly hasText: boolean;
}

export interface SettingsReading extends FoundFile {
  readonly basis: readonly (string | undefined)[];
}

const MAX_SETTINGS_FILE_BYTES = 1_048_576;

/** Some editors remove a file for a moment when they save it. */
const REPLACE_GRACE_MS = 25;

const KEPT_SETTINGS_NOTE = '; the settings read before from this file stay in use';

const findPathOutside = ({ mustStayIn }: SourceFile, realPath: string): string | undefined => {
  if (mustStayIn === undefined) return undefined;
  return toPathWithin(findRealPath(mustStayIn) ?? mustStayIn, realPath) === undefined ? realPath : undefined;
};

export class SettingsFileReader {
  readonly #valid = new Map<string, { readonly text: string; readonly realPathOutside: string | undefined }>();
  readonly #parsed = new Map<string, { readonly text: string; readonly parsed: ParsedText }>();

  async read(file: SourceFile, home: string): Promise<SettingsReading> {
    const content = await this.#open(file.path);
    const found = this.#found(file, content, home);
    const { realPathOutside, exposed } = found;
    const basis = [file.path, ...toTexts(content), realPathOutside, exposed, this.#valid.get(file.path)?.text];
    return { ...found, basis };
  }

  #found(file: SourceFile, content: FileContent, home: string): FoundFile {
    if (content.kind === 'missing') {
      this.#valid.delete(file.path);
      return { file, exists: false, hasText: false };
    }
    if (content.kind === 'unusable') {
      const stays = this.#valid.has(file.path) ? KEPT_SETTINGS_NOTE : '';
      return this.#keep(file, (document) => document.reportFile('unreadable-file', content.message + stays));
    }
    const realPathOutside = findPathOutside(file, content.realPath);
    const document = this.#parse(file, content.text);
    if (document.isBroken && realPathOutside !== undefined) {
      // The link may lead to any file, and syntax problems would quote its content.
      return this.#keep(file, (kept) =>
        kept.reportFile(
          'unreadable-file',
          `leads to ${realPathOutside}, which is outside the project and not a settings file`,
        ),
      );
    }
    for (const warning of content.warnings) document.reportFile(warning.code, noticeText(warning), 'warning');
    if (document.isBroken && this.#valid.has(file.path)) {
      return this.#keep(file, (kept) => {
        for (const problem of document.problems)
          kept.problems.push({ ...problem, message: problem.message + KEPT_SETTINGS_NOTE });
      });
    }
    const isOwn = file.owner === 'project' || file.scope === 'extensions';
    const exposed = isOwn ? undefined : whyWritableByOthers({ ...content, path: file.path }, home);
    if (exposed !== undefined) return { file, document, exposed, exists: true, hasText: true };
    if (!document.isBroken) this.#valid.set(file.path, { text: content.text, realPathOutside });
    return { file, document, realPathOutside, exists: true, hasText: !document.isBroken };
  }

  forgetAllBut(files: readonly SourceFile[]): void {
    const paths = new Set(files.map(({ path }) => path));
    for (const known of [this.#valid, this.#parsed]) {
      for (const path of known.keys()) if (!paths.has(path)) known.delete(path);
    }
  }

  #parse(file: SourceFile, text: string): SettingsDocument {
    const known = this.#parsed.get(file.path);
    const { parsed } = known?.text === text ? known : { parsed: parseJsonc(text) };
    this.#parsed.set(file.path, { text, parsed });
    return new SettingsDocument(file, text, parsed);
  }

  async #open(path: string): Promise<FileContent> {
    const content = readFileSafely(path);
    if (content.kind !== 'missing' || !this.#valid.has(path)) return content;
    await pause(REPLACE_GRACE_MS);
    return readFileSafely(path);
  }

  #keep(file: SourceFile, tell: (document: SettingsDocument) => void): FoundFile {
    const good = this.#valid.get(file.path);
    const document = this.#parse(file, good?.text ?? '{}');
    tell(document);
    if (good === undefined) return { file, document, exists: true, hasText: false };
    return { file, document, realPathOutside: good.realPathOutside, exists: true, hasText: true };
  }
}

type FileContent =
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly realPath: string;
      readonly stats: FileOwnership;
      readonly warnings: readonly Notice[];
    }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unusable'; readonly message: string };

const toTexts = (content: FileContent): readonly string[] => {
  const { kind } = content;
  if (kind === 'text') return [kind, content.text, content.realPath, content.warnings.map(noticeText).join()];
  return kind === 'missing' ? [kind] : [kind, content.message];
};

export const readFileSafely = (path: string): FileContent => {
  const found = readRegularFile(path, { maxBytes: MAX_SETTINGS_FILE_BYTES });
  if ('missing' in found) return { kind: 'missing' };
  if ('trouble' in found) return { kind: 'unusable', message: found.trouble };
  const realPath = findRealPath(path);
  if (realPath === undefined) return { kind: 'missing' };
  return { kind: 'text', ...decode(found.bytes, 'the file'), realPath, stats: found.stats };
};

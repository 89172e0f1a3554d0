// Opens the source of an import: follows redirects and share links, checks every hop and the answer.
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { SourceVersion } from '../data/sources/imports.ts';
import { faultOfImportURL } from '../domain/sources/import-url.ts';
import { confirmationLink, directLink } from '../domain/sources/share-link.ts';
import { contentRange, declaredBytes, declaredName, declaredType, retryAfterMs, validatorOf } from './answer-facts.ts';
import { httpRequest } from './http-request.ts';
import type { RequestOptions } from './http-request.ts';
import { codeOfStatus, ImportError } from './import-error.ts';
import type { ImportLimits } from './import-limits.ts';
import type { UploadType } from '../domain/media/upload-words.ts';

export interface OpenSource {
  /** The file from byte `offset` on. The caller must read it to its end, or destroy it. */
  readonly body: Readable;
  /** The requested offset; 0 if the source cannot resume there, or its file has changed. */
  readonly offset: number;
  readonly version: SourceVersion;
  /** The most bytes of the file if its size is not announced; absent: as many as such files may have. */
  readonly mostBytes?: number;
  readonly name: string;
  readonly mimeType: string;
  readonly type: UploadType;
}

export type SourceOptions = Omit<RequestOptions, 'answerMs'> & { readonly limits: ImportLimits };

/** The offset at which to resume, and the version of the file. */
export interface ResumePoint {
  readonly offset: number;
  readonly version: SourceVersion;
}

/** A link, and headers for its own server only, such as a password. Servers of redirects do not get them. */
export interface Link {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Opens the source of a link.
 * @param resume null for the whole file
 * @throws {ImportError} when there is no file that can be imported
 */
export async function openSource(
  link: Link,
  resume: ResumePoint | null,
  options: SourceOptions,
  signal: AbortSignal,
): Promise<OpenSource> {
  const validator = resume?.version.validator ?? null;
  const headers: Record<string, string> =
    resume === null || validator === null ? {} : { range: `bytes=${resume.offset}-`, 'if-range': validator };
  const { answer, url } = await followRedirects(link, headers, options, signal);
  const range = answer.statusCode === 206 ? contentRange(answer.headers) : null;
  const isResumed =
    resume !== null && range?.start === resume.offset && isSameVersion(answer, range.totalBytes, resume.version);
  // A partial answer is useless if none was requested, or if its range or its version differs.
  if (answer.statusCode !== 200 && !isResumed) {
    answer.destroy();
    if (resume === null)
      throw new ImportError('source_refused', { seen: `It answers with status ${answer.statusCode}.` });
    return openSource(link, null, options, signal);
  }
  const sizeBytes = isResumed ? resume.version.sizeBytes : declaredBytes(answer.headers);
  try {
    if (sizeBytes !== null && sizeBytes > options.limits.maxBytes)
      throw new ImportError('too_large', { seen: `The file has ${sizeBytes} bytes.` });
    if (sizeBytes === 0) throw new ImportError('empty');
    assertPlain(answer);
    const { verdict, ...declared } = declaredType(answer.headers);
    if (verdict !== 'media') throw new ImportError(verdict);
    return {
      body: answer,
      offset: isResumed ? resume.offset : 0,
      version: isResumed ? resume.version : { validator: validatorOf(answer.headers), sizeBytes },
      name: declaredName(answer.headers, url),
      ...declared,
    };
  } catch (error) {
    answer.destroy();
    throw error;
  }
}

async function followRedirects(
  { url: first, headers: ownHeaders }: Link,
  headers: Readonly<Record<string, string>>,
  options: SourceOptions,
  signal: AbortSignal,
) {
  const { allowPrivateAddresses, limits } = options;
  let url = URL.parse(first);
  const origin = url?.origin;
  for (let hops = 0; hops <= limits.maxRedirects; hops++) {
    const fault = url && faultOfImportURL(url.href, { allowPrivateAddresses });
    if (!url || fault === 'malformed') throw new ImportError('redirect_malformed');
    if (fault === 'forbidden') throw new ImportError('address_forbidden');
    url = directLink(url);
    const asked = { headers: { ...(url.origin === origin && ownHeaders), ...headers } };
    const answer = await httpRequest(url, asked, { ...options, answerMs: limits.answerMs }, signal);
    const next = await nextHop(answer, url, limits, signal);
    if (next === 'arrived') return { answer, url };
    url = next;
  }
  throw new ImportError('too_many_redirects');
}

/**
 * The next URL of an answer.
 * @returns 'arrived' if the answer is that of the file; null if it redirects to something that is not a link
 * @throws {ImportError} when the answer refuses the request
 */
async function nextHop(
  answer: IncomingMessage,
  url: URL,
  limits: ImportLimits,
  signal: AbortSignal,
): Promise<URL | 'arrived' | null> {
  const { statusCode = 0, headers } = answer;
  if ([301, 302, 303, 307, 308].includes(statusCode)) {
    answer.destroy();
    return headers.location === undefined ? null : URL.parse(headers.location, url.href);
  }
  if (statusCode === 200 && declaredType(headers).verdict === 'web_page') {
    return confirmationLink(await readPage(answer, limits, signal), url) ?? 'arrived';
  }
  if (statusCode >= 200 && statusCode < 300) return 'arrived';
  // 416: the file is now shorter than the stored part. It exists, and must be fetched from its start.
  if (statusCode === 416) return 'arrived';
  answer.destroy();
  const code = codeOfStatus(statusCode);
  throw new ImportError(code, {
    seen: `It answers with status ${statusCode}.`,
    ...(code === 'source_failed' && { retryAfterMs: retryAfterMs(headers) }),
  });
}

const maxPageBytes = 256 * 1024;

/** Reads the beginning of a web page. */
async function readPage(answer: IncomingMessage, { answerMs }: ImportLimits, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const silence = setTimeout(() => answer.destroy(), answerMs);
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= maxPageBytes) break;
    }
  } catch {
    // A page that breaks off is judged by the part that has arrived.
    signal.throwIfAborted();
  } finally {
    clearTimeout(silence);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function isSameVersion(answer: IncomingMessage, totalBytes: number | null, version: SourceVersion): boolean {
  const { etag } = answer.headers;
  const sameTag = etag === undefined || !version.validator?.startsWith('"') || etag === version.validator;
  return sameTag && (totalBytes === null || version.sizeBytes === null || totalBytes === version.sizeBytes);
}

function assertPlain(answer: IncomingMessage): void {
  const coding = answer.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (/\b(?:gzip|x-gzip|compress|deflate|br|zstd)\b/.test(coding)) throw new ImportError('compressed');
}

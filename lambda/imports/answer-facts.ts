// Reads the facts about a file from the headers of an answer: its name, type and size, and whether it can be resumed.
import { parse as parseContentDisposition } from 'content-disposition';
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { fileNameOf, nameOfImport } from '../domain/sources/import-url.ts';
import type { UploadType } from '../domain/media/upload-words.ts';

/**
 * Types that may be media: generic ones, and those of containers that may also hold other data. Servers send text/plain
 * for files of unknown types.
 */
const neutralTypes = new Set([
  '',
  'application/octet-stream',
  'application/x-octet-stream',
  'binary/octet-stream',
  'application/binary',
  'application/x-binary',
  'application/unknown',
  'application/download',
  'application/x-download',
  'application/force-download',
  'application/x-force-download',
  'application/mp4',
  'application/ogg',
  'application/mxf',
  'application/x-matroska',
  'text/plain',
]);
/** Playlists have types of media, but contain no media. */
const playlistTypes = new Set(['audio/mpegurl', 'audio/x-mpegurl', 'audio/x-scpls', 'video/vnd.mpegurl']);
const pageTypes = new Set(['text/html', 'application/xhtml+xml']);

export interface DeclaredType {
  readonly mimeType: string;
  readonly type: UploadType;
  readonly verdict: 'media' | 'web_page' | 'not_media';
}

export function declaredType({ 'content-type': header = '' }: IncomingHttpHeaders): DeclaredType {
  const mimeType = header.split(';')[0]!.trim().toLowerCase();
  const kind = /^(video|audio|image)\/[\w!#$&^.+-]{1,100}$/.exec(mimeType)?.[1] as UploadType | undefined;
  if (kind !== undefined && !playlistTypes.has(mimeType)) return { mimeType, type: kind, verdict: 'media' };
  // The examination of the file will find its true type.
  const unknown = { mimeType: 'application/octet-stream', type: 'video' } as const;
  if (pageTypes.has(mimeType)) return { ...unknown, verdict: 'web_page' };
  return { ...unknown, verdict: neutralTypes.has(mimeType) ? 'media' : 'not_media' };
}

/** The name in Content-Disposition, else that in the URL at which the redirects ended. */
export function declaredName({ 'content-disposition': header }: IncomingHttpHeaders, url: URL): string {
  const name = header === undefined ? undefined : parseContentDisposition(readable(header)).parameters['filename'];
  return (name === undefined ? null : fileNameOf(name)) ?? nameOfImport(url);
}

/** Decodes a header. Node reads headers as Latin-1, but many servers write them in UTF-8. */
function readable(header: string): string {
  const bytes = Buffer.from(header, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : header;
}

/** The size in bytes in Content-Length; null without one. */
export function declaredBytes({ 'content-length': header }: IncomingHttpHeaders): number | null {
  return header === undefined ? null : Number(header);
}

/** The Content-Range of a 206 (RFC 9110, section 14.4), in bytes; null if it is malformed. */
export function contentRange({
  'content-range': header = '',
}: IncomingHttpHeaders): { start: number; totalBytes: number | null } | null {
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/i.exec(header) ?? [];
  if (start === undefined) return null;
  return { start: Number(start), totalBytes: total === '*' ? null : Number(total) };
}

/** A Last-Modified of at least this age identifies a version (RFC 9110, section 8.8.2.2). */
const unchangedForMs = 60_000;

/** The value for If-Range to resume the file: a strong ETag, else a Last-Modified that is old enough, else null. */
export function validatorOf(headers: IncomingHttpHeaders): string | null {
  const { etag, 'last-modified': modified, date, 'accept-ranges': ranges } = headers;
  if (ranges?.toLowerCase() === 'none') return null;
  if (etag !== undefined) return /^"[^"]*"$/.test(etag) ? etag : null;
  if (modified === undefined || date === undefined) return null;
  return Date.parse(date) - Date.parse(modified) >= unchangedForMs ? modified : null;
}

/** Milliseconds to wait by Retry-After, which has seconds or a date (RFC 9110, section 10.2.3); 0 without one. */
export function retryAfterMs({ 'retry-after': header, date }: IncomingHttpHeaders): number {
  if (header === undefined) return 0;
  const milliseconds = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.parse(date ?? '');
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : 0;
}

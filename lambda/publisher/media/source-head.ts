// Reads the first bytes of a source and its size, which proves that it can be read.
import { open } from 'node:fs/promises';
import { MediaError } from './media-error.ts';
import type { ByteRange, RangeReading } from './orientation.ts';

export interface SourceHead {
  /** In bytes; null if the server does not report it. */
  readonly size: number | null;
  /** The first bytes, up to 4096; all of a shorter file. */
  readonly bytes: Buffer;
}

const headBytes = 4096;

/** @throws {Error} when the source cannot be read. The message does not contain its address */
export async function readSourceHead(sourceURL: string, signal: AbortSignal): Promise<SourceHead> {
  return readPart(sourceURL, { start: 0, length: headBytes }, signal);
}

/**
 * Answers ranges of a source, as long as it is asked for some.
 * @throws {Error} when the source cannot be read. The message does not contain its address
 */
export async function readRanges<Result>(
  sourceURL: string,
  head: SourceHead,
  asking: RangeReading<Result>,
  signal: AbortSignal,
): Promise<Result> {
  let [blockStart, block] = [0, head.bytes];
  let asked = asking.next();
  while (!asked.done) {
    const { start, length } = asked.value;
    // Most ranges are near the one before.
    if (start < blockStart || start + length > blockStart + block.length) {
      const part = await readPart(sourceURL, { start, length: Math.max(length, headBytes) }, signal);
      [blockStart, block] = [start, part.bytes];
    }
    asked = asking.next(block.subarray(start - blockStart, start - blockStart + length));
  }
  return asked.value;
}

/** Reads a part of a source, which has no bytes beyond its end. */
async function readPart(sourceURL: string, { start, length }: ByteRange, signal: AbortSignal): Promise<SourceHead> {
  if (!/^https?:/iu.test(sourceURL)) return readFilePart(sourceURL, { start, length });
  // Not a HEAD request: an address that is signed for GET does not answer those.
  const response = await fetch(sourceURL, { headers: { Range: `bytes=${start}-${start + length - 1}` }, signal });
  const { status, headers } = response;
  const rangeNotSatisfiable = 416;
  if (status === rangeNotSatisfiable) return { size: 0, bytes: Buffer.alloc(0) };
  if (!response.ok || response.body === null) throw new Error(`the source answered ${status}`);
  if (status !== 206 && start > 0) throw new Error(`the source answered ${status} when asked for a part`);
  let bytes = Buffer.alloc(0);
  // A server without ranges sends all of the file; leaving the loop cancels the rest.
  for await (const chunk of response.body) {
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.length >= length) break;
  }
  const total = status === 206 ? headers.get('content-range')?.split('/')[1] : headers.get('content-length');
  return { size: total && total !== '*' ? Number(total) : null, bytes: bytes.subarray(0, length) };
}

async function readFilePart(path: string, { start, length }: ByteRange): Promise<SourceHead> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, start);
  return { size: (await file.stat()).size, bytes: buffer.subarray(0, bytesRead) };
}

/** Recorders that do not know the size in advance write this size or a larger one. */
const riffSizeUnknown = 0x7fff_0000;

/**
 * Checks that no bytes are missing, which ffmpeg would not notice.
 * @param promisedBytes the size that the uploader claimed; null without a claim
 * @throws {MediaError} empty or truncated
 */
export function assertAllBytes({ size, bytes }: SourceHead, promisedBytes: number | null): void {
  if (size === 0) throw new MediaError('empty', 'The file is empty.');
  // RIFF (WAV, AVI, WebP) stores the number of bytes after its first 8.
  const isRiff = bytes.length >= 8 && bytes.toString('latin1', 0, 4) === 'RIFF';
  const riffSize = isRiff ? bytes.readUInt32LE(4) : 0;
  const expected = Math.max(promisedBytes ?? 0, riffSize < riffSizeUnknown ? riffSize + 8 : 0);
  if (size !== null && size < expected)
    throw new MediaError('truncated', `The file is cut off: it has ${size} of ${expected} bytes.`);
}

/**
 * Whether the source begins like MP4 or QuickTime: with a box (ISO/IEC 14496-12, 4.2) of a type that may come first.
 */
export function startsWithBox({ bytes }: SourceHead): boolean {
  return ['ftyp', 'moov', 'mdat', 'free', 'skip', 'wide', 'pnot'].includes(bytes.toString('latin1', 4, 8));
}

/** Whether the source is MP4 or QuickTime in fragments: its index at the beginning announces them (`mvex`). */
export function isFragmented(head: SourceHead): boolean {
  return startsWithBox(head) && head.bytes.includes('mvex');
}

/** Brands of still images and image sequences in boxes: HEIF, AVIF, JPEG XL, and raw images of cameras. */
const imageBrands: readonly (readonly [format: string, brands: readonly string[]])[] = [
  ['HEIC', ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs', 'mif1', 'mif2', 'msf1']],
  ['AVIF', ['avif', 'avis']],
  ['JPEG XL', ['jxl ']],
  ['Canon raw', ['crx ']],
];
/** The bit of an animation in the flags of extended WebP. */
const webPAnimation = 0x02;

/**
 * Checks for whole images of formats that are not accepted. ffmpeg takes them for moving pictures, or for damaged.
 * @throws {MediaError} unsupported
 */
export function assertNoForeignImage({ bytes }: SourceHead): void {
  const text = (from: number, to: number) => bytes.toString('latin1', from, to);
  const isAnimatedWebP = text(0, 4) === 'RIFF' && text(8, 16) === 'WEBPVP8X' && (bytes[20] ?? 0) & webPAnimation;
  const isJPEGXL = text(0, 2) === '\xff\x0a' || text(4, 8) === 'JXL ';
  const [branded] = imageBrands.find(([, brands]) => text(4, 8) === 'ftyp' && brands.includes(text(8, 12))) ?? [];
  const format = branded ?? (isAnimatedWebP ? 'animated WebP' : isJPEGXL ? 'JPEG XL' : null);
  if (format === null) return;
  const detail = `The file is an image in the format ${format}, which is not supported. Save it as JPEG or PNG.`;
  throw new MediaError('unsupported', detail);
}

// Reads from PNG, WebP and TIFF how a camera was held, which ffmpeg only reads from JPEG.
import { isOrientation } from '../../domain/shared/source-reading.ts';
import type { Orientation } from '../../domain/shared/source-reading.ts';

/** A part of a file. */
export interface ByteRange {
  readonly start: number;
  readonly length: number;
}

/** Asks for one range after the other. The bytes of each follow; fewer if the file ends there. */
export type RangeReading<Result> = Generator<ByteRange, Result, Buffer>;

/** More than files have before their picture, and more than a camera writes into a directory. */
const limits = { chunks: 64, entries: 512 } as const;

const signatures = { png: '\x89PNG\r\n\x1a\n', webP: /^RIFF.{4}WEBPVP8X/su } as const;
/** Bytes of the longest signature, and of the flags after it. */
const headBytes = 24;
/** The bit of EXIF in the flags of extended WebP (RFC 9649, 2.7). */
const webPExif = { at: 20, bit: 0x08 } as const;
/** EXIF in WebP often begins with its name in JPEG. */
const nameInJpeg = 'Exif\0\0';
/** Exif 2.32, 4.6.2 and 4.6.4 A. */
const tiff = { magic: 42, orientation: 0x0112, short: 3, entryBytes: 12 } as const;

/**
 * Reads the orientation in a still image of any kind, in at most 70 ranges of up to 6 KiB.
 * @returns null if it is upright, states no orientation, is of another kind, or is damaged there
 */
export function* readOrientation(): RangeReading<Orientation | null> {
  const head = yield { start: 0, length: headBytes };
  const text = head.toString('latin1');
  if (text.startsWith(signatures.png)) return yield* inExif(yield* pngExif());
  if (signatures.webP.test(text)) {
    const isStated = ((head[webPExif.at] ?? 0) & webPExif.bit) !== 0;
    return yield* inExif(isStated ? yield* webPExifStart() : null);
  }
  return yield* inExif(0);
}

/** The start of EXIF in PNG (third edition, 5.3); null: there is none before the picture, as viewers look for it. */
function* pngExif(): RangeReading<number | null> {
  let start = signatures.png.length;
  for (let chunk = 0; chunk < limits.chunks; chunk++) {
    const head = yield { start, length: 8 };
    const type = head.toString('latin1', 4);
    if (type === 'eXIf') return start + 8;
    if (head.length < 8 || type === 'IDAT') return null;
    start += head.readUInt32BE(0) + 12;
  }
  return null;
}

/** The start of EXIF in WebP, usually behind the picture (RFC 9649, 2.3). */
function* webPExifStart(): RangeReading<number | null> {
  let start = 12;
  for (let chunk = 0; chunk < limits.chunks; chunk++) {
    const head = yield { start, length: 8 + nameInJpeg.length };
    if (head.length < 8) return null;
    if (head.toString('latin1', 0, 4) === 'EXIF')
      return start + 8 + (head.toString('latin1', 8) === nameInJpeg ? nameInJpeg.length : 0);
    const length = head.readUInt32LE(4);
    start += 8 + length + (length % 2);
  }
  return null;
}

/** The orientation in the first directory of EXIF or TIFF. @param start its first byte; null: there is none */
function* inExif(start: number | null): RangeReading<Orientation | null> {
  if (start === null) return null;
  const header = yield { start, length: 8 };
  const order = header.toString('latin1', 0, 2);
  if (header.length < 8 || (order !== 'II' && order !== 'MM')) return null;
  const isLittle = order === 'II';
  const short = (bytes: Buffer, at: number) => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
  const long = (bytes: Buffer, at: number) => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  if (short(header, 2) !== tiff.magic) return null;
  const directory = start + long(header, 4);
  const counted = yield { start: directory, length: 2 };
  if (counted.length < 2) return null;
  const count = Math.min(limits.entries, short(counted, 0));
  const entries = yield { start: directory + 2, length: count * tiff.entryBytes };
  for (let at = 0; at + tiff.entryBytes <= entries.length; at += tiff.entryBytes) {
    if (short(entries, at) !== tiff.orientation) continue;
    const value = short(entries, at + 8);
    return short(entries, at + 2) === tiff.short && long(entries, at + 4) === 1 && isOrientation(value) ? value : null;
  }
  return null;
}

// Still images with the orientation of a camera in them, for tests of upright photos.
import { crc32 } from 'node:zlib';
import { readFile } from 'node:fs/promises';
import { madeSample, writtenFile } from './media-samples.ts';

/** The kinds of files that state an orientation. */
export const orientedKinds = ['jpg', 'png', 'webp', 'tiff'] as const;
export type OrientedKind = (typeof orientedKinds)[number];

const orientationTag = 0x0112;
const short = 3;

/** One entry of TIFF with the orientation (Exif 2.32, 4.6.4). */
function entryOf(orientation: number, isLittle: boolean): Buffer {
  const entry = Buffer.alloc(12);
  if (isLittle) {
    entry.writeUInt16LE(orientationTag, 0);
    entry.writeUInt16LE(short, 2);
    entry.writeUInt32LE(1, 4);
    entry.writeUInt16LE(orientation, 8);
  } else {
    entry.writeUInt16BE(orientationTag, 0);
    entry.writeUInt16BE(short, 2);
    entry.writeUInt32BE(1, 4);
    entry.writeUInt16BE(orientation, 8);
  }
  return entry;
}

/** EXIF with nothing but an orientation. */
export function exifOf(orientation: number, isLittle: boolean): Buffer {
  const header = isLittle ? 'II*\0\x08\0\0\0\x01\0' : 'MM\0*\0\0\0\x08\0\x01';
  return Buffer.concat([Buffer.from(header, 'latin1'), entryOf(orientation, isLittle), Buffer.alloc(4)]);
}

function inJpeg(bytes: Buffer, orientation: number): Buffer {
  const exif = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), exifOf(orientation, true)]);
  const marker = Buffer.from([0xff, 0xe1, 0, exif.length + 2]);
  return Buffer.concat([bytes.subarray(0, 2), marker, exif, bytes.subarray(2)]);
}

/** A chunk of PNG (PNG, third edition, 5.3). */
function pngChunk(type: string, content: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, check]);
}

/** With a long text before the orientation, as editing programs write. */
export function inPng(bytes: Buffer, orientation: number): Buffer {
  const afterHeader = 8 + 12 + 13;
  const text = pngChunk('tEXt', Buffer.concat([Buffer.from('Comment\0', 'latin1'), Buffer.alloc(6000, 'x')]));
  const exif = pngChunk('eXIf', exifOf(orientation, false));
  return Buffer.concat([bytes.subarray(0, afterHeader), text, exif, bytes.subarray(afterHeader)]);
}

/** A chunk of RIFF, which is padded to an even length. */
function riffChunk(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

/** Extended WebP (RFC 9649, 2.7). @param isNamed whether EXIF begins with its name in JPEG, as in many files */
export function inWebP(bytes: Buffer, { width, height }: Size, orientation: number, isNamed: boolean): Buffer {
  const extended = Buffer.alloc(10);
  extended[0] = 0x08;
  extended.writeUIntLE(width - 1, 4, 3);
  extended.writeUIntLE(height - 1, 7, 3);
  const exif = Buffer.concat([Buffer.from(isNamed ? 'Exif\0\0' : '', 'latin1'), exifOf(orientation, true)]);
  const chunks = [riffChunk('VP8X', extended), bytes.subarray(12), riffChunk('EXIF', exif)];
  return riffChunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]));
}

/** With a directory at the end of the file. */
function inTiff(bytes: Buffer, orientation: number): Buffer {
  const directory = bytes.readUInt32LE(4);
  const count = bytes.readUInt16LE(directory);
  const entries = Array.from({ length: count }, (_, index) =>
    bytes.subarray(directory + 2 + 12 * index, directory + 14 + 12 * index),
  );
  const all = [...entries.filter((entry) => entry.readUInt16LE(0) !== orientationTag), entryOf(orientation, true)];
  const sorted = all.toSorted((one, other) => one.readUInt16LE(0) - other.readUInt16LE(0));
  const counted = Buffer.alloc(2);
  counted.writeUInt16LE(sorted.length);
  const even = Buffer.concat([bytes, Buffer.alloc(bytes.length % 2)]);
  even.writeUInt32LE(even.length, 4);
  return Buffer.concat([even, counted, ...sorted, Buffer.alloc(4)]);
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Filters that turn an upright picture to the one that a camera held that way stores. */
const asHeld: Readonly<Record<number, string>> = {
  1: 'null',
  2: 'hflip',
  3: 'hflip,vflip',
  4: 'vflip',
  5: 'transpose=cclock_flip',
  6: 'transpose=cclock',
  7: 'transpose=clock_flip',
  8: 'transpose=clock',
};

/** The drawing of the images, upright: each quarter has a grey of its own. */
export const drawn: Size = { width: 320, height: 180 };
const drawing = `nullsrc=s=320x180,format=gray,geq=lum='40+55*gte(X,160)+110*gte(Y,90)',format=rgb24`;

/** A file of the drawing without an orientation, stored as a camera held that way does. @returns its path */
export function heldImage(kind: OrientedKind, orientation: number): Promise<string> {
  const recipe = ['-f', 'lavfi', '-i', `${drawing},${asHeld[orientation]}`, '-frames:v', '1', '-update', '1'];
  return madeSample(`held-${orientation}.${kind}`, recipe);
}

/** A file of the drawing that is upright by its orientation. @returns its path */
export async function orientedImage(kind: OrientedKind, orientation: number): Promise<string> {
  const bytes = await readFile(await heldImage(kind, orientation));
  const size = orientation < 5 ? drawn : { width: drawn.height, height: drawn.width };
  const made = {
    jpg: () => inJpeg(bytes, orientation),
    png: () => inPng(bytes, orientation),
    webp: () => inWebP(bytes, size, orientation, orientation % 2 === 0),
    tiff: () => inTiff(bytes, orientation),
  }[kind]();
  return writtenFile(`oriented-${orientation}.${kind}`, made);
}

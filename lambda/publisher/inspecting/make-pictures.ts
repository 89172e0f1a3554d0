// Makes pictures of a content for lists: a thumbnail, a strip of ten for videos, and the artwork in the file.
import type { DynamicRange } from '../../domain/shared/video-format.ts';
import type { SourceReading } from '../../domain/shared/source-reading.ts';
import { storyboardColumns } from '../../domain/media/content-pictures.ts';
import { decoderArguments, dueSeconds, heldArguments, onBlack, picturesIn } from '../ffmpeg/input-arguments.ts';
import { soundGraph, startArguments, stillFilters, withoutAlpha } from '../ffmpeg/input-arguments.ts';
import { toneMappingFilters } from '../ffmpeg/tone-mapping.ts';
import { inputGuardArguments } from '../media/container-formats.ts';
import type { MediaKind } from '../media/container-formats.ts';
import type { Source } from '../media/structure.ts';
import { asJpeg, captureImage } from './capture-image.ts';

/** The facts about a content that are needed for its pictures. */
export interface PicturedContent {
  readonly kind: MediaKind;
  /** Null for images. */
  readonly durationSeconds: number | null;
  /** As displayed; null for sound. */
  readonly size: Size | null;
  readonly dynamicRange: DynamicRange;
  /** Absent: the usual way. */
  readonly reading?: SourceReading | undefined;
  /** The number of the file's stream with the artwork; null if there is none. */
  readonly artworkStream: number | null;
}

export interface Pictures {
  /** JPEG. */
  readonly thumbnail: Buffer;
  /** JPEG with `storyboardColumns` pictures side by side; null except for videos. */
  readonly storyboard: Buffer | null;
  /** JPEG; null if the file has no artwork that can be decoded. */
  readonly artwork: Buffer | null;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

const thumbnailBox: Size = { width: 640, height: 640 };
const artworkBox: Size = { width: 1000, height: 1000 };
const storyboardBox: Size = { width: 320, height: 180 };
const waveform = { width: 640, height: 160, colour: '0x4aa3ff' } as const;
/** The most sound that is drawn. Longer sound is drawn from samples of it. */
const drawn = { samplesPerSecond: 16_000, samplesPerFrame: 1024, frames: 20_000 } as const;

/**
 * @param timeoutMs pictures that are not made by then are left out
 * @returns without a thumbnail if nothing can be shown
 * @throws {ToolError} when the source cannot be read, or ffmpeg is missing; the signal's reason
 */
export async function makePictures(
  source: Source,
  content: PicturedContent,
  timeoutMs: number,
): Promise<Partial<Pictures>> {
  const bounded = { ...source, signal: AbortSignal.any([source.signal, AbortSignal.timeout(timeoutMs)]) };
  const artwork = await takeArtwork(bounded, content);
  const pictures = await make(bounded, content);
  source.signal.throwIfAborted();
  return { ...pictures, artwork };
}

async function make(
  source: Source,
  content: PicturedContent,
): Promise<Pick<Pictures, 'thumbnail' | 'storyboard'> | null> {
  if (content.kind === 'audio') return alone(await drawWaveform(source, content));
  const size = content.size ?? thumbnailBox;
  if (content.kind === 'image') return alone(await shoot(source, content, 0));
  const shots = await shootTen(source, content);
  if (shots.length === 0) return null;
  // The largest JPEG of the ten has the most detail, so it is neither black nor blurred if another one is not.
  const thumbnail = shots.reduce((best, shot) => (shot.length > best.length ? shot : best));
  return { thumbnail, storyboard: await placeSideBySide(source, shots, fitted(size, storyboardBox)) };
}

const alone = (thumbnail: Buffer | null) => thumbnail && { thumbnail, storyboard: null };

/** A picture from the middle of each tenth; if there is none, the previous one. */
async function shootTen(source: Source, content: PicturedContent): Promise<Buffer[]> {
  const tenth = (content.durationSeconds ?? 0) / storyboardColumns;
  const shots: Buffer[] = [];
  for (let index = 0; index < storyboardColumns && !source.signal.aborted; index++) {
    const shot = await shoot(source, content, (index + 0.5) * tenth);
    // The only picture of a file may be its first.
    const shown = shot ?? shots.at(-1) ?? (await shoot(source, content, 0));
    if (shown) shots.push(shown);
  }
  return shots;
}

function shoot(source: Source, content: PicturedContent, atSeconds: number): Promise<Buffer | null> {
  const { kind, dynamicRange, reading, size } = content;
  const { width, height } = fitted(size ?? thumbnailBox, thumbnailBox);
  const isImage = kind === 'image';
  const toneMapping = toneMappingFilters(dynamicRange);
  const scale = `scale=${width}:${height}:flags=area`;
  return captureImage({
    ...source,
    input: [
      inputGuardArguments(source.sourceURL, kind),
      ['-threads', '1', ...(isImage ? heldArguments(reading) : decoderArguments(dynamicRange, reading))],
      [...startArguments(atSeconds, reading), '-i', source.sourceURL],
    ].flat(),
    filters: [
      isImage
        ? `[0:v:0]${stillFilters(reading).join(',')}`
        : [
            `[${picturesIn(0, reading)}]trim=start=${dueSeconds(atSeconds, reading, {})}`,
            ...withoutAlpha(reading),
          ].join(','),
      ...(toneMapping.length > 0 ? [scale, ...toneMapping, `scale=${asJpeg}`] : [`${scale}:${asJpeg}`]),
      'setsar=1',
    ],
  });
}

async function takeArtwork(source: Source, { kind, artworkStream }: PicturedContent): Promise<Buffer | null> {
  if (artworkStream === null) return null;
  const { width, height } = artworkBox;
  const box = `w='min(iw,${width})':h='min(ih,${height})':force_original_aspect_ratio=decrease`;
  return captureImage({
    ...source,
    input: [...inputGuardArguments(source.sourceURL, kind), '-threads', '1', '-i', source.sourceURL],
    filters: [
      `[0:${artworkStream}]${onBlack.join(',')}`,
      `scale=${box}:force_divisible_by=2:flags=area:${asJpeg}`,
      'setsar=1',
    ],
  });
}

function drawWaveform(source: Source, { durationSeconds, reading }: PicturedContent): Promise<Buffer | null> {
  const { samplesPerSecond, samplesPerFrame, frames } = drawn;
  const every = Math.ceil(((durationSeconds ?? 0) * samplesPerSecond) / samplesPerFrame / frames);
  const { width, height, colour } = waveform;
  return captureImage({
    ...source,
    input: [
      inputGuardArguments(source.sourceURL, 'audio'),
      ['-threads', '1', ...startArguments(0, reading), '-i', source.sourceURL],
    ].flat(),
    filters: [
      soundGraph(0, [`aresample=${samplesPerSecond}`, `atrim=end=${durationSeconds}`], reading),
      `aformat=channel_layouts=mono,asetnsamples=${samplesPerFrame}`,
      ...(every > 1 ? [`aselect='not(mod(n,${every}))'`] : []),
      `showwavespic=s=${width}x${height}:colors=${colour}:scale=sqrt`,
      `scale=${asJpeg}`,
    ],
  });
}

async function placeSideBySide(
  source: Source,
  shots: readonly Buffer[],
  { width, height }: Size,
): Promise<Buffer | null> {
  if (shots.length < storyboardColumns) return null;
  return captureImage({
    ...source,
    input: '-f image2pipe -framerate 1 -c:v mjpeg -i pipe:0'.split(' '),
    filters: [`scale=${width}:${height}:flags=area:${asJpeg}`, `tile=${storyboardColumns}x1`],
    stdin: Buffer.concat(shots),
  });
}

/** The size at which a picture fits into a box. Never enlarged; at least two pixels wide and high. */
function fitted({ width, height }: Size, box: Size): Size {
  const factor = Math.min(1, box.width / width, box.height / height);
  const even = (length: number) => Math.max(2, 2 * Math.round((length * factor) / 2));
  return { width: even(width), height: even(height) };
}

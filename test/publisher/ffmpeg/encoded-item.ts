// Reads items to their ends and decodes their pictures, for tests of the ffmpeg backend.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import type { SourceReading } from '../../../lambda/domain/shared/source-reading.ts';
import { plainSound } from '../../support/plain-sound.ts';
import type { ComposedAudioRequest } from '../../../lambda/publisher/ffmpeg/composed-audio.ts';
import type { FrameRequest } from '../../../lambda/publisher/ffmpeg/item-arguments.ts';
import { onlyLayer } from '../../../lambda/publisher/ffmpeg/layered-pictures.ts';
import { openItem } from '../../../lambda/publisher/ffmpeg/item-source.ts';
import type { ItemRequest } from '../../../lambda/publisher/ffmpeg/item-source.ts';
import type { VideoFrame } from '../../../lambda/publisher/ffmpeg/video-source.ts';
import { profileOf } from '../../../lambda/publisher/ffmpeg/profile.ts';
import type { MediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { fastEncoder } from '../../support/media-samples.ts';

export const profile = profileOf({ quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264' });

/** A request for pictures, cheaply encoded. Default: two seconds. */
export function itemRequest(
  sourceURL: string,
  {
    kind = 'video',
    dynamicRange,
    ...request
  }: Partial<ItemRequest> & Partial<Pick<FrameRequest, 'kind' | 'dynamicRange'>> = {},
): ItemRequest {
  return {
    layers: [onlyLayer({ sourceURL, kind, ...(dynamicRange && { dynamicRange }) })],
    audio: null,
    startFrame: 0,
    frameCount: 60,
    profile,
    encoder: fastEncoder,
    ...request,
  };
}

/** A request for the sound of a file, as long as a number of frames. */
export function soundRequest(sourceURL: string, startFrame: number, frameCount: number): ComposedAudioRequest {
  const [startSample, count] = [startFrame * profile.samplesPerFrame, frameCount * profile.samplesPerFrame];
  return { sound: plainSound(sourceURL), startSample, count, urlOf: (source) => source };
}

/** All frames of an item. */
export async function encodeItem(tools: MediaTools, request: ItemRequest): Promise<VideoFrame[]> {
  const item = openItem(tools, request, new AbortController().signal);
  try {
    const frames: VideoFrame[] = [];
    for (let frame = await item.readFrame(); frame !== null; frame = await item.readFrame()) frames.push(frame);
    return frames;
  } finally {
    await item.close();
  }
}

/** All samples of an item. @param reading how its file is read; absent or null: the usual way */
export async function readSound(
  tools: MediaTools,
  request: ItemRequest,
  reading?: SourceReading | null,
): Promise<Int16Array> {
  const audio = soundRequest(request.layers[0]!.sourceURL, request.startFrame, request.frameCount);
  const sound = { ...audio.sound, item: { ...audio.sound.item, ...(reading && { reading }) } };
  const item = openItem(tools, { ...request, audio: { ...audio, sound } }, new AbortController().signal);
  try {
    const bytes = await item.readSamples(request.frameCount * request.profile.samplesPerFrame);
    return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  } finally {
    await item.close();
  }
}

/** An FLV file with the frames of items in sequence, as a stream sends them. */
export function joinItems(items: readonly VideoFrame[][]): Buffer {
  const parts: Buffer[] = [Buffer.from('FLV\x01\x01\0\0\0\x09\0\0\0\0', 'latin1')];
  const addTag = (timestampMs: number, body: Buffer): void => {
    const header = Buffer.alloc(11);
    header[0] = 9;
    header.writeUIntBE(body.length, 1, 3);
    header.writeUIntBE(timestampMs, 4, 3);
    const size = Buffer.alloc(4);
    size.writeUInt32BE(11 + body.length);
    parts.push(header, body, size);
  };
  items.flat().forEach((frame, position) => {
    const timestampMs = Math.round((position * 1000) / profile.framesPerSecond);
    if (frame.sequenceHeader) addTag(timestampMs, frame.sequenceHeader);
    addTag(timestampMs, frame.payload);
  });
  return Buffer.concat(parts);
}

/** The luma of a decoded picture: 16 by 9 pixels, each from 16 for black to 235 for white. */
export type Picture = Uint8Array;

/** Decodes an FLV file. @throws the decoder's complaints */
export async function decodePictures({ ffmpegPath }: MediaTools, flv: Buffer): Promise<Picture[]> {
  const input = ['-f', 'flv', '-i', 'pipe:0'];
  const filters = ['-fps_mode', 'passthrough', '-vf', 'scale=16:9:flags=area+accurate_rnd,format=yuv420p'];
  const decoder = spawn(ffmpegPath, ['-loglevel', 'error', ...input, ...filters, '-f', 'rawvideo', 'pipe:1']);
  decoder.stdin.end(flv);
  const [pixels, complaints] = await Promise.all([
    buffer(decoder.stdout),
    buffer(decoder.stderr),
    once(decoder, 'close'),
  ]);
  if (complaints.length > 0) throw new Error(complaints.toString());
  const lumaBytes = 16 * 9;
  const pictureBytes = lumaBytes + 2 * (8 * 5);
  return Array.from({ length: pixels.length / pictureBytes }, (_, index) =>
    pixels.subarray(index * pictureBytes, index * pictureBytes + lumaBytes),
  );
}

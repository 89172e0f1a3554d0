// Decoders of one kind of media: contributed tags go in, raw pictures or samples on the session's grid come out.
import type { FramingName } from '../domain/playout/look.ts';
import { examiningMemoryMiB, startMediaTool } from '../publisher/ffmpeg/media-tool.ts';
import type { RunningMediaTool } from '../publisher/ffmpeg/media-tool.ts';
import { audioFormat } from '../publisher/ffmpeg/profile.ts';
import type { Profile } from '../publisher/ffmpeg/profile.ts';
import type { MediaTools } from '../publisher/media/media-tools.ts';
import type { ContributedTag } from './contribution.ts';
import { leadInMs, pictureDecoderArguments, pictureSizeArguments, soundDecoderArguments } from './live-arguments.ts';
import { flvStart, flvTag } from './media-tags.ts';

/** A picture, in pieces as they came from the decoder, so that it is not copied. */
export type RawPicture = readonly Buffer[];

/** A running decoder. `Output` is a picture, or any number of whole samples. */
export interface TagDecoder<Output> {
  /** Outputs by their place on the grid: that of the picture, or of the first sample. */
  readonly outputs: AsyncIterable<{ readonly at: number; readonly output: Output }>;
  /** Bytes that the decoder has not taken yet. */
  readonly bytesWaiting: number;
  /** @param sessionMs time at which the tag is due for decoding, at least `-leadInMs` */
  write(sessionMs: number, body: Buffer): void;
  /** Ends the input. The outputs end when everything is decoded. */
  end(): void;
  /** Resolves when the decoder has ended. */
  readonly exited: RunningMediaTool['exited'];
  log(): string;
  /** Kills the decoder. Resolves when it is gone. */
  close(): Promise<void>;
}

/** Bytes of sound that the decoder may be ahead: a second. */
const soundAheadBytes = audioFormat.sampleRate * audioFormat.bytesPerSample;

/** @param fromFrame the place on the grid of the first picture */
export function openPictureDecoder(
  tools: MediaTools,
  { profile, framing }: { readonly profile: Profile; readonly framing: FramingName | undefined },
  fromFrame: number,
  signal: AbortSignal,
): TagDecoder<RawPicture> {
  const pictureBytes = (profile.width * profile.height * 3) / 2;
  const ffmpeg = startMediaTool(
    tools.ffmpegPath,
    pictureDecoderArguments(profile, framing, fromFrame / profile.framesPerSecond),
    { readAheadBytes: pictureBytes, signal, memoryMiB: examiningMemoryMiB },
  );
  return decoderOf('video', ffmpeg, picturesFrom(ffmpeg.stdout, pictureBytes, fromFrame));
}

/** @param fromSample the session's sample that comes first */
export function openSoundDecoder(tools: MediaTools, fromSample: number, signal: AbortSignal): TagDecoder<Buffer> {
  const ffmpeg = startMediaTool(tools.ffmpegPath, soundDecoderArguments(fromSample / audioFormat.sampleRate), {
    readAheadBytes: soundAheadBytes,
    signal,
    memoryMiB: examiningMemoryMiB,
  });
  return decoderOf('audio', ffmpeg, samplesFrom(ffmpeg.stdout, fromSample));
}

function decoderOf<Output>(
  type: ContributedTag['type'],
  ffmpeg: RunningMediaTool,
  outputs: TagDecoder<Output>['outputs'],
): TagDecoder<Output> {
  ffmpeg.stdin.write(flvStart(type));
  return {
    outputs,
    get bytesWaiting() {
      return ffmpeg.stdin.writableLength;
    },
    write: (sessionMs, body) => {
      if (ffmpeg.stdin.destroyed || ffmpeg.stdin.writableEnded) return;
      ffmpeg.stdin.cork();
      for (const piece of flvTag(type, Math.max(0, Math.round(sessionMs + leadInMs)), body)) ffmpeg.stdin.write(piece);
      ffmpeg.stdin.uncork();
    },
    end: () => void ffmpeg.stdin.end(),
    exited: ffmpeg.exited,
    log: () => ffmpeg.log(),
    close: () => ffmpeg.end(),
  };
}

async function* picturesFrom(source: AsyncIterable<Buffer>, pictureBytes: number, fromFrame: number) {
  let pieces: Buffer[] = [];
  let missing = pictureBytes;
  let at = fromFrame;
  for await (const chunk of source) {
    let rest = chunk;
    while (rest.length >= missing) {
      pieces.push(rest.subarray(0, missing));
      rest = rest.subarray(missing);
      yield { at, output: pieces };
      at += 1;
      pieces = [];
      missing = pictureBytes;
    }
    if (rest.length === 0) continue;
    pieces.push(rest);
    missing -= rest.length;
  }
}

async function* samplesFrom(source: AsyncIterable<Buffer>, fromSample: number) {
  let at = fromSample;
  let rest = Buffer.alloc(0);
  for await (const chunk of source) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const count = Math.floor(bytes.length / audioFormat.bytesPerSample);
    const end = count * audioFormat.bytesPerSample;
    // A copy, as samples are faded in place and stay after their chunk.
    if (count > 0) yield { at, output: Buffer.from(bytes.subarray(0, end)) };
    at += count;
    rest = Buffer.from(bytes.subarray(end));
  }
}

/** Far more than ffprobe needs for a header. */
const sizeTimeoutMs = 10_000;

/** The size of a contributor's pictures by its header and first keyframe; null if ffprobe finds none. */
export async function readPictureSize(
  { ffprobePath }: MediaTools,
  [header, keyframe]: readonly [Buffer, Buffer],
  signal: AbortSignal,
): Promise<{ width: number; height: number } | null> {
  const ffprobe = startMediaTool(ffprobePath, pictureSizeArguments, {
    readAheadBytes: 4096,
    signal: AbortSignal.any([signal, AbortSignal.timeout(sizeTimeoutMs)]),
    memoryMiB: examiningMemoryMiB,
  });
  for (const piece of [flvStart('video'), ...flvTag('video', 0, header), ...flvTag('video', 0, keyframe)])
    ffprobe.stdin.write(piece);
  ffprobe.stdin.end();
  let text = '';
  for await (const chunk of ffprobe.stdout) text = (text + String(chunk)).slice(0, 100);
  const [, width, height] = /^(\d+),(\d+)/.exec(text) ?? [];
  // An ffprobe that does not know the codec prints zeros.
  return Number(width) > 0 ? { width: Number(width), height: Number(height) } : null;
}

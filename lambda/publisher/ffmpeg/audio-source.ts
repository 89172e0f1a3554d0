// The sound of one item as raw samples, from its own ffmpeg, so that sound and pictures never wait for each other.
import { MediaError } from '../media/media-error.ts';
import type { MediaTools } from '../media/media-tools.ts';
import { isSourceUnreadable } from '../media/source-fault.ts';
import { describeExit, examiningMemoryMiB, startMediaTool, ToolError } from './media-tool.ts';
import type { RunningMediaTool } from './media-tool.ts';
import { audioArguments } from './item-arguments.ts';
import type { AudioRequest } from './item-arguments.ts';
import { audioFormat } from './profile.ts';

/** ffmpeg works this far ahead of the reader, then waits. */
const readAheadSeconds = 3;

export interface AudioSource {
  /**
   * Resolves when the first samples are decoded. Rejects with MediaError when nothing can be decoded, with ToolError
   * when ffmpeg or the source failed, or with the signal's reason.
   */
  readonly ready: Promise<void>;
  /**
   * The next samples (see `audioFormat`), exactly `sampleCount`. They are silent if the source has no sound, or its
   * sound cannot be read or decoded, so a broken sound track never stops the pictures. One call at a time.
   * @throws the signal's reason
   */
  readSamples(sampleCount: number): Promise<Buffer>;
  /** Ends ffmpeg. Resolves when its process is gone. */
  close(): Promise<void>;
}

export interface CountedAudioSource extends AudioSource {
  /** The number of samples read that are the source's own. Those after them are silence. */
  ownSamples(): number;
}

/** The sound of a source without sound. */
export const silence: CountedAudioSource = {
  ready: Promise.resolve(),
  readSamples: async (sampleCount) => Buffer.alloc(sampleCount * audioFormat.bytesPerSample),
  ownSamples: () => 0,
  close: async () => {},
};

export function openAudioSource(tools: MediaTools, request: AudioRequest, signal: AbortSignal): CountedAudioSource {
  const readAheadBytes = readAheadSeconds * audioFormat.sampleRate * audioFormat.bytesPerSample;
  const { sourceURL, background = false } = request;
  const ffmpeg = startMediaTool(tools.ffmpegPath, audioArguments(request), {
    sourceURL,
    readAheadBytes,
    signal,
    background,
    memoryMiB: examiningMemoryMiB,
  });
  ffmpeg.stdin.end();

  // One permanent listener: a new one would be called at once for the buffered bytes, however few.
  let change = Promise.withResolvers<void>();
  const notify = (): void => {
    change.resolve();
    change = Promise.withResolvers();
  };
  ffmpeg.stdout.on('readable', notify).on('end', notify);
  const ready = assertSound(ffmpeg, change.promise, signal);
  // A reader that does not wait for `ready` gets silence instead of this error.
  ready.catch(() => {});

  let ownBytes = 0;
  const readSamples = async (sampleCount: number): Promise<Buffer> => {
    const byteCount = sampleCount * audioFormat.bytesPerSample;
    for (;;) {
      signal.throwIfAborted();
      const bytes: Buffer | null = ffmpeg.stdout.read(byteCount);
      // At the end of the stream `read` returns the rest, which may be short. Missing samples become silence.
      if (bytes !== null) {
        ownBytes += bytes.length;
        return bytes.length === byteCount ? bytes : Buffer.concat([bytes], byteCount);
      }
      if (ffmpeg.stdout.readableEnded) return Buffer.alloc(byteCount);
      await change.promise;
    }
  };

  return {
    ready,
    readSamples,
    ownSamples: () => Math.floor(ownBytes / audioFormat.bytesPerSample),
    close: () => ffmpeg.end(),
  };
}

async function assertSound(ffmpeg: RunningMediaTool, firstChange: Promise<void>, signal: AbortSignal): Promise<void> {
  await firstChange;
  if (ffmpeg.stdout.readableLength > 0 || ffmpeg.stdout.readableDidRead) return;
  const exit = await ffmpeg.exited;
  signal.throwIfAborted();
  // ffmpeg ends without an error and without a sample if it began after the end of the sound. Then silence is right.
  if (exit.code === 0) return;
  if (exit.brokenOff || isSourceUnreadable(ffmpeg.log())) throw new ToolError(describeExit(exit, ffmpeg.log()));
  throw new MediaError('damaged', 'No sound in this file can be decoded.');
}

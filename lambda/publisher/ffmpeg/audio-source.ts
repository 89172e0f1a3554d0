// The sound of one item as raw samples, from an ffmpeg of its own: pictures are never held up by sound, nor sound by pictures.
import { MediaError } from '../media/media-error.ts';
import type { MediaTools } from '../media/media-tools.ts';
import { isSourceUnreadable } from '../media/source-fault.ts';
import { describeExit, startChild, ToolError } from './child.ts';
import type { Child } from './child.ts';
import { audioArguments } from './item-arguments.ts';
import type { AudioRequest } from './item-arguments.ts';
import { audioFormat } from './profile.ts';

/** ffmpeg works this far ahead of the reader, then waits. */
const readAheadSeconds = 3;

export interface AudioSource {
  /**
   * Resolves when the first samples are there.
   * Rejects with MediaError when nothing can be decoded, ToolError when ffmpeg or the source failed, or the signal's reason.
   */
  readonly ready: Promise<void>;
  /**
   * Exactly `sampleCount` samples (see `audioFormat`), in order, whatever the source holds: silence where it has none, or cannot be
   * read or decoded, so a broken sound track never stops a picture. One call at a time.
   * @throws the signal's reason
   */
  readSamples(sampleCount: number): Promise<Buffer>;
  /** For our log: what ffmpeg complained about. */
  log(): string;
  /** Ends ffmpeg and resolves when it is gone. */
  close(): Promise<void>;
}

export function openAudioSource(tools: MediaTools, request: AudioRequest, signal: AbortSignal): AudioSource {
  const readAheadBytes = readAheadSeconds * audioFormat.sampleRate * audioFormat.bytesPerSample;
  const { sourceURL, background = false } = request;
  const child = startChild(tools.ffmpegPath, audioArguments(request), {
    sourceURL,
    readAheadBytes,
    signal,
    background,
  });
  child.stdin.end();

  // One listener for good: each new one would at once be told of the bytes already there, however few.
  let change = Promise.withResolvers<void>();
  const notify = (): void => {
    change.resolve();
    change = Promise.withResolvers();
  };
  child.stdout.on('readable', notify).on('end', notify);
  const ready = assertSound(child, change.promise, signal);
  // Whoever does not ask gets silence instead.
  ready.catch(() => {});

  const readSamples = async (sampleCount: number): Promise<Buffer> => {
    const byteCount = sampleCount * audioFormat.bytesPerSample;
    for (;;) {
      signal.throwIfAborted();
      const bytes: Buffer | null = child.stdout.read(byteCount);
      // At the end of the stream `read` gives the rest, however short.
      if (bytes !== null) return bytes.length === byteCount ? bytes : Buffer.concat([bytes], byteCount);
      if (child.stdout.readableEnded) return Buffer.alloc(byteCount);
      await change.promise;
    }
  };

  return {
    ready,
    readSamples,
    log: () => child.log(),
    close: () => child.end(),
  };
}

async function assertSound(child: Child, firstChange: Promise<void>, signal: AbortSignal): Promise<void> {
  await firstChange;
  if (child.stdout.readableLength > 0 || child.stdout.readableDidRead) return;
  const exit = await child.exited;
  signal.throwIfAborted();
  // Begun behind the end of its sound: silence is right.
  if (exit.code === 0) return;
  if (exit.brokenOff || isSourceUnreadable(child.log())) throw new ToolError(describeExit(exit, child.log()));
  throw new MediaError('damaged', 'No sound in this file can be decoded.');
}

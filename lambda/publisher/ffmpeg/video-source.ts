// The pictures of one item as encoded frames on the frame grid, from an ffmpeg of its own.
import { MediaError } from '../media/media-error.ts';
import type { MediaTools } from '../media/media-tools.ts';
import { isSourceUnreadable } from '../media/source-fault.ts';
import { describeExit, startChild, ToolError } from './child.ts';
import type { Child } from './child.ts';
import { flvTagType, readFlvTags } from './flv-reader.ts';
import { videoArguments } from './item-arguments.ts';
import type { VideoRequest } from './item-arguments.ts';
import { readVideoTag, withCompositionTime } from './video-tag.ts';

/** ffmpeg works this far ahead of the reader, then waits. */
const readAheadSeconds = 3;

/** Frames come in decode order; frame `index` is decoded at `index` and shown at `index + compositionFrames` on the item's grid. */
export interface VideoFrame {
  /** Counted from the request's `startFrame`, in decode order. */
  readonly index: number;
  /** The first frame is one; each begins a closed GOP. */
  readonly keyframe: boolean;
  /** The profile's delay for the first frame of every item, so that over a join of items the frames shown have neither gap nor overlap. */
  readonly compositionFrames: number;
  /** FLV video tag body; its composition time is `compositionFrames` in ms, rounded. */
  readonly payload: Buffer;
  /** With the first frame: the FLV tag body with the decoder's configuration. The same bytes for every item of a profile and encoder. */
  readonly sequenceHeader?: Buffer;
}

export interface VideoSource {
  /** Resolves when the first frame is there; rejects as `readFrame` does. */
  readonly ready: Promise<void>;
  /**
   * The next frame, null after the last; one call at a time.
   * @throws {MediaError} when nothing of the item can be decoded. What is damaged later is replaced by the last good frame
   * @throws {ToolError} when ffmpeg or the source failed. What was read so far is complete unless ffmpeg was killed: the item can be
   * opened again at `startFrame` plus the number of frames read
   * @throws the signal's reason
   */
  readFrame(): Promise<VideoFrame | null>;
  /** For our log: what ffmpeg complained about. */
  log(): string;
  /** Ends ffmpeg and resolves when it is gone. */
  close(): Promise<void>;
}

export function openVideoSource(tools: MediaTools, request: VideoRequest, signal: AbortSignal): VideoSource {
  const readAheadBytes = (request.profile.videoBitrateKbps * 1000 * readAheadSeconds) / 8;
  const { sourceURL, background = false } = request;
  const child = startChild(tools.ffmpegPath, videoArguments(request), {
    sourceURL,
    readAheadBytes,
    signal,
    background,
  });
  child.stdin.end();
  const frames = readFrames(child, request, signal);
  let first: ReturnType<typeof frames.next> | null = frames.next();
  const ready = (async (wait: Promise<unknown>) => void (await wait))(first);
  // The reader of the first frame meets the error too; nobody has to look at both.
  ready.catch(() => {});
  return {
    ready,
    readFrame: async () => {
      const next = await (first ?? frames.next());
      first = null;
      return next.done === true ? null : next.value;
    },
    log: () => child.log(),
    close: () => child.end(),
  };
}

async function* readFrames(
  child: Child,
  { profile, frameCount }: VideoRequest,
  signal: AbortSignal,
): AsyncGenerator<VideoFrame, void, undefined> {
  const framesAt = (timestampMs: number): number => Math.round((timestampMs * profile.framesPerSecond) / 1000);
  let sequenceHeader: Buffer | undefined;
  let firstShownMs = 0;
  let lastShown = -1;
  let index = 0;
  for await (const { timestampMs, body } of readFlvTags(child.stdout, flvTagType.video)) {
    const tag = readVideoTag(body);
    if (tag.content === 'sequence header') sequenceHeader = body;
    if (tag.content !== 'picture') continue;
    const shownMs = timestampMs + tag.compositionMs;
    if (index === 0) firstShownMs = shownMs;
    // Where a frame is shown is exact on the grid. When it is decoded is ours to say: encoders begin differently with items of one frame.
    const shown = framesAt(shownMs - firstShownMs);
    // Between mini-GOPs, so that what was read until here can be continued.
    if (lastShown === index - 1 && isSourceUnreadable(child.log())) throw sourceUnreadable(child);
    lastShown = Math.max(lastShown, shown);
    const compositionFrames = shown - index + profile.compositionDelayFrames;
    yield {
      index,
      keyframe: tag.isKeyframe,
      compositionFrames,
      payload: withCompositionTime(body, Math.round((compositionFrames * 1000) / profile.framesPerSecond)),
      ...(index === 0 && sequenceHeader !== undefined ? { sequenceHeader } : {}),
    };
    index += 1;
  }
  const exit = await child.exited;
  signal.throwIfAborted();
  if (index === frameCount) return;
  if (isSourceUnreadable(child.log())) throw sourceUnreadable(child);
  if (index > 0 || exit.brokenOff)
    throw new ToolError(`${index} of ${frameCount} frames: ${describeExit(exit, child.log())}`);
  throw new MediaError('damaged', 'Nothing in this file can be decoded.');
}

function sourceUnreadable(child: Child): ToolError {
  return new ToolError(`the source could not be read: ${child.log()}`);
}

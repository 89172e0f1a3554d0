// The pictures of one item as encoded frames on the frame grid, from its own ffmpeg.
import { availableParallelism } from 'node:os';
import { preparingMemoryMiB } from '../../domain/fleet/capacity.ts';
import { MediaError, takesTooMuchMemory } from '../media/media-error.ts';
import type { MediaTools } from '../media/media-tools.ts';
import { isSourceUnreadable } from '../media/source-fault.ts';
import { describeExit, isOutOfMemory, startMediaTool, ToolError } from './media-tool.ts';
import type { RunningMediaTool } from './media-tool.ts';
import { flvTagType, readFlvTags } from './flv-reader.ts';
import { videoArguments } from './item-arguments.ts';
import type { VideoRequest } from './item-arguments.ts';
import { readVideoTag, withCompositionTime } from './video-tag.ts';

/** ffmpeg works this far ahead of the reader, then waits. */
const readAheadSeconds = 3;

/**
 * Frames come in decode order. On the item's grid, frame `index` is decoded at `index` and shown at
 * `index + compositionDelayFrames`.
 */
export interface VideoFrame {
  /** Counted from the request's `startFrame`, in decode order. */
  readonly index: number;
  /** Whether the frame begins a closed GOP. The first one does. */
  readonly keyframe: boolean;
  /**
   * Frames between the decoding and the display. For the first frame of every item this is the profile's delay, so that
   * items join without a gap or an overlap.
   */
  readonly compositionDelayFrames: number;
  /** The FLV video tag body, whose composition time is `compositionDelayFrames` in milliseconds, rounded. */
  readonly payload: Buffer;
  /**
   * The FLV tag body with the decoder's configuration. Only the first frame has it. All items of a profile and encoder
   * have the same bytes.
   */
  readonly sequenceHeader?: Buffer;
}

export interface VideoSource {
  /** Resolves when the first frame is encoded; rejects with the errors of `readFrame`. */
  readonly ready: Promise<void>;
  /**
   * The next frame; null after the last. One call at a time. In damaged parts of the item the last good frame is
   * repeated.
   * @throws {MediaError} when nothing of the item can be decoded
   * @throws {ToolError} when ffmpeg or the source failed. Unless ffmpeg was killed, the frames read so far are
   * complete, and the item can be opened again at `startFrame` plus their number
   * @throws the signal's reason
   */
  readFrame(): Promise<VideoFrame | null>;
  /** Ends ffmpeg. Resolves when its process is gone. */
  close(): Promise<void>;
}

export function openVideoSource(tools: MediaTools, request: VideoRequest, signal: AbortSignal): VideoSource {
  const readAheadBytes = (request.profile.videoBitrateKbps * 1000 * readAheadSeconds) / 8;
  const { layers, background = false } = request;
  const ffmpeg = startMediaTool(tools.ffmpegPath, videoArguments(request), {
    sourceURL: layers[0]!.sourceURL,
    readAheadBytes,
    signal,
    background,
    // The share of NVIDIA's driver in the limited memory was never measured, so only pixels are limited there.
    memoryMiB: 'preset' in request.encoder ? preparingMemoryMiB(availableParallelism()) : undefined,
  });
  // All layers have one sheet.
  ffmpeg.stdin.end(layers.find(({ overlay }) => overlay?.sheet)?.overlay!.sheet!.png);
  const frames = readFrames(ffmpeg, request, signal);
  let first: ReturnType<typeof frames.next> | null = frames.next();
  const ready = first.then(() => {});
  // The first call of `readFrame` throws the same error, so a caller need not wait for this promise.
  ready.catch(() => {});
  return {
    ready,
    readFrame: async () => {
      const next = await (first ?? frames.next());
      first = null;
      return next.done === true ? null : next.value;
    },
    close: () => ffmpeg.end(),
  };
}

async function* readFrames(
  ffmpeg: RunningMediaTool,
  { profile, frameCount }: VideoRequest,
  signal: AbortSignal,
): AsyncGenerator<VideoFrame, void, undefined> {
  const framesAt = (timestampMs: number): number => Math.round((timestampMs * profile.framesPerSecond) / 1000);
  let sequenceHeader: Buffer | undefined;
  let firstShownMs = 0;
  let lastShown = -1;
  let index = 0;
  for await (const { timestampMs, body } of readFlvTags(ffmpeg.stdout, flvTagType.video)) {
    const tag = readVideoTag(body);
    if (tag.content === 'sequence header') sequenceHeader = body;
    if (tag.content !== 'picture') continue;
    const shownMs = timestampMs + tag.compositionMs;
    if (index === 0) firstShownMs = shownMs;
    // ffmpeg's display times are exact on the grid. Decoding times are counted here, as encoders give items of one
    // frame different ones.
    const shown = framesAt(shownMs - firstShownMs);
    // The error waits for the end of a mini-GOP: the frames read until then are complete, and the item can be
    // continued.
    if (lastShown === index - 1 && isSourceUnreadable(ffmpeg.log())) throw sourceUnreadable(ffmpeg);
    lastShown = Math.max(lastShown, shown);
    const compositionDelayFrames = shown - index + profile.compositionDelayFrames;
    yield {
      index,
      keyframe: tag.isKeyframe,
      compositionDelayFrames,
      payload: withCompositionTime(body, Math.round((compositionDelayFrames * 1000) / profile.framesPerSecond)),
      ...(index === 0 && sequenceHeader !== undefined ? { sequenceHeader } : {}),
    };
    index += 1;
  }
  const exit = await ffmpeg.exited;
  signal.throwIfAborted();
  if (index === frameCount) return;
  if (isSourceUnreadable(ffmpeg.log())) throw sourceUnreadable(ffmpeg);
  if (index === 0 && isOutOfMemory(ffmpeg.log())) throw takesTooMuchMemory();
  if (index > 0 || exit.brokenOff)
    throw new ToolError(`${index} of ${frameCount} frames: ${describeExit(exit, ffmpeg.log())}`);
  throw new MediaError('damaged', 'Nothing in this file can be decoded.');
}

function sourceUnreadable(ffmpeg: RunningMediaTool): ToolError {
  return new ToolError(`the source could not be read: ${ffmpeg.log()}`);
}

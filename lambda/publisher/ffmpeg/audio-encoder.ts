// The AAC encoder of a stream. It encodes all items in one piece, so they join without priming, splices or drift.
// Decision D62.
import type { MediaTools } from '../media/media-tools.ts';
import { describeExit, startMediaTool, ToolError } from './media-tool.ts';
import { flvPacketType, flvTagType, readFlvTags } from './flv-reader.ts';
import { audioEncoderArguments } from './item-arguments.ts';

/**
 * Frame n comes after `n * 1024 + latencySamples` samples are written. With fewer it never comes: ffmpeg reads its
 * input in blocks (4096 samples in version 7.0), and an AAC frame needs the sound of the next one. The measured latency
 * is 5120 samples; the rest is room for larger blocks.
 */
export const latencySamples = 8192;

/**
 * ffmpeg's AAC encoder looks ahead by one frame. Its first frame contains none of the samples but fades in, and frame n
 * contains samples (n - 1) * 1024 to n * 1024 (libavcodec/aacenc.c: `initial_padding`).
 */
export interface AudioEncoder {
  /** The FLV tag body with the AudioSpecificConfig. Resolves once `latencySamples` are written. */
  readonly sequenceHeader: Promise<Buffer>;
  /** Takes any number of samples and never waits: the caller must read frames at the pace at which it writes. */
  write(samples: Buffer): void;
  /** The FLV tag body of the next 1024 samples. @throws {ToolError} when the encoder has ended; the signal's reason */
  readFrame(): Promise<Buffer>;
  /** Ends ffmpeg. Resolves when its process is gone. */
  close(): Promise<void>;
}

/** Far more than a caller leaves unread that reads at the pace at which it writes. */
const readAheadBytes = 1024 * 1024;

export function openAudioEncoder(tools: MediaTools, signal: AbortSignal): AudioEncoder {
  const ffmpeg = startMediaTool(tools.ffmpegPath, audioEncoderArguments(), { readAheadBytes, signal });
  const tags = readFlvTags(ffmpeg.stdout, flvTagType.audio);
  const nextBody = async (packetType: number): Promise<Buffer> => {
    for (;;) {
      const next = await tags.next();
      if (next.done === true) break;
      if (next.value.body[1] === packetType) return next.value.body;
    }
    const exit = await ffmpeg.exited;
    signal.throwIfAborted();
    throw new ToolError(`the audio encoder has ended: ${describeExit(exit, ffmpeg.log())}`);
  };
  const sequenceHeader = nextBody(flvPacketType.sequenceHeader);
  // `readFrame` throws the same error, so a caller need not wait for this promise.
  sequenceHeader.catch(() => {});
  return {
    sequenceHeader,
    write: (samples) => void ffmpeg.stdin.write(samples),
    readFrame: async () => {
      await sequenceHeader;
      return nextBody(flvPacketType.media);
    },
    close: () => ffmpeg.end(),
  };
}

// The one AAC encoder of a stream: its sound is encoded in one piece, so items join without priming, splice or drift.
import type { MediaTools } from '../media/media-tools.ts';
import { describeExit, startChild, ToolError } from './child.ts';
import { flvPacketType, flvTagType, readFlvTags } from './flv-reader.ts';
import { audioEncoderArguments } from './item-arguments.ts';

/**
 * ffmpeg's AAC encoder looks ahead by one frame: the first frame it gives holds no sound of ours but fades in, and frame n
 * holds samples (n - 1) * 1024 to n * 1024 (libavcodec/aacenc.c: `initial_padding`).
 */
const primingSamples = 1024;
/** ffmpeg reads its input in blocks (7.0: 4096 samples), and an AAC frame needs the sound of the next. Measured: 5120; with room for a larger block. */
const latencySamples = 8192;

export interface AudioEncoder {
  /** FLV tag body with the AudioSpecificConfig; there once `latencySamples` are written. */
  readonly sequenceHeader: Promise<Buffer>;
  readonly primingSamples: number;
  /** Frame n is given once `n * 1024 + latencySamples` samples are written. Waiting for it earlier waits for ever. */
  readonly latencySamples: number;
  /** Any number of samples; the caller keeps step with `readFrame`, as nothing here does. */
  write(samples: Buffer): void;
  /** The FLV tag body of the next 1024 samples. @throws {ToolError} when the encoder has ended; the signal's reason */
  readFrame(): Promise<Buffer>;
  /** Ends ffmpeg and resolves when it is gone. */
  close(): Promise<void>;
}

/** Far more than a caller that keeps step leaves unread. */
const readAheadBytes = 1024 * 1024;

export function openAudioEncoder(
  tools: MediaTools,
  { bitrateKbps }: { readonly bitrateKbps: number },
  signal: AbortSignal,
): AudioEncoder {
  const child = startChild(tools.ffmpegPath, audioEncoderArguments(bitrateKbps), { readAheadBytes, signal });
  const tags = readFlvTags(child.stdout, flvTagType.audio);
  const nextBody = async (packetType: number): Promise<Buffer> => {
    const next = await tags.next();
    if (next.done !== true) return next.value.body[1] === packetType ? next.value.body : nextBody(packetType);
    const exit = await child.exited;
    signal.throwIfAborted();
    throw new ToolError(`the audio encoder is gone: ${describeExit(exit, child.log())}`);
  };
  const sequenceHeader = nextBody(flvPacketType.sequenceHeader);
  // Readers of frames get the error too; a caller need not look at both.
  sequenceHeader.catch(() => {});
  return {
    sequenceHeader,
    primingSamples,
    latencySamples,
    write: (samples) => void child.stdin.write(samples),
    readFrame: async () => {
      await sequenceHeader;
      return nextBody(flvPacketType.media);
    },
    close: () => child.end(),
  };
}

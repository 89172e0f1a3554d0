// Which encoder of pictures this machine has for a codec, found out by encoding one.
import type { VideoCodec } from '../../domain/video-format.ts';
import { describeExit, startChild, ToolError } from '../ffmpeg/child.ts';
import type { EncoderSettings } from '../ffmpeg/encoder-arguments.ts';
import { encoderTrialArguments } from '../ffmpeg/item-arguments.ts';
import { profileOf } from '../ffmpeg/profile.ts';
import type { MediaTools } from './media-tools.ts';

/** Ours: what encodes the codec is missing on this machine. */
export class NoEncoder extends Error {
  override readonly name = 'NoEncoder';
  readonly videoCodec: VideoCodec;

  constructor(videoCodec: VideoCodec, message: string) {
    super(message);
    this.videoCodec = videoCodec;
  }
}

type Log = (event: string, fields: Record<string, unknown>) => void;

/** The best first. A build of ffmpeg may know an encoder whose hardware or driver is missing, so only a picture proves it. */
const onHardware: Readonly<Record<VideoCodec, EncoderSettings>> = {
  h264: { codec: 'h264_nvenc' },
  hevc: { codec: 'hevc_nvenc' },
  av1: { codec: 'av1_nvenc' },
};
/** Presets that take about as long for each codec. `media-tools.ts` takes no ffmpeg without the first. */
const inSoftware: Readonly<Record<VideoCodec, EncoderSettings>> = {
  h264: { codec: 'libx264', preset: 'veryfast' },
  hevc: { codec: 'libx265', preset: 'superfast' },
  av1: { codec: 'libsvtav1', preset: '10' },
};

/** Of 720p, grey. */
const trialPicture = Buffer.alloc((1280 * 720 * 3) / 2, 0x80);
/** The first use of a GPU after its machine has booted takes some seconds. */
const trialTimeoutMs = 30_000;

/**
 * Says in the log which one it is, and why it is none before.
 * @throws {NoEncoder} of a codec that this ffmpeg does not encode, or not into FLV; {ToolError} when that could not be found out
 */
export async function chooseEncoder(
  tools: MediaTools,
  videoCodec: VideoCodec,
  log: Log,
  timeoutMs = trialTimeoutMs,
): Promise<EncoderSettings> {
  const refusals: string[] = [];
  for (const encoder of [onHardware[videoCodec], inSoftware[videoCodec]]) {
    const refusal = encoder === inSoftware.h264 ? null : await refusalOf(tools, encoder, videoCodec, timeoutMs);
    if (refusal === null) {
      log('encoder_chosen', { encoder: encoder.codec, ...(refusals.length > 0 && { insteadOf: refusals }) });
      return encoder;
    }
    refusals.push(`${encoder.codec}: ${refusal}`);
  }
  throw new NoEncoder(
    videoCodec,
    `${tools.ffmpegPath} does not encode ${videoCodec} into FLV, as ffmpeg does from 6.1 on; FFMPEG_PATH can name another (${refusals.join('; ')})`,
  );
}

/** Encoders by codec, each looked for when it is first asked for. @param known found already */
export function encoderChoice(
  tools: MediaTools,
  log: Log,
  known: EncoderSettings,
): (videoCodec: VideoCodec) => Promise<EncoderSettings> {
  const chosen = new Map<VideoCodec, Promise<EncoderSettings>>([['h264', Promise.resolve(known)]]);
  return (videoCodec) => {
    const choice = chosen.get(videoCodec) ?? chooseEncoder(tools, videoCodec, log);
    chosen.set(videoCodec, choice);
    // A GPU that was busy may be free when it is asked for again.
    choice.catch(() => chosen.delete(videoCodec));
    return choice;
  };
}

/** Null when it encodes a picture. @throws {ToolError} when one in software was ended before it could: that says nothing of it */
async function refusalOf(
  { ffmpegPath }: MediaTools,
  encoder: EncoderSettings,
  videoCodec: VideoCodec,
  timeoutMs: number,
): Promise<string | null> {
  const signal = AbortSignal.timeout(timeoutMs);
  const profile = profileOf({ quality: 'q_720p', framerate: 'f_30', videoCodec });
  const child = startChild(ffmpegPath, encoderTrialArguments(encoder, profile), {
    readAheadBytes: trialPicture.length,
    signal,
  });
  child.stdin.end(trialPicture);
  child.stdout.resume();
  const exit = await child.exited;
  if (exit.code === 0) return null;
  // One that complains and does not end, as SVT-AV1 where FLV has no AV1, has answered.
  const complaint = child.log().split('\n')[0]!;
  if (exit.brokenOff && complaint === '' && encoder === inSoftware[videoCodec])
    throw new ToolError(describeExit(exit, ''));
  return complaint || 'no answer';
}

/**
 * The slots of an agent that encodes streams: those that it was given are a GPU's. Without one, a core is good for one
 * (1080p30, which takes two, was measured at 0.78 of a core of 2020).
 */
export function encodingSlots(encoder: EncoderSettings, slots: number, cores: number): number {
  return encoder.codec === 'libx264' ? Math.min(slots, cores) : slots;
}

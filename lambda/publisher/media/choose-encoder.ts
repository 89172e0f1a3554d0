// Chooses this machine's video encoder for a codec, by encoding a picture with it.
import type { VideoCodec } from '../../domain/shared/video-format.ts';
import type { Log } from '../../log.ts';
import { describeExit, startMediaTool, ToolError } from '../ffmpeg/media-tool.ts';
import type { EncoderSettings } from '../ffmpeg/encoder-arguments.ts';
import { encoderTrialArguments } from '../ffmpeg/item-arguments.ts';
import { profileOf } from '../ffmpeg/profile.ts';
import type { MediaTools } from './media-tools.ts';

/** No encoder on this machine encodes the codec, which is our fault. */
export class NoEncoder extends Error {
  override readonly name = 'NoEncoder';
  readonly videoCodec: VideoCodec;

  constructor(videoCodec: VideoCodec, message: string) {
    super(message);
    this.videoCodec = videoCodec;
  }
}

/**
 * Hardware encoders, which are tried first. A build of ffmpeg may know an encoder whose hardware or driver is missing,
 * so only an encoded picture proves that it works.
 */
const onHardware: Readonly<Record<VideoCodec, EncoderSettings>> = {
  h264: { codec: 'h264_nvenc' },
  hevc: { codec: 'hevc_nvenc' },
  av1: { codec: 'av1_nvenc' },
};
/**
 * Software encoders, with presets of about the same speed for each codec. `media-tools.ts` accepts no ffmpeg without
 * libx264, so that one is not tried.
 */
export const inSoftware: Readonly<Record<VideoCodec, EncoderSettings>> = {
  h264: { codec: 'libx264', preset: 'veryfast' },
  hevc: { codec: 'libx265', preset: 'superfast' },
  av1: { codec: 'libsvtav1', preset: '10' },
};

/** A grey picture of 720p. */
const trialPicture = Buffer.alloc((1280 * 720 * 3) / 2, 0x80);
/** The first use of a GPU after its machine has booted takes some seconds. */
const trialTimeoutMs = 30_000;

/**
 * Tries the encoders for a codec. Logs which one it chose, and why not the earlier one.
 * @throws {NoEncoder} for a codec that this ffmpeg does not encode, or not into FLV; {ToolError} when the trial failed
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
    `${tools.ffmpegPath} does not encode ${videoCodec} into FLV, as ffmpeg does from 6.1 on; ` +
      `FFMPEG_PATH can name another (${refusals.join('; ')})`,
  );
}

/**
 * Chooses the encoder for a codec at its first use, and remembers it.
 * @param known the encoder for H.264, which is already chosen
 */
export function encoderChoice(
  tools: MediaTools,
  log: Log,
  known: EncoderSettings,
): (videoCodec: VideoCodec) => Promise<EncoderSettings> {
  const chosen = new Map<VideoCodec, Promise<EncoderSettings>>([['h264', Promise.resolve(known)]]);
  return (videoCodec) => {
    const choice = chosen.get(videoCodec) ?? chooseEncoder(tools, videoCodec, log);
    chosen.set(videoCodec, choice);
    // A failure is not remembered: a GPU that was busy may be free at the next use.
    choice.catch(() => chosen.delete(videoCodec));
    return choice;
  };
}

/**
 * The reason why an encoder encodes no picture; null if it encodes one.
 * @throws {ToolError} when a software encoder was ended too early, which proves nothing about it
 */
async function refusalOf(
  { ffmpegPath }: MediaTools,
  encoder: EncoderSettings,
  videoCodec: VideoCodec,
  timeoutMs: number,
): Promise<string | null> {
  const signal = AbortSignal.timeout(timeoutMs);
  const profile = profileOf({ quality: 'q_720p', framerate: 'f_30', videoCodec });
  const ffmpeg = startMediaTool(ffmpegPath, encoderTrialArguments(encoder, profile), {
    readAheadBytes: trialPicture.length,
    signal,
  });
  ffmpeg.stdin.end(trialPicture);
  ffmpeg.stdout.resume();
  const exit = await ffmpeg.exited;
  if (exit.code === 0) return null;
  const complaint = ffmpeg.log().split('\n')[0]!;
  const isInSoftware = encoder === inSoftware[videoCodec];
  // An encoder that complains has answered, even if it does not end. SVT-AV1 does so if FLV lacks AV1.
  if (exit.brokenOff && complaint === '' && isInSoftware) throw new ToolError(describeExit(exit, ''));
  return complaint || 'no answer';
}

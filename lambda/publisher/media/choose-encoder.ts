// Which encoder of pictures this machine has, found out by encoding one.
import { startChild } from '../ffmpeg/child.ts';
import { encoderTrialArguments } from '../ffmpeg/item-arguments.ts';
import type { EncoderSettings } from '../ffmpeg/item-arguments.ts';
import { profileOf } from '../ffmpeg/profile.ts';
import type { MediaTools } from './media-tools.ts';

/** The best first. A build of ffmpeg may know an encoder whose hardware or driver is missing, so only a picture proves it. */
const onHardware: readonly EncoderSettings[] = [{ codec: 'h264_nvenc' }];
/** `media-tools.ts` takes no ffmpeg without it. */
const inSoftware: EncoderSettings = { codec: 'libx264', preset: 'veryfast' };

const trialProfile = profileOf({ quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264' });
const trialPicture = Buffer.alloc((trialProfile.width * trialProfile.height * 3) / 2, 0x80);
/** The first use of a GPU after its machine has booted takes some seconds. */
const trialTimeoutMs = 30_000;

/** Says in the log which one it is, and why it is none before. */
export async function chooseEncoder(
  { ffmpegPath }: MediaTools,
  log: (event: string, fields: Record<string, unknown>) => void,
  timeoutMs = trialTimeoutMs,
): Promise<EncoderSettings> {
  const refusals: string[] = [];
  for (const encoder of onHardware) {
    const signal = AbortSignal.timeout(timeoutMs);
    const child = startChild(ffmpegPath, encoderTrialArguments(encoder, trialProfile), { readAheadBytes: trialPicture.length, signal });
    child.stdin.end(trialPicture);
    child.stdout.resume();
    const { code } = await child.exited;
    if (code === 0) {
      log('encoder_chosen', { encoder: encoder.codec });
      return encoder;
    }
    refusals.push(`${encoder.codec}: ${signal.aborted ? 'no answer' : child.log().split('\n')[0]}`);
  }
  log('encoder_chosen', { encoder: inSoftware.codec, insteadOf: refusals });
  return inSoftware;
}

/**
 * The slots of an agent that encodes streams: those that it was given are a GPU's. Without one, a core is good for one
 * (1080p30, which takes two, was measured at 0.78 of a core of 2020).
 */
export function encodingSlots(encoder: EncoderSettings, slots: number, cores: number): number {
  return encoder.codec === 'libx264' ? Math.min(slots, cores) : slots;
}

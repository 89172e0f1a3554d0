// Measures whether a session can be heard and seen, on its decoded sound and pictures.
import type { Presence, SessionSignal } from '../domain/live/signal-loss.ts';
import { audioFormat } from '../publisher/ffmpeg/profile.ts';
import type { Profile } from '../publisher/ffmpeg/profile.ts';
import type { RawPicture } from './tag-decoder.ts';

/** The peak of the quietest sound that counts: quiet music is louder, and the noise of most open lines is not. */
const heardDecibels = -50;
/** The luma above which a pixel can be seen, as in inspections of files. Black is 16. */
const blackestSeen = 29;
/** The share of pixels that makes a picture one that is not black: a line of text on black is about as much. */
const seenShare = 0.002;
/** Pixels of a picture that are measured. */
const measuredPixels = 4096;
/** Sound between words, and pictures between scenes, are away for less. */
const longestPauseSeconds = 2;

const { bytesPerSample, sampleRate } = audioFormat;
const heardPeak = 32_768 * 10 ** (heardDecibels / 20);

export class SignalMeter {
  readonly #framesPerSecond: number;
  readonly #lumaBytes: number;
  readonly #pictures = new PresenceMeter(0);
  /** Null: no sound came. */
  #sound: PresenceMeter | null = null;
  #atSeconds = 0;

  constructor({ width, height, framesPerSecond }: Pick<Profile, 'width' | 'height' | 'framesPerSecond'>) {
    this.#framesPerSecond = framesPerSecond;
    this.#lumaBytes = width * height;
  }

  /** @param place of the picture on the grid */
  picture(place: number, picture: RawPicture): void {
    if (isSeen(picture, this.#lumaBytes)) this.#pictures.note(place / this.#framesPerSecond);
    this.#atSeconds = (place + 1) / this.#framesPerSecond;
  }

  /** @param firstSample place of the first sample @param samples whole samples of the contributor */
  sound(firstSample: number, samples: Buffer): void {
    this.#sound ??= new PresenceMeter(firstSample / sampleRate);
    const last = lastHeard(samples);
    if (last !== null) this.#sound.note((firstSample + last) / sampleRate);
  }

  read(): SessionSignal {
    const atSeconds = this.#atSeconds;
    return { atSeconds, sound: this.#sound?.at(atSeconds) ?? null, pictures: this.#pictures.at(atSeconds) };
  }
}

class PresenceMeter {
  #lastSeconds: number;
  #sinceSeconds: number | null = null;

  /** @param beganSeconds the beginning of an absence that lasts until the first note */
  constructor(beganSeconds: number) {
    this.#lastSeconds = beganSeconds;
  }

  /** Notes that there is some at a time, in order. */
  note(seconds: number): void {
    if (seconds - this.#lastSeconds > longestPauseSeconds) this.#sinceSeconds = null;
    this.#sinceSeconds ??= seconds;
    this.#lastSeconds = seconds;
  }

  at(seconds: number): Presence {
    const isThere = seconds - this.#lastSeconds <= longestPauseSeconds;
    return { lastSeconds: this.#lastSeconds, sinceSeconds: isThere ? this.#sinceSeconds : null };
  }
}

/** Whether enough pixels of a picture can be seen. Nearly all pictures are decided by their first few. */
function isSeen(picture: RawPicture, lumaBytes: number): boolean {
  const step = Math.max(1, Math.floor(lumaBytes / measuredPixels));
  const enough = Math.ceil((lumaBytes / step) * seenShare);
  let [seen, next, pieceStart] = [0, 0, 0];
  for (const piece of picture) {
    const end = Math.min(pieceStart + piece.length, lumaBytes);
    for (; next < end; next += step) {
      if (piece[next - pieceStart]! > blackestSeen) seen += 1;
      if (seen >= enough) return true;
    }
    pieceStart += piece.length;
  }
  return false;
}

/** The place of the last sample that can be heard, from the first one; null: none can. */
function lastHeard(samples: Buffer): number | null {
  for (let at = samples.length - 2; at >= 0; at -= 2)
    if (Math.abs(samples.readInt16LE(at)) >= heardPeak) return Math.floor(at / bytesPerSample);
  return null;
}

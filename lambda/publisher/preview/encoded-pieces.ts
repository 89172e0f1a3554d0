// Cuts the media of an encoder into pieces of fragmented MP4, each from one keyframe to the next.
import type { Given } from '../encoded/tap.ts';
import { audioFormat } from '../ffmpeg/profile.ts';
import type { Profile } from '../ffmpeg/profile.ts';
import { clockRates, movieFragment, movieHeader, pictureSample, soundSample } from './fragmented-mp4.ts';
import type { Sample } from './fragmented-mp4.ts';

/** The facts about an encoder. */
export interface PiecesOptions {
  readonly profile: Profile;
  /** The encoder's first frame, counted from the anchor. Frames of sound are counted from it. */
  readonly startFrame: number;
  readonly audioSequenceHeader: Buffer;
}

export interface CutPiece {
  /** The frame of its first picture, counted from the anchor. */
  readonly frame: number;
  readonly frameCount: number;
  readonly bytes: Buffer;
  /** The header that players read once before all pieces of this kind. */
  readonly header: Buffer;
}

interface Begun {
  readonly frame: number;
  readonly header: Buffer;
  readonly pictures: Sample[];
  readonly sound: Sample[];
  /** The number of sound frames before the first of these; null until one has come. */
  soundBefore: number | null;
}

export class EncodedPieces {
  readonly #options: PiecesOptions;
  readonly #pictureTime: number;
  #header: Buffer | null = null;
  #begun: Begun | null = null;

  constructor(options: PiecesOptions) {
    this.#options = options;
    this.#pictureTime = clockRates.video / options.profile.framesPerSecond;
  }

  /** Adds media. @param sequenceHeader the last one of the pictures @returns the piece that it ends; null if none */
  add(given: Given, sequenceHeader: Buffer): CutPiece | null {
    const { messages, frame, isKeyframe, soundBefore } = given;
    const payload = messages.at(-1)!.payload;
    if (frame === null) {
      if (this.#begun === null) return null;
      this.#begun.soundBefore ??= soundBefore;
      this.#begun.sound.push(soundSample(payload));
      return null;
    }
    const cut = isKeyframe ? this.#end() : null;
    if (isKeyframe) this.#begin(frame, sequenceHeader);
    this.#begun?.pictures.push(pictureSample(payload, this.#options.profile));
    return cut;
  }

  #begin(frame: number, sequenceHeader: Buffer): void {
    const { profile, audioSequenceHeader } = this.#options;
    const header = movieHeader(profile, { video: sequenceHeader, audio: audioSequenceHeader });
    // Pieces with equal headers share one buffer.
    this.#header = this.#header?.equals(header) ? this.#header : header;
    this.#begun = { frame, header: this.#header, pictures: [], sound: [], soundBefore: null };
  }

  #end(): CutPiece | null {
    if (this.#begun === null) return null;
    const { frame, header, pictures, sound, soundBefore } = this.#begun;
    const { startFrame, profile } = this.#options;
    const { samplesPerFrame, compositionDelayFrames } = profile;
    const soundStart =
      (startFrame + compositionDelayFrames) * samplesPerFrame + (soundBefore ?? 0) * audioFormat.samplesPerAacFrame;
    const bytes = movieFragment(
      frame,
      { startTime: frame * this.#pictureTime, duration: this.#pictureTime, samples: pictures },
      { startTime: soundStart, duration: audioFormat.samplesPerAacFrame, samples: sound },
    );
    return { frame, frameCount: pictures.length, bytes, header };
  }
}

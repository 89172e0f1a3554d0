// Cuts what an encoder gives into pieces of fragmented MP4, each from a keyframe to before the next one.
import type { Given } from '../encoded/tap.ts';
import { audioFormat } from '../ffmpeg/profile.ts';
import type { Profile } from '../ffmpeg/profile.ts';
import { mediaOfTag, readVideoTag } from '../ffmpeg/video-tag.ts';
import { aacHeaderBytes, clockRates, movieFragment, movieHeader } from './fragmented-mp4.ts';
import type { Sample } from './fragmented-mp4.ts';

/** What is known of an encoder. */
export interface PiecesOptions {
  readonly profile: Profile;
  /** The encoder's first frame, counted from the anchor: its sound is counted from there. */
  readonly startFrame: number;
  readonly audioSequenceHeader: Buffer;
}

export interface CutPiece {
  /** Of its first picture, counted from the anchor. */
  readonly frame: number;
  readonly frameCount: number;
  readonly bytes: Buffer;
  /** What comes before all pieces like it. */
  readonly header: Buffer;
}

interface Begun {
  readonly frame: number;
  readonly header: Buffer;
  readonly pictures: Sample[];
  readonly sound: Sample[];
  /** How many frames of sound the encoder gave before the first of these. */
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

  /** @param sequenceHeader of the pictures, as the encoder gave it last @returns the piece that has ended before it */
  add(given: Given, sequenceHeader: Buffer): CutPiece | null {
    const { messages, frame, isKeyframe, soundBefore } = given;
    const payload = messages.at(-1)!.payload;
    if (frame === null) {
      if (this.#begun === null) return null;
      this.#begun.soundBefore ??= soundBefore;
      this.#begun.sound.push({ bytes: payload.subarray(aacHeaderBytes), isKeyframe: true, compositionTime: 0 });
      return null;
    }
    const cut = isKeyframe ? this.#end() : null;
    if (isKeyframe) this.#begin(frame, sequenceHeader);
    const { framesPerSecond } = this.#options.profile;
    const delayFrames = Math.round((readVideoTag(payload).compositionMs * framesPerSecond) / 1000);
    const compositionTime = delayFrames * this.#pictureTime;
    this.#begun?.pictures.push({ bytes: mediaOfTag(payload), isKeyframe, compositionTime });
    return cut;
  }

  #begin(frame: number, sequenceHeader: Buffer): void {
    const { profile, audioSequenceHeader } = this.#options;
    const { videoCodec, width, height } = profile;
    const header = movieHeader({
      videoCodec,
      width,
      height,
      videoConfiguration: mediaOfTag(sequenceHeader),
      audioConfiguration: audioSequenceHeader.subarray(aacHeaderBytes),
    });
    // Pieces that have the same header share its buffer.
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

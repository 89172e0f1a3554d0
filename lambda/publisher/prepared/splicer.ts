// Turns spans into the bytes of one connection: prepared chunks as they are, but for the time at each join.
import type { Playing } from '../../domain/prepared-play-out.ts';
import {
  firstSoundFrameFrom,
  pictureMs,
  pictureOfSoundFrame,
  soundFramesOf,
  soundMs,
} from '../../domain/prepared-play-out.ts';
import type { Profile } from '../ffmpeg/profile.ts';
import { chunkedBytes, chunkHeaderBytes, deltaBytes, deltaChunks, deltaField } from './delta-chunks.ts';
import type { Span } from './span.ts';

type Kind = 'video' | 'audio';

/** Where a track of the connection is: of which playing it sent last, and what of it would follow without a seam. */
interface Position {
  playing: Playing | null;
  next: number;
}

/** Something else in place of bytes of a segment. */
interface Edit {
  readonly offset: number;
  readonly bytes: number;
  readonly replacement: Buffer | null;
}

export class Splicer {
  readonly #rate: number;
  readonly #delayFrames: number;
  readonly #originMs: number;
  readonly #positions: Record<Kind, Position> = {
    video: { playing: null, next: 0 },
    audio: { playing: null, next: 0 },
  };
  readonly #sequenceHeaders: Record<Kind, Buffer | null>;

  /**
   * @param originMs the moment, since the anchor, that is timestamp 0 of the connection
   * @param sequenceHeaders sent already, with timestamp 0
   */
  constructor(
    { framesPerSecond, compositionDelayFrames }: Pick<Profile, 'framesPerSecond' | 'compositionDelayFrames'>,
    originMs: number,
    sequenceHeaders: { readonly video: Buffer | null; readonly audio: Buffer },
  ) {
    this.#rate = framesPerSecond;
    this.#delayFrames = compositionDelayFrames;
    this.#originMs = originMs;
    this.#sequenceHeaders = { ...sequenceHeaders };
  }

  /** Adds pictures `first` to `end` of the span with their own sound to the chunks. */
  joined(span: Span, first: number, end: number, chunks: Buffer[]): void {
    const edits: Edit[] = [];
    this.#edit('video', span, first, end, span.offsetOf(first), edits);
    const firstSound = firstSoundFrameFrom(first, this.#rate);
    const soundFrames = soundFramesOf(span.playing, this.#rate);
    const endSound = firstSoundFrameFrom(end, this.#rate);
    if (firstSound < Math.min(endSound, soundFrames)) {
      this.#edit(
        'audio',
        span,
        firstSound,
        Math.min(endSound, soundFrames),
        span.soundOffsetOf(pictureOfSoundFrame(firstSound, this.#rate)),
        edits,
      );
    }
    // The next playing begins before the last frame of sound would: it is left out.
    if (firstSound <= soundFrames && endSound > soundFrames)
      edits.push(lastSoundOf(span, pictureOfSoundFrame(soundFrames, this.#rate)));
    addEdited(span, span.offsetOf(first), span.offsetOf(end), edits, chunks);
  }

  /** Adds picture `picture` of the span without its sound. */
  picture(span: Span, picture: number, chunks: Buffer[]): void {
    const offset = span.offsetOf(picture);
    const edits: Edit[] = [];
    this.#edit('video', span, picture, picture + 1, offset, edits);
    addEdited(span, offset, span.soundOffsetOf(picture), edits, chunks);
  }

  /** Adds frames of sound `first` to `end` of a span of sound alone. */
  sound(span: Span, first: number, end: number, chunks: Buffer[]): void {
    const offset = span.offsetOf(first);
    const edits: Edit[] = [];
    this.#edit('audio', span, first, end, offset, edits);
    addEdited(span, offset, span.offsetOf(end), edits, chunks);
  }

  /** Adds what frames `first` to `end`, at `offset`, need to follow what was sent last: other parameters, and the time since. */
  #edit(kind: Kind, { playing, header }: Span, first: number, end: number, offset: number, edits: Edit[]): void {
    const wanted = kind === 'video' ? header.videoSequenceHeader : header.audioSequenceHeader;
    const known = this.#sequenceHeaders[kind];
    if (wanted && wanted !== known) {
      // With the time of the message before.
      if (!known?.equals(wanted)) edits.push({ offset, bytes: 0, replacement: deltaChunks(kind, 0, wanted) });
      this.#sequenceHeaders[kind] = wanted;
    }
    const position = this.#positions[kind];
    if (position.playing !== playing || position.next !== first) {
      const lastMs = position.playing ? this.#ms(kind, position.playing, position.next - 1) : this.#originMs;
      const replacement = deltaBytes(this.#ms(kind, playing, first) - lastMs);
      edits.push({ offset: offset + deltaField.offset, bytes: deltaField.bytes, replacement });
    }
    position.playing = playing;
    position.next = end;
  }

  #ms(kind: Kind, playing: Playing, group: number): number {
    return kind === 'video'
      ? pictureMs(playing, group, this.#rate)
      : soundMs(playing, group, this.#rate, this.#delayFrames);
  }
}

function lastSoundOf(span: Span, picture: number): Edit {
  const end = span.offsetOf(picture + 1);
  let offset = span.soundOffsetOf(picture);
  for (;;) {
    const header: Buffer[] = [];
    span.slice(offset, offset + chunkHeaderBytes, header);
    const bytes = chunkedBytes(Buffer.concat(header));
    if (offset + bytes >= end) return { offset, bytes: end - offset, replacement: null };
    offset += bytes;
  }
}

function addEdited(span: Span, start: number, end: number, edits: readonly Edit[], chunks: Buffer[]): void {
  let from = start;
  for (const { offset, bytes, replacement } of edits) {
    span.slice(from, offset, chunks);
    if (replacement) chunks.push(replacement);
    from = offset + bytes;
  }
  span.slice(from, end, chunks);
}

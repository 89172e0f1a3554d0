// Turns spans into the bytes of one connection: prepared chunks as they are, but for the time at each join.
import type { Playing } from '../../domain/prepared-play-out.ts';
import { firstSoundFrameFrom, pictureMs, pictureOfSoundFrame, soundFramesOf, soundMs } from '../../domain/prepared-play-out.ts';
import { compositionDelayFrames } from '../ffmpeg/video-source.ts';
import { chunkedBytes, chunkHeaderBytes, deltaBytes, deltaChunks, deltaField } from './delta-chunks.ts';
import type { Span } from './span.ts';

type Kind = 'video' | 'audio';

/** Where a track of the connection is: what was sent last, and what would follow it without a seam. */
interface Position {
  playing: Playing | null;
  next: number;
  lastMs: number;
}

/** Something else in place of bytes of a segment. */
interface Edit {
  readonly offset: number;
  readonly bytes: number;
  readonly replacement: Buffer | null;
}

export class Splicer {
  readonly #rate: number;
  readonly #positions: Record<Kind, Position>;
  readonly #sequenceHeaders: Record<Kind, Buffer | null>;

  /**
   * @param originMs the moment, since the anchor, that is timestamp 0 of the connection
   * @param sequenceHeaders sent already, with timestamp 0
   */
  constructor(framesPerSecond: number, originMs: number, sequenceHeaders: { readonly video: Buffer | null; readonly audio: Buffer }) {
    this.#rate = framesPerSecond;
    this.#positions = { video: { playing: null, next: 0, lastMs: originMs }, audio: { playing: null, next: 0, lastMs: originMs } };
    this.#sequenceHeaders = { ...sequenceHeaders };
  }

  /** Pictures `first` to `end` of the span with their own sound. */
  joined(span: Span, first: number, end: number): Buffer[] {
    const { playing } = span;
    const edits = this.#headerEdits(span, 'video', span.offsetOf(first));
    edits.push(...this.#timeEdit('video', playing, first, end, span.offsetOf(first)));
    const firstSound = firstSoundFrameFrom(first, this.#rate);
    const soundFrames = soundFramesOf(playing, this.#rate);
    const endSound = firstSoundFrameFrom(end, this.#rate);
    if (firstSound < Math.min(endSound, soundFrames)) {
      const offset = span.soundOffsetOf(pictureOfSoundFrame(firstSound, this.#rate));
      edits.push(...this.#headerEdits(span, 'audio', offset), ...this.#timeEdit('audio', playing, firstSound, Math.min(endSound, soundFrames), offset));
    }
    // The next playing begins before the last frame of sound would: it is left out.
    if (firstSound <= soundFrames && endSound > soundFrames) edits.push(lastSoundOf(span, pictureOfSoundFrame(soundFrames, this.#rate)));
    return edited(span, span.offsetOf(first), span.offsetOf(end), edits);
  }

  /** Picture `picture` of the span without its sound. */
  picture(span: Span, picture: number): Buffer[] {
    const offset = span.offsetOf(picture);
    const edits = [...this.#headerEdits(span, 'video', offset), ...this.#timeEdit('video', span.playing, picture, picture + 1, offset)];
    return edited(span, offset, span.soundOffsetOf(picture), edits);
  }

  /** Frames of sound `first` to `end` of a span of sound alone. */
  sound(span: Span, first: number, end: number): Buffer[] {
    const offset = span.offsetOf(first);
    const edits = [...this.#headerEdits(span, 'audio', offset), ...this.#timeEdit('audio', span.playing, first, end, offset)];
    return edited(span, offset, span.offsetOf(end), edits);
  }

  /** Replaces the time since the message before where that is not what it was when the rendition was prepared. */
  #timeEdit(kind: Kind, playing: Playing, first: number, end: number, offset: number): Edit[] {
    const position = this.#positions[kind];
    const isSeamless = position.playing === playing && position.next === first;
    const deltaMs = this.#ms(kind, playing, first) - position.lastMs;
    this.#positions[kind] = { playing, next: end, lastMs: this.#ms(kind, playing, end - 1) };
    if (isSeamless) return [];
    return [{ offset: offset + deltaField.offset, bytes: deltaField.bytes, replacement: deltaBytes(deltaMs) }];
  }

  /** Announces other parameters than those before, with the time of the message before. */
  #headerEdits({ header }: Span, kind: Kind, offset: number): Edit[] {
    const wanted = kind === 'video' ? header.videoSequenceHeader : header.audioSequenceHeader;
    if (!wanted || this.#sequenceHeaders[kind]?.equals(wanted)) return [];
    this.#sequenceHeaders[kind] = wanted;
    return [{ offset, bytes: 0, replacement: deltaChunks(kind, 0, wanted) }];
  }

  #ms(kind: Kind, playing: Playing, group: number): number {
    return kind === 'video' ? pictureMs(playing, group, this.#rate) : soundMs(playing, group, this.#rate, compositionDelayFrames);
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

function edited(span: Span, start: number, end: number, edits: readonly Edit[]): Buffer[] {
  const slices: Buffer[] = [];
  let from = start;
  for (const { offset, bytes, replacement } of edits) {
    span.slice(from, offset, slices);
    if (replacement) slices.push(replacement);
    from = offset + bytes;
  }
  span.slice(from, end, slices);
  return slices;
}

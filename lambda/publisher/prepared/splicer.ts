// Turns spans into the bytes of one connection: prepared chunks unchanged, except for the times at joins.
import type { Playing } from '../../domain/playout/prepared-play-out.ts';
import {
  firstSoundFrameFrom,
  pictureMs,
  pictureOfSoundFrame,
  soundFramesOf,
  soundMs,
} from '../../domain/playout/prepared-play-out.ts';
import type { Profile } from '../ffmpeg/profile.ts';
import { chunkedBytes, chunkHeaderBytes, deltaBytes, deltaChunks, deltaField } from './delta-chunks.ts';
import type { Span } from './span.ts';

type Kind = 'video' | 'audio';

/** The position of one track of the connection. */
interface Position {
  /** The playing sent last; null at first. */
  playing: Playing | null;
  /** The group of that playing that would continue it. */
  next: number;
}

/** Successive frames of one kind in a span, to be sent next. */
interface Piece {
  readonly kind: Kind;
  readonly span: Span;
  /** Pictures or frames of sound `first` to `end` of the playing, `end` not included. */
  readonly first: number;
  readonly end: number;
  /** The offset of the first of them in the segment's media, in bytes. */
  readonly offset: number;
}

/** Replaces `bytes` bytes at `offset` of a segment's media, or removes them if `replacement` is null. */
interface Edit {
  readonly offset: number;
  readonly bytes: number;
  readonly replacement: Buffer | null;
}

export class Splicer {
  readonly #rate: number;
  readonly #compositionDelayFrames: number;
  readonly #originMs: number;
  readonly #positions: Record<Kind, Position> = {
    video: { playing: null, next: 0 },
    audio: { playing: null, next: 0 },
  };
  readonly #sequenceHeaders: Record<Kind, Buffer | null>;

  /**
   * @param originMs the time of the connection's timestamp 0, in milliseconds since the anchor
   * @param sequenceHeaders the headers that were already sent, with timestamp 0
   */
  constructor(
    { framesPerSecond, compositionDelayFrames }: Pick<Profile, 'framesPerSecond' | 'compositionDelayFrames'>,
    originMs: number,
    sequenceHeaders: { readonly video: Buffer | null; readonly audio: Buffer },
  ) {
    this.#rate = framesPerSecond;
    this.#compositionDelayFrames = compositionDelayFrames;
    this.#originMs = originMs;
    this.#sequenceHeaders = { ...sequenceHeaders };
  }

  /** Adds pictures `first` to `end` of the span to the chunks, with their own sound or the span's replacement. */
  addPicturesAndSound(span: Span, first: number, end: number, chunks: Buffer[]): void {
    if (span.sound) return this.#addWithSound(span, span.sound, { first, end }, chunks);
    if (span.groupBefore && first === span.first) this.#addLastSoundOf(span.groupBefore, chunks);
    const edits = this.#join({ kind: 'video', span, first, end, offset: span.offsetOf(first) });
    const firstSound = firstSoundFrameFrom(first, this.#rate);
    const soundFrames = soundFramesOf(span.playing, this.#rate);
    const endSound = firstSoundFrameFrom(end, this.#rate);
    const endOfSent = Math.min(endSound, soundFrames);
    if (firstSound < endOfSent) {
      const offset = span.soundOffsetOf(pictureOfSoundFrame(firstSound, this.#rate));
      edits.push(...this.#join({ kind: 'audio', span, first: firstSound, end: endOfSent, offset }));
    }
    // A rendition may have one frame of sound too many before the next playing begins. That frame is removed.
    if (firstSound <= soundFrames && endSound > soundFrames)
      edits.push({ ...lastSoundOf(span, pictureOfSoundFrame(soundFrames, this.#rate)), replacement: null });
    addEdited(span, span.offsetOf(first), span.offsetOf(end), edits, chunks);
  }

  /** Adds picture `picture` of the span without its sound to the chunks. */
  addPicture(span: Span, picture: number, chunks: Buffer[]): void {
    const offset = span.offsetOf(picture);
    const edits = this.#join({ kind: 'video', span, first: picture, end: picture + 1, offset });
    addEdited(span, offset, span.soundOffsetOf(picture), edits, chunks);
  }

  /** Adds frames of sound `first` to `end` of a span of sound alone to the chunks. */
  addSound(span: Span, first: number, end: number, chunks: Buffer[]): void {
    const offset = span.offsetOf(first);
    const edits = this.#join({ kind: 'audio', span, first, end, offset });
    addEdited(span, offset, span.offsetOf(end), edits, chunks);
  }

  #addWithSound(
    span: Span,
    sounds: readonly Span[],
    { first, end }: { readonly first: number; readonly end: number },
    chunks: Buffer[],
  ): void {
    for (let picture = first; picture < end; picture++) {
      this.addPicture(span, picture, chunks);
      // The first picture may have a frame of sound that begins before it.
      const from = picture === span.first ? 0 : firstSoundFrameFrom(picture, this.#rate);
      const until = firstSoundFrameFrom(picture + 1, this.#rate);
      for (const sound of sounds) {
        const [begin, stop] = [Math.max(from, sound.first), Math.min(until, sound.end)];
        if (begin < stop) this.addSound(sound, begin, stop, chunks);
      }
    }
  }

  #addLastSoundOf(span: Span, chunks: Buffer[]): void {
    const { offset, bytes } = lastSoundOf(span, span.first);
    const end = firstSoundFrameFrom(span.end, this.#rate);
    const edits = this.#join({ kind: 'audio', span, first: end - 1, end, offset });
    addEdited(span, offset, offset + bytes, edits, chunks);
  }

  /**
   * Joins a piece to the media sent before it.
   * @returns the necessary edits: a sequence header if it has changed, and the time since the last message if the piece
   * does not continue its playing
   */
  #join({ kind, span: { playing, header }, first, end, offset }: Piece): Edit[] {
    const edits: Edit[] = [];
    const wanted = kind === 'video' ? header.videoSequenceHeader : header.audioSequenceHeader;
    const known = this.#sequenceHeaders[kind];
    if (wanted && wanted !== known) {
      // A sequence header is sent with the time of the message before it.
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
    return edits;
  }

  /** The time at which a picture is decoded or a frame of sound is heard, in milliseconds since the anchor. */
  #ms(kind: Kind, playing: Playing, group: number): number {
    return kind === 'video'
      ? pictureMs(playing, group, this.#rate)
      : soundMs(playing, group, this.#rate, this.#compositionDelayFrames);
  }
}

/** The place of the last frame of sound of a picture's group. */
function lastSoundOf(span: Span, picture: number): Pick<Edit, 'offset' | 'bytes'> {
  const end = span.offsetOf(picture + 1);
  let offset = span.soundOffsetOf(picture);
  for (;;) {
    const header: Buffer[] = [];
    span.slice(offset, offset + chunkHeaderBytes, header);
    const bytes = chunkedBytes(Buffer.concat(header));
    if (offset + bytes >= end) return { offset, bytes: end - offset };
    offset += bytes;
  }
}

/** Adds bytes `start` to `end` of a segment's media to the chunks, with edits in order of their offsets. */
function addEdited(span: Span, start: number, end: number, edits: readonly Edit[], chunks: Buffer[]): void {
  let from = start;
  for (const { offset, bytes, replacement } of edits) {
    span.slice(from, offset, chunks);
    if (replacement) chunks.push(replacement);
    from = offset + bytes;
  }
  span.slice(from, end, chunks);
}

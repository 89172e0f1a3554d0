// Successive groups of one segment with all bytes in memory, so that a stream can send them without waiting.
import type { Playing } from '../../domain/playout/prepared-play-out.ts';
import { blockBytes, SegmentDamaged } from './segment-format.ts';
import type { SegmentHeader } from './segment-format.ts';
import type { SegmentStore } from './segment-store.ts';

/** The groups of a span, and their playing and segment. */
export interface SpanRange {
  readonly playing: Playing;
  readonly header: SegmentHeader;
  /** The span has groups `first` to `end` of the rendition, `end` not included. */
  readonly first: number;
  readonly end: number;
  /** The sound that replaces that of the groups for their whole time; null: their own is sent. */
  readonly sound: readonly Span[] | null;
  /** The group whose last frame of sound comes before the sound of the first group; null: none does. */
  readonly groupBefore: Span | null;
}

export class Span implements SpanRange {
  readonly playing: Playing;
  readonly header: SegmentHeader;
  readonly first: number;
  readonly end: number;
  readonly sound: readonly Span[] | null;
  readonly groupBefore: Span | null;
  readonly #firstBlock: number;
  readonly #blocks: readonly Buffer[];

  private constructor(
    { playing, header, first, end, sound, groupBefore }: SpanRange,
    firstBlock: number,
    blocks: readonly Buffer[],
  ) {
    this.playing = playing;
    this.header = header;
    this.first = first;
    this.end = end;
    this.sound = sound;
    this.groupBefore = groupBefore;
    this.#firstBlock = firstBlock;
    this.#blocks = blocks;
  }

  /**
   * Reads the bytes of some groups.
   * @param key the key of their segment
   * @throws {SegmentDamaged} when the segment does not have the groups; the errors of SegmentStore.block
   */
  static async load(store: SegmentStore, key: string, range: SpanRange): Promise<Span> {
    const { header, first, end } = range;
    if (first < header.firstGroup || first >= end || end > header.firstGroup + header.groupCount)
      throw new SegmentDamaged(`a segment without groups ${first} to ${end}`);
    const offsetOf = (group: number) => header.groupOffsets[group - header.firstGroup]!;
    const firstBlock = Math.floor(offsetOf(first) / blockBytes);
    const blockCount = Math.ceil(offsetOf(end) / blockBytes) - firstBlock;
    // Most spans lie within one block. Without Promise.all they are ready some microtasks earlier.
    if (blockCount === 1) return new Span(range, firstBlock, [await store.block(key, header, firstBlock)]);
    const reading = Array.from({ length: blockCount }, (_, index) => store.block(key, header, firstBlock + index));
    return new Span(range, firstBlock, await Promise.all(reading));
  }

  /** The offset of a group in the segment's media, in bytes. For `end`, the end of the last group. */
  offsetOf(group: number): number {
    return this.header.groupOffsets[group - this.header.firstGroup]!;
  }

  /** The offset of a group's sound in the segment's media, in bytes. */
  soundOffsetOf(group: number): number {
    return this.offsetOf(group) + this.header.videoBytes[group - this.header.firstGroup]!;
  }

  /**
   * Adds the bytes of the segment's media from `start` to `end` to `slices`, without copying. Bytes that follow the
   * last slice in memory extend it: a turn's media is mostly one slice, which saves small writes.
   */
  slice(start: number, end: number, slices: Buffer[]): void {
    for (let offset = start; offset < end;) {
      const block = Math.floor(offset / blockBytes);
      const blockStart = block * blockBytes;
      const until = Math.min(end, blockStart + blockBytes);
      addSlice(this.#blocks[block - this.#firstBlock]!.subarray(offset - blockStart, until - blockStart), slices);
      offset = until;
    }
  }
}

function addSlice(slice: Buffer, slices: Buffer[]): void {
  const last = slices.at(-1);
  const follows = last?.buffer === slice.buffer && last.byteOffset + last.length === slice.byteOffset;
  if (follows) slices[slices.length - 1] = Buffer.from(slice.buffer, last.byteOffset, last.length + slice.length);
  else slices.push(slice);
}

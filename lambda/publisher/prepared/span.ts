// Successive groups of one segment whose bytes are all there, so that a stream can send them without waiting.
import type { Playing } from '../../domain/playout/prepared-play-out.ts';
import { blockBytes, SegmentDamaged } from './segment-format.ts';
import type { SegmentHeader } from './segment-format.ts';
import type { SegmentStore } from './segment-store.ts';

/** Which groups a span has, and what they are part of. */
export interface SpanRange {
  readonly playing: Playing;
  readonly header: SegmentHeader;
  /** The span has groups `first` to `end` of the rendition, `end` not included. */
  readonly first: number;
  readonly end: number;
  /** The sound that is sent in place of that of the groups, for all of their time; null: their own is sent. */
  readonly sound: readonly Span[] | null;
}

export class Span implements SpanRange {
  readonly playing: Playing;
  readonly header: SegmentHeader;
  readonly first: number;
  readonly end: number;
  readonly sound: readonly Span[] | null;
  readonly #firstBlock: number;
  readonly #blocks: readonly Buffer[];

  private constructor(
    { playing, header, first, end, sound }: SpanRange,
    firstBlock: number,
    blocks: readonly Buffer[],
  ) {
    this.playing = playing;
    this.header = header;
    this.first = first;
    this.end = end;
    this.sound = sound;
    this.#firstBlock = firstBlock;
    this.#blocks = blocks;
  }

  /**
   * Reads the bytes of some groups.
   * @param key that of their segment
   * @throws {SegmentDamaged} when the segment does not have the groups; as SegmentStore.block
   */
  static async load(store: SegmentStore, key: string, range: SpanRange): Promise<Span> {
    const { header, first, end } = range;
    if (first < header.firstGroup || first >= end || end > header.firstGroup + header.groupCount)
      throw new SegmentDamaged(`a segment without groups ${first} to ${end}`);
    const offsetOf = (group: number) => header.groupOffsets[group - header.firstGroup]!;
    const firstBlock = Math.floor(offsetOf(first) / blockBytes);
    const blockCount = Math.ceil(offsetOf(end) / blockBytes) - firstBlock;
    // Most spans lie within one block. They are spared Promise.all, after which a span comes some microtasks later.
    if (blockCount === 1) return new Span(range, firstBlock, [await store.block(key, header, firstBlock)]);
    const reading = Array.from({ length: blockCount }, (_, index) => store.block(key, header, firstBlock + index));
    return new Span(range, firstBlock, await Promise.all(reading));
  }

  /** Where a group begins in the segment's media, in bytes. For `end` this is where the last group ends. */
  offsetOf(group: number): number {
    return this.header.groupOffsets[group - this.header.firstGroup]!;
  }

  /** Where the sound of a group begins in the segment's media, in bytes. */
  soundOffsetOf(group: number): number {
    return this.offsetOf(group) + this.header.videoBytes[group - this.header.firstGroup]!;
  }

  /**
   * Adds the bytes of the segment's media from `start` to `end` to `slices`, without copying. What follows the last
   * slice in memory makes that longer: a turn's media is mostly one slice, and so one small write less.
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

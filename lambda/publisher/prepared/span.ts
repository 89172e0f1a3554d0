// A run of groups of one segment whose bytes are all there: what a stream sends from without waiting.
import type { Playing } from '../../domain/prepared-play-out.ts';
import { blockBytes } from './segment-format.ts';
import type { SegmentHeader } from './segment-format.ts';
import type { SegmentStore } from './segment-store.ts';

export class Span {
  readonly playing: Playing;
  readonly header: SegmentHeader;
  /** Groups `first` to `end` of the rendition, `end` not included. */
  readonly first: number;
  readonly end: number;
  readonly #firstBlock: number;
  readonly #blocks: readonly Buffer[];

  private constructor(
    playing: Playing,
    header: SegmentHeader,
    first: number,
    end: number,
    firstBlock: number,
    blocks: readonly Buffer[],
  ) {
    this.playing = playing;
    this.header = header;
    this.first = first;
    this.end = end;
    this.#firstBlock = firstBlock;
    this.#blocks = blocks;
  }

  /** Reads what the groups take. @throws as SegmentStore.block */
  static async load(
    store: SegmentStore,
    key: string,
    playing: Playing,
    header: SegmentHeader,
    first: number,
    end: number,
  ): Promise<Span> {
    const offsetOf = (group: number) => header.groupOffsets[group - header.firstGroup]!;
    const firstBlock = Math.floor(offsetOf(first) / blockBytes);
    const blockCount = Math.ceil(offsetOf(end) / blockBytes) - firstBlock;
    // Most lie within one.
    const blocks =
      blockCount === 1
        ? [await store.block(key, header, firstBlock)]
        : await Promise.all(
            Array.from({ length: blockCount }, (_, index) => store.block(key, header, firstBlock + index)),
          );
    return new Span(playing, header, first, end, firstBlock, blocks);
  }

  /** Where a group begins in the segment's media; `end` is where the last one ends. */
  offsetOf(group: number): number {
    return this.header.groupOffsets[group - this.header.firstGroup]!;
  }

  /** Where the sound of a group begins. */
  soundOffsetOf(group: number): number {
    return this.offsetOf(group) + this.header.videoBytes[group - this.header.firstGroup]!;
  }

  /** Adds the bytes of the segment's media from `start` to `end` to `slices`, without copying. */
  slice(start: number, end: number, slices: Buffer[]): void {
    for (let offset = start; offset < end;) {
      const block = Math.floor(offset / blockBytes);
      const blockStart = block * blockBytes;
      const until = Math.min(end, blockStart + blockBytes);
      slices.push(this.#blocks[block - this.#firstBlock]!.subarray(offset - blockStart, until - blockStart));
      offset = until;
    }
  }
}

// Chooses the item that plays at a frame: that of the timeline, or a stand-in if it cannot be read.
import { itemsPlayed, occurrenceAt } from '../../domain/playout/play-out.ts';
import type { ItemOccurrence, TimelineEntry, TimelineItem } from '../../domain/playout/play-out.ts';
import { MediaError } from '../media/media-error.ts';
import { NothingReadable } from '../replica/faults.ts';
import type { SentTrack } from './segment-sources.ts';

export class StandIns {
  readonly #framesPerSecond: number;
  /** The last item that could be read. It stands in for unreadable ones. */
  #lastGood: TimelineItem | null = null;
  /** Unreadable uploads. They are tried again from `#untilFrame` on. */
  readonly #unreadable = new Set<string>();
  #untilFrame = 0;

  constructor(framesPerSecond: number) {
    this.#framesPerSecond = framesPerSecond;
  }

  /** An item could be read. */
  wasRead(item: TimelineItem): void {
    this.#lastGood = item;
  }

  /** An upload cannot be read, and is not tried again before a frame. */
  wasUnreadable(uploadID: string, untilFrame: number): void {
    this.#unreadable.add(uploadID);
    this.#untilFrame = Math.max(this.#untilFrame, untilFrame);
  }

  /**
   * The item at a frame: the one of the timeline, or a stand-in.
   * @throws {MediaError} when no item of the timeline is prepared
   * @throws {NothingReadable} when no prepared item can be read
   */
  occurrenceAt(
    frame: number,
    { entries, contentHashes }: Pick<SentTrack, 'entries' | 'contentHashes'>,
  ): ItemOccurrence {
    const planned = occurrenceAt(entries, frame, this.#framesPerSecond);
    if (frame >= this.#untilFrame) this.#unreadable.clear();
    const isReadable = ({ uploadID }: TimelineItem) => contentHashes.has(uploadID) && !this.#unreadable.has(uploadID);
    if (isReadable(planned.item)) return planned;
    const item = this.#candidates(entries, planned).find(isReadable);
    if (!item && this.#unreadable.size > 0) throw new NothingReadable();
    if (!item) throw new MediaError('damaged', 'No item of the stream is prepared.');
    const plannedEnd = planned.startFrame + planned.frameCount;
    const end = this.#unreadable.has(planned.item.uploadID) ? Math.min(plannedEnd, this.#untilFrame) : plannedEnd;
    const { part: _, skippedFrames: _skipped, ...whole } = planned;
    return { ...whole, item, isStandIn: true, startFrame: frame, frameCount: end - frame };
  }

  #candidates(entries: readonly TimelineEntry[], { entryNumber }: ItemOccurrence): readonly TimelineItem[] {
    const items = itemsPlayed(entries.find(({ number }) => number === entryNumber)!.snapshot);
    return this.#lastGood ? [this.#lastGood, ...items] : items;
  }
}

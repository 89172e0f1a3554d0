// The items of one track of a stream, read one frame at a time. The next item is opened ahead of its join.
//
// States:
// - empty: no item is open. `step` opens the item at its frame, and leads to playing.
// - playing: the current item is read. 2.5 s before its end the next item is opened, which leads to joining.
//   An item that ends sooner or is joined otherwise by then is opened again for its rest.
// - joining: two items are open. At the end of the current one it is closed, and the next one is current: playing.
// - closed: all items are closed, and `step` throws.
// A ToolError closes both items and leads to empty: the item is opened again at the same frame, up to three times.
import type { Log } from '../../log.ts';
import { isSameJoin } from '../../domain/playout/item-joins.ts';
import type { FrameRange } from '../../domain/playout/composition.ts';
import { fromOrigin, itemsPlayed, occurrenceAt } from '../../domain/playout/play-out.ts';
import type { ItemOccurrence, TimelineEntry } from '../../domain/playout/play-out.ts';
import { ToolError } from '../ffmpeg/media-tool.ts';
import { MediaError } from '../media/media-error.ts';

/** The media of one item. */
export interface ItemMedia {
  /** Resolves when the media turns out to be decodable; rejects with MediaError if it is not. */
  readonly ready: Promise<void>;
  /**
   * The frame of the run at which the media becomes outdated, because the timeline has changed since it was opened;
   * Infinity: it does not. Absent if later changes of the timeline do not affect it.
   */
  readonly changesAt?: () => Promise<number>;
  close(): Promise<void>;
}

export interface ItemTrackOptions<Media extends ItemMedia> {
  readonly framesPerSecond: number;
  /** Loads the timeline. Called for every item and every second, to apply what was changed meanwhile. Mostly cached. */
  readonly loadTimeline: () => Promise<readonly TimelineEntry[]>;
  /** Opens frames of an item, which count from its beginning. */
  readonly open: (occurrence: ItemOccurrence, range: FrameRange, timeline: readonly TimelineEntry[]) => Promise<Media>;
  /**
   * The frame up to which an item that is opened at `frame` is opened; absent: to its end. The rest is opened later as
   * an item of its own, with the timeline of that time.
   */
  readonly opensUntil?: (frame: number) => Promise<number>;
  readonly log: Log;
}

interface OpenedItem<Media> {
  readonly media: Media;
  readonly occurrence: ItemOccurrence;
  /** The occurrence in the timeline, which the item may stand in for. */
  readonly planned: ItemOccurrence;
  /** The frame at which the next item takes its place. */
  end: number;
}

/**
 * The next item is opened this long before its join. By then the encoder of the current item has delivered its rest.
 */
const openAheadSeconds = 2.5;
/** The number of times that an item whose encoder or source fails is opened again at the same frame. */
const maxReopens = 3;

export class ItemTrack<Media extends ItemMedia> {
  readonly #options: ItemTrackOptions<Media>;
  #frame: number;
  #current: OpenedItem<Media> | null = null;
  #next: Promise<OpenedItem<Media>> | null = null;
  #closed = false;
  /** The timeline as it was loaded last. */
  #timeline: readonly TimelineEntry[] = [];
  #isLoading = false;

  /** @param startFrame first frame to read, counted from the anchor of the run */
  constructor(options: ItemTrackOptions<Media>, startFrame: number) {
    this.#options = options;
    this.#frame = startFrame;
  }

  /**
   * Reads one frame's worth with `read` and moves on to the next frame. One call at a time.
   * @throws {MediaError} when no item of the timeline can be played; {ToolError}; an error once the track is closed
   */
  async step<Result>(
    read: (media: Media) => Promise<Result>,
  ): Promise<{ frame: number; occurrence: ItemOccurrence; result: Result }> {
    for (let attempt = 0; ; attempt++) {
      try {
        const { media, occurrence } = await this.#itemAt(this.#frame);
        const result = await read(media);
        return { frame: this.#frame++, occurrence, result };
      } catch (error) {
        if (!(error instanceof ToolError) || attempt === maxReopens || this.#closed) throw error;
        this.#options.log('item_reopened', { frame: this.#frame, error: error.message });
        // The next item is closed too: it begins at the join, and `#itemAt` would use it for the current frame.
        await this.#closeItems();
      }
    }
  }

  /** Closes all items. A pending `step` closes an item that it is about to open. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#closeItems();
  }

  async #closeItems(): Promise<void> {
    const [current, next] = [this.#current, this.#next];
    this.#current = null;
    this.#next = null;
    await current?.media.close();
    await next?.then(({ media }) => media.close()).catch(() => {});
  }

  /** The item that plays at `frame`. Opens the next item when its time is near. */
  async #itemAt(frame: number): Promise<OpenedItem<Media>> {
    if (!this.#current || frame >= this.#current.end) {
      await this.#current?.media.close();
      this.#current = null;
      const next = this.#next ?? this.#open(frame);
      this.#next = null;
      this.#current = await next;
    }
    if (this.#closed) {
      await this.#closeItems();
      throw new Error('the track is closed');
    }
    const current = this.#current;
    if (!this.#next && frame % this.#options.framesPerSecond === 0) {
      this.#loadAgain();
      // If the timeline has changed, the rest of the item is opened again as soon as there is time for that.
      const changesAt = Math.min((await current.media.changesAt?.()) ?? Infinity, this.#endOf(current, frame));
      current.end = Math.min(current.end, Math.max(changesAt, frame + this.#openAheadFrames));
      if (this.#closed) throw new Error('the track is closed');
    }
    const { end } = current;
    if (!this.#next && end - frame <= this.#openAheadFrames) {
      this.#next = this.#open(end);
      // The step over the join awaits this promise and throws its error. Until then the error has no handler.
      this.#next.catch(() => {});
    }
    return current;
  }

  /** Loads the timeline for the items that are open. Pictures do not wait for it. */
  #loadAgain(): void {
    if (this.#isLoading) return;
    this.#isLoading = true;
    this.#options
      .loadTimeline()
      .then((timeline) => {
        if (timeline.length > 0) this.#timeline = timeline;
      })
      .catch(() => {})
      .finally(() => void (this.#isLoading = false));
  }

  /** The frame at which an item ends by the latest timeline; a past one: it is composed otherwise now. */
  #endOf({ planned: was }: OpenedItem<Media>, frame: number): number {
    const now = occurrenceAt(this.#timeline, frame, this.#options.framesPerSecond);
    const isSame = now.startFrame === was.startFrame && isSameJoin(now.item.join, was.item.join);
    return isSame ? now.startFrame + now.frameCount : -Infinity;
  }

  get #openAheadFrames(): number {
    return openAheadSeconds * this.#options.framesPerSecond;
  }

  /** Opens the item at `frame`. An item that cannot be played is replaced, for its time, by the next one that can. */
  async #open(frame: number): Promise<OpenedItem<Media>> {
    const { loadTimeline, framesPerSecond, open, opensUntil, log } = this.#options;
    const timeline = await loadTimeline();
    this.#timeline = timeline;
    const planned = occurrenceAt(timeline, frame, framesPerSecond);
    const end = Math.min(planned.startFrame + planned.frameCount, (await opensUntil?.(frame)) ?? Infinity);
    const entry = timeline.find((candidate) => candidate.number === planned.entryNumber)!;
    const position = itemsPlayed(entry.snapshot).findIndex(({ itemID }) => itemID === planned.item.itemID);
    const candidates = [
      planned.item,
      ...itemsPlayed(entry.snapshot).slice(position + 1),
      ...itemsPlayed(entry.snapshot).slice(0, position),
    ];
    let failure: unknown;
    for (const item of candidates) {
      const isStandIn = item.itemID !== planned.item.itemID;
      const { part: _, skippedFrames: _skipped, ...whole } = planned;
      const occurrence = isStandIn ? { ...whole, item, isStandIn } : planned;
      const { startFrame } = fromOrigin(occurrence);
      const range = { first: frame - startFrame, end: end - startFrame };
      const media = await open(occurrence, range, timeline);
      try {
        await media.ready;
        return { media, occurrence, planned, end };
      } catch (error) {
        await media.close();
        if (!(error instanceof MediaError)) throw error;
        log('item_not_playable', { uploadID: item.uploadID, code: error.code });
        failure = error;
      }
    }
    throw failure;
  }
}

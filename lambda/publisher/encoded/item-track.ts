// The items of one track of a stream, one frame at a time: each is opened ahead of its join and closed at the next one.
import type { Log } from '../../log.ts';
import { occurrenceAt, occurrencesFrom } from '../../domain/playout/play-out.ts';
import type { ItemOccurrence, TimelineEntry, TimelineItem, TimelineOverlays } from '../../domain/playout/play-out.ts';
import { levelAt } from '../../domain/playout/sound.ts';
import type { ItemJoin, SoundLevel } from '../../domain/playout/sound.ts';
import { occurrenceBefore } from '../../domain/playout/sound-joins.ts';
import { ToolError } from '../ffmpeg/media-tool.ts';
import { MediaError } from '../media/media-error.ts';

/** How an item is to sound. */
export interface ItemSound {
  readonly level: SoundLevel | null;
  /** What it is joined to; null: nothing, or it stands in for something else. */
  readonly before: ItemOccurrence | null;
  /** How it is joined to what comes next; absent: not at all. */
  readonly join: ItemJoin | undefined;
  /** What follows it without a gap; null: nothing does. */
  readonly after: ItemOccurrence | null;
}

/** What is drawn over an item, and over the one before it; null or undefined: nothing. */
export interface ItemOverlays {
  /** The frame of the run with which the item begins. */
  readonly itemStartFrame: number;
  readonly own: TimelineOverlays | undefined;
  readonly before: TimelineOverlays | null | undefined;
  /** What follows the item, of which its pictures tell; null: itself. */
  readonly next: TimelineItem | null;
}

/** The media of one item. */
export interface ItemMedia {
  /** Resolves once the media has shown that it can be decoded; rejects with MediaError if it cannot. */
  readonly ready: Promise<void>;
  /**
   * The frame of the run from which on it would be opened otherwise by now; Infinity: it would not. Absent: what
   * is known later changes nothing of it.
   */
  readonly changesAt?: () => Promise<number>;
  close(): Promise<void>;
}

export interface ItemTrackOptions<Media extends ItemMedia> {
  readonly framesPerSecond: number;
  /** Called anew for every item, so that a playlist that was published meanwhile is known. */
  readonly loadTimeline: () => Promise<readonly TimelineEntry[]>;
  /** Opens `frameCount` frames of an item, from its frame `startFrame` on. */
  readonly open: (
    item: TimelineItem,
    range: { readonly startFrame: number; readonly frameCount: number },
    sound: ItemSound,
    overlays: ItemOverlays,
  ) => Promise<Media>;
  /**
   * Up to which frame an item is opened at once that is opened at a frame; absent: to its end. The rest is opened as an
   * item of its own, by what is known then.
   */
  readonly opensUntil?: (frame: number) => Promise<number>;
  readonly log: Log;
}

interface OpenedItem<Media> {
  readonly media: Media;
  readonly occurrence: ItemOccurrence;
  /** Up to which frame it is read. */
  end: number;
}

/**
 * The next item is opened this long before its join. By then the encoder of the current item has delivered its rest.
 */
const openAheadSeconds = 2.5;
/** An item whose encoder or source fails is opened again where it broke off, at most this often for one frame. */
const maxReopens = 3;

export class ItemTrack<Media extends ItemMedia> {
  readonly #options: ItemTrackOptions<Media>;
  #frame: number;
  #current: OpenedItem<Media> | null = null;
  #next: Promise<OpenedItem<Media>> | null = null;
  #closed = false;

  /** @param startFrame first frame to read, counted from the anchor of the run */
  constructor(options: ItemTrackOptions<Media>, startFrame: number) {
    this.#options = options;
    this.#frame = startFrame;
  }

  /**
   * Reads one frame's worth with `read` and moves on by one frame. One call at a time.
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
        // The next item is closed too: it was opened at the join, and `#itemAt` would take it for the item to go on
        // with.
        await this.#closeItems();
      }
    }
  }

  /** Closes all items. An item that a pending `step` is about to open is closed by that step. */
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

  /** The item that plays at `frame`; the one after it is opened when its time comes near. */
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
    if (!this.#next && current.media.changesAt && frame % this.#options.framesPerSecond === 0) {
      // What has changed since an item was opened is seen as soon as the rest of it can be opened anew.
      const changesAt = await current.media.changesAt();
      current.end = Math.min(current.end, Math.max(changesAt, frame + this.#openAheadFrames));
      if (this.#closed) throw new Error('the track is closed');
    }
    const { end } = current;
    if (!this.#next && end - frame <= this.#openAheadFrames) {
      this.#next = this.#open(end);
      // The step over the join awaits this promise and throws its error. Until then nobody handles the error.
      this.#next.catch(() => {});
    }
    return current;
  }

  get #openAheadFrames(): number {
    return openAheadSeconds * this.#options.framesPerSecond;
  }

  #after(timeline: readonly TimelineEntry[], occurrence: ItemOccurrence): ItemOccurrence {
    const [next] = occurrencesFrom(timeline, endOf(occurrence), this.#options.framesPerSecond).take(1);
    return next!;
  }

  /** Opens what plays at `frame`. An item that cannot be played is replaced, for its time, by the next one that can. */
  async #open(frame: number): Promise<OpenedItem<Media>> {
    const { loadTimeline, framesPerSecond, open, opensUntil, log } = this.#options;
    const timeline = await loadTimeline();
    const occurrence = occurrenceAt(timeline, frame, framesPerSecond);
    const end = Math.min(endOf(occurrence), (await opensUntil?.(frame)) ?? Infinity);
    const entry = timeline.find((candidate) => candidate.number === occurrence.entryNumber)!;
    const position = entry.snapshot.items.indexOf(occurrence.item);
    const candidates = [...entry.snapshot.items.slice(position), ...entry.snapshot.items.slice(0, position)];
    let failure: unknown;
    for (const item of candidates) {
      const range = { startFrame: frame - occurrence.startFrame, frameCount: end - frame };
      const isStandIn = item.itemID !== occurrence.item.itemID;
      const sound = {
        level: levelAt(item, occurrence.startFrame, framesPerSecond),
        before: isStandIn ? null : occurrenceBefore(timeline, occurrence, framesPerSecond),
        join: isStandIn ? undefined : item.join,
        after: isStandIn || item.join?.kind !== 'gap_free' ? null : this.#after(timeline, occurrence),
      };
      const { item: next } = this.#after(timeline, occurrence);
      const overlays = {
        itemStartFrame: occurrence.startFrame,
        own: entry.snapshot.overlays,
        before: sound.before && overlaysIn(timeline, sound.before),
        next: next.itemID === item.itemID ? null : next,
      };
      const media = await open(item, range, sound, overlays);
      try {
        await media.ready;
        return { media, occurrence: isStandIn ? { ...occurrence, item, isStandIn } : occurrence, end };
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

function overlaysIn(timeline: readonly TimelineEntry[], { entryNumber }: ItemOccurrence) {
  return timeline.find(({ number }) => number === entryNumber)?.snapshot.overlays;
}

function endOf(occurrence: ItemOccurrence): number {
  return occurrence.startFrame + occurrence.frameCount;
}

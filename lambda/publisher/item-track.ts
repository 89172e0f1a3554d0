// The items of one track of a run, one frame at a time: each opened ahead of its join, closed after it, replaced if it cannot be played.
import { occurrenceAt } from '../domain/play-out.ts';
import type { Occurrence, TimelineEntry, TimelineItem } from '../domain/play-out.ts';
import { ToolError } from './ffmpeg/child.ts';
import { MediaError } from './media/media-error.ts';

/** What an item's media is read from. */
export interface ItemMedia {
  /** Resolves once the media has shown that it can be decoded; rejects with MediaError if it cannot. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

export interface ItemTrackOptions<Media extends ItemMedia> {
  readonly framesPerSecond: number;
  /** Asked anew at every item, so that what was published meanwhile is known. */
  readonly loadTimeline: () => Promise<readonly TimelineEntry[]>;
  /** Opens `frameCount` frames of an item, from its frame `startFrame` on. */
  readonly open: (item: TimelineItem, startFrame: number, frameCount: number) => Promise<Media>;
  readonly log: (event: string, fields: Record<string, unknown>) => void;
}

interface OpenedItem<Media> {
  readonly media: Media;
  readonly occurrence: Occurrence;
}

/** The next item is opened this long before its join: by then the current one's encoder has delivered all that is left of it. */
const openAheadSeconds = 2.5;
/** An encoder or a source that fails is begun again where it broke off, so often for one frame. */
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
  ): Promise<{ frame: number; occurrence: Occurrence; result: Result }> {
    for (let attempt = 0; ; attempt++) {
      try {
        const { media, occurrence } = await this.#itemAt(this.#frame);
        const result = await read(media);
        return { frame: this.#frame++, occurrence, result };
      } catch (error) {
        if (!(error instanceof ToolError) || attempt === maxReopens || this.#closed) throw error;
        this.#options.log('item_reopened', { frame: this.#frame, error: error.message });
        // The next one too: it begins at the join, not here.
        await this.#closeItems();
      }
    }
  }

  /** What a `step` that goes on meanwhile still opens is closed by it. */
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
    if (!this.#current || frame >= endOf(this.#current.occurrence)) {
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
    const end = endOf(this.#current.occurrence);
    if (!this.#next && end - frame <= openAheadSeconds * this.#options.framesPerSecond) {
      this.#next = this.#open(end);
      // Whoever steps over the join meets the error; until then it is nobody's.
      this.#next.catch(() => {});
    }
    return this.#current;
  }

  /** Opens what plays at `frame`. An item that cannot be played is replaced, for its time, by the next one that can. */
  async #open(frame: number): Promise<OpenedItem<Media>> {
    const { loadTimeline, framesPerSecond, open, log } = this.#options;
    const timeline = await loadTimeline();
    const occurrence = occurrenceAt(timeline, frame, framesPerSecond);
    const entry = timeline.find((candidate) => candidate.number === occurrence.entryNumber)!;
    const position = entry.snapshot.items.indexOf(occurrence.item);
    const candidates = [...entry.snapshot.items.slice(position), ...entry.snapshot.items.slice(0, position)];
    let failure: unknown;
    for (const item of candidates) {
      const media = await open(item, frame - occurrence.startFrame, endOf(occurrence) - frame);
      try {
        await media.ready;
        return { media, occurrence: { ...occurrence, item } };
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

function endOf(occurrence: Occurrence): number {
  return occurrence.startFrame + occurrence.frameCount;
}

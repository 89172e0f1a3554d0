// Judges requests of guests by the policy of a guide link, and finds the items that they can ask for.
// Decision D232.
import type { Collection } from '../../data/media/collections.ts';
import type { Database } from '../../data/database.ts';
import type { LinkedStream } from '../../data/playout/guide-links.ts';
import type { PublishedProgramme } from '../../data/programme/programmes.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { OpenTimes } from '../../domain/media/availability.ts';
import { titleOfUpload } from '../../domain/playout/item-title.ts';
import { imageDurationSeconds } from '../../domain/playout/play-out.ts';
import { ZoneOffsets } from '../../domain/programme/breaks.ts';
import { foldedWords } from '../../domain/programme/guest-search.ts';
import { notOnAir, notTaken, sameItem } from '../../domain/programme/guest-requests.ts';
import type { RequestPolicy, RequestRefusal } from '../../domain/programme/guest-requests.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { onAirRows } from './on-air-rows.ts';

/** A channel that takes requests. */
export interface AskedChannel {
  readonly stream: Stream;
  readonly programme: PublishedProgramme;
  readonly collection: Collection;
  readonly policy: RequestPolicy;
}

/** A member of the collection of a policy that can be played. */
export interface OfferedItem {
  readonly id: string;
  readonly title: string;
  readonly artist: string | null;
  readonly durationSeconds: number;
  /** The words of title and artist that a search compares. */
  readonly words: readonly string[];
  /** The times at which it may begin; null: any time. */
  readonly times: OpenTimes | null;
}

/** Finds the items of a channel, as they were a moment ago. */
export type Offers = (data: Database, channel: AskedChannel) => Promise<readonly OfferedItem[]>;

const minuteMs = 60_000;
/** The most rows of a timeline that are searched for an item: a day of items of a second. */
const mostPlayedRows = 86_400;

/** The channel of a link, or the reason for which it takes no requests now. */
export async function askedChannel(
  data: Database,
  { stream, requests: policy }: LinkedStream,
): Promise<AskedChannel | RequestRefusal> {
  if (policy === null) return notTaken;
  if (!isLive(stream.state) || stream.state === 'stopping') return notOnAir;
  const collection = await data.collections.find(stream.user_id, policy.collectionID);
  if (collection === null) return notTaken;
  const programmes = await data.programmes.ofStreams([stream.id]);
  const programme = programmes.find(({ kind }) => kind === collection.kind);
  return programme ? { stream, programme, collection, policy } : notTaken;
}

/** Reads the items of a channel that can be played, in the order of their collection. */
export async function loadOffered(
  data: Database,
  { stream, collection: { id } }: AskedChannel,
): Promise<readonly OfferedItem[]> {
  const members = (await data.collections.members(stream.user_id, [id])).get(id)?.members ?? [];
  return members
    .filter(({ isPlayable }) => isPlayable)
    .map(({ id: uploadID, name, titles, durationSeconds, showSeconds, availability }) => {
      const title = titles.title ?? titleOfUpload(name);
      const artist = titles.artist ?? null;
      return {
        id: uploadID,
        title,
        artist,
        durationSeconds: durationSeconds ?? showSeconds ?? imageDurationSeconds,
        words: foldedWords(`${title} ${artist ?? ''}`),
        times: availability && new OpenTimes(availability),
      };
    });
}

/** The items that may begin at a time. */
export function itemsInTime(
  items: readonly OfferedItem[],
  { programme }: AskedChannel,
  now: Date,
): readonly OfferedItem[] {
  const offsetMs = new ZoneOffsets(programme.live.timeZone).offsetMsAt(now.getTime());
  return items.filter(({ times }) => times === null || times.isOpen(now.getTime(), offsetMs));
}

/** The reason for which an item is too close to its last playing, or waits already; null: it is not. */
export async function refusalOfItem(
  data: Database,
  { stream, programme, policy: { sameItemMinutes } }: AskedChannel,
  uploadID: string,
  now: Date,
): Promise<RequestRefusal | null> {
  const waiting = await data.queuedItems.waiting(programme.id);
  if (waiting.some(({ upload_id: queuedID }) => queuedID === uploadID)) return sameItem(null);
  if (sameItemMinutes === 0) return null;
  const { rows } = await onAirRows(data, stream, {
    from: new Date(now.getTime() - sameItemMinutes * minuteMs),
    // The row that begins now as well.
    to: new Date(now.getTime() + 1),
    count: mostPlayedRows,
    track: programme.kind,
    drafts: null,
    now,
  });
  const last = rows.findLast(({ occurrence }) => occurrence.item.uploadID === uploadID);
  return last ? sameItem(new Date(last.endAt.getTime() + sameItemMinutes * minuteMs)) : null;
}

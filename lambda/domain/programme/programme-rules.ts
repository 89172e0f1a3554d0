// The rules of a programme: the blocks of a week, the inserts between items, and the distances between repetitions.

/** First day of blocks that name none: a Thursday long before any programme. */
export const usualFirstDay = '2026-01-01';

/** The days and hours of a block, in the time zone of its programme. */
export interface BlockHours {
  /** An RFC 5545 recurrence rule of the days, such as FREQ=WEEKLY;BYDAY=MO,FR, without times of day. */
  readonly rule: string;
  /** The first day that may have the block, as YYYY-MM-DD: the origin of INTERVAL and COUNT. */
  readonly firstDay: string;
  /** The last day on which it begins; null: it has none. */
  readonly lastDay: string | null;
  /** The time of day of its beginning, as HH:mm. */
  readonly at: string;
  readonly minutes: number;
}

export interface Block {
  readonly id: string;
  readonly name: string;
  /** Null: always, under the blocks that have hours. */
  readonly hours: BlockHours | null;
  /** The highest one decides when several blocks have the same hours. */
  readonly priority: number;
  /** The beginning: `hard` cuts off what plays, to the frame; `next_item` waits for its end. */
  readonly starts: 'hard' | 'next_item';
  /** Minutes that `next_item` waits at most; null: as long as the item lasts. */
  readonly latestMinutes: number | null;
  /** The end: `finish` plays its last item whole, `cut` cuts it off, `fill` ends exactly with filler. */
  readonly ends: 'finish' | 'cut' | 'fill';
  /** Whether the steps play in their order. If not, they take turns by weight. */
  readonly isOrdered: boolean;
  /** Present: a sign-off. Its items are no programme, and have neither inserts nor filler among them. Decision D253. */
  readonly isOffAir?: true;
  /** Its form in guides: one entry with its name, or none; absent: an entry for each item. */
  readonly guide?: 'block' | 'hidden';
  /** The live input that may take the stream over while the block is on; absent: none. Decision D262. */
  readonly liveInputID?: string;
  /** At least one. */
  readonly steps: readonly Step[];
}

/** A part of a block: some items of a collection, or one upload. */
export interface Step {
  readonly id: string;
  readonly from: ItemSource;
  /** Items that it plays in each of its turns. */
  readonly count: number;
  /** Its share of the turns, beside the weights of the other steps. Steps in order have no use for it. */
  readonly weight: number;
  /**
   * The position in the collection: a step's own one, one that all steps with `shared` have together, or, with `rerun`,
   * the beginning of the collection at each occurrence of the block.
   */
  readonly cursor: 'own' | 'shared' | 'rerun';
}

export type ItemSource = { readonly collectionID: string } | { readonly uploadID: string };

/** Items that play between others: jingles, sponsors, announcements. */
export interface Insert {
  readonly id: string;
  readonly name: string;
  readonly from: ItemSource;
  readonly when: InsertTimes;
  /** Items of each break. */
  readonly perBreak: number;
  /** Uploads before and after the items of a break; null: none. */
  readonly introUploadID: string | null;
  readonly outroUploadID: string | null;
  /** The most breaks that begin within an hour; null: any number. */
  readonly mostPerHour: number | null;
  /** The least time from the end of a break to the next one; 0: none. */
  readonly shortestGapMinutes: number;
  /** Present: its breaks are joined with the items before and after them as the stream wants it; absent: by cuts. */
  readonly join?: 'as_stream';
}

/** A mid-roll: breaks within long items. Decision D231. */
export interface MidRoll {
  /** Minutes of an item before its first break, and between its breaks. */
  readonly everyMinutes: number;
  /** The last minutes of an item, which have no break. A shorter item than both times together is not divided. */
  readonly keepLastMinutes: number;
  /** The block whose items have breaks; null: items of any block, and queued ones. */
  readonly blockID: string | null;
}

/** The times of an insert. Each break waits for the end of the item that plays, except a mid-roll. */
export type InsertTimes =
  | { readonly everyItems: number }
  | { readonly everyMinutes: number }
  /** Minutes of each hour, from 0 to 59. */
  | { readonly atMinutes: readonly number[] }
  /** Before the first item, or after the last one, of each occurrence of a block. */
  | { readonly beforeBlockID: string }
  | { readonly afterBlockID: string }
  | { readonly midRoll: MidRoll };

export const separationKeys = ['upload', 'title', 'artist', 'album', 'tag'] as const;
export type SeparationKey = (typeof separationKeys)[number];

/** A distance between items that are alike. */
export interface SeparationRule {
  readonly by: SeparationKey;
  /** The tags that it keeps apart begin with this text; null: all tags. Only with `tag`. */
  readonly tagPrefix: string | null;
  /** The fewest other items between two that are alike; 0: any number. */
  readonly items: number;
  /** The fewest minutes between two that are alike; 0: any number. */
  readonly minutes: number;
  /** Rules with `should` are given up first when no item meets all rules. */
  readonly strength: 'must' | 'should';
}

/** Items that fill the time before a beginning that cannot wait. */
export interface Filler {
  readonly from: ItemSource;
}

export interface ProgrammeRules {
  /** An IANA time zone. */
  readonly timeZone: string;
  /** At equal priority the first one decides. */
  readonly blocks: readonly Block[];
  readonly inserts: readonly Insert[];
  /** The most important one first: rules of equal strength are given up from the end. */
  readonly separation: readonly SeparationRule[];
  /** Null: items that do not fit are cut off. */
  readonly filler: Filler | null;
  /** The most seconds of inserts that begin within an hour; null: any number. */
  readonly insertSecondsPerHour: number | null;
  /** An integer that all random orders follow from. */
  readonly seed: number;
}

/** The name of a source of items, such as collection/col_1. */
export function sourceKey(from: ItemSource): string {
  return 'collectionID' in from ? `collection/${from.collectionID}` : `upload/${from.uploadID}`;
}

/** All sources of items that the rules name. */
export function sourcesOf({ blocks, inserts, filler }: ProgrammeRules): ItemSource[] {
  const uploads = inserts.flatMap(({ introUploadID, outroUploadID }) => [introUploadID, outroUploadID]);
  return [
    ...blocks.flatMap(({ steps }) => steps.map(({ from }) => from)),
    ...inserts.map(({ from }) => from),
    ...uploads.flatMap((uploadID) => (uploadID === null ? [] : [{ uploadID }])),
    ...(filler === null ? [] : [filler.from]),
  ];
}

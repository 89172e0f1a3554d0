// Collections: sets of a user's uploads that fill themselves.

export const collectionOrders = ['sequential', 'shuffle', 'newest', 'oldest', 'series'] as const;
/**
 * Orders of the members, and of a programme that draws from them.
 * - `sequential`: as the members are listed.
 * - `shuffle`: in laps of all members, each in another order, which the programme decides.
 * - `newest`, `oldest`: by the time of the upload. With `newest`, an upload that arrives plays next.
 * - `series`: groups in turns, in a shuffled order, each with its next member.
 */
export type CollectionOrder = (typeof collectionOrders)[number];

/** Facts of uploads that a collection in the order `series` is grouped by. */
export const collectionGroups = ['folder', 'artist', 'album'] as const;
/** Before the prefix of tags that a collection is grouped by. */
export const tagGroup = 'tag:';
export type CollectionGroup = (typeof collectionGroups)[number] | `tag:${string}`;

/** The origin of a collection's members, in exactly one of these forms. */
export type CollectionSource =
  /** Uploads in the order of the list. */
  | { readonly uploadIDs: readonly string[] }
  /** Uploads in a folder. @param recursive also those in folders inside it */
  | { readonly folder: string; readonly recursive?: boolean }
  | { readonly allTags?: readonly string[]; readonly anyTags?: readonly string[]; readonly noTags?: readonly string[] }
  /** Files that a watched source lists now. Decision D222. */
  | { readonly sourceID: string }
  /** Uploads of the items that a playlist has published. */
  | { readonly playlistID: string }
  /** Words of names and titles, as in a search of uploads. */
  | { readonly text: string }
  /** Collections that are not themselves unions. */
  | { readonly collectionIDs: readonly string[] };

/** Bounds of collections that are the same for all users. */
export const collectionBounds = {
  /** Members. If more uploads match, the newest are members in the order `newest`, else the oldest. Decision D221. */
  members: 10_000,
  /** Uploads that are listed by hand. */
  uploadIDs: 1000,
  /** Collections of a union. Each is read with all its members. */
  collectionIDs: 10,
  /** Uploads that the collections of a page list by hand, deleted ones counted. Each is looked up. */
  listedOfPage: 10_000,
  /** Uploads that are read for a page of several collections. Those of unions count each time. */
  rowsOfPage: 50_000,
} as const;

// The uploads that a programme draws from, as its planner needs them.
import type { CollectionPlaces, MemberUpload } from '../../data/media/collections.ts';
import type { Database } from '../../data/database.ts';
import type { Upload } from '../../data/media/uploads.ts';
import type { Programme } from '../../data/programme/programmes.ts';
import type { PlaylistKind } from '../../domain/playout/playlist-words.ts';
import { imageDurationSeconds } from '../../domain/playout/play-out.ts';
import type { PlannableCollection, PlannableItem, QueuedItem } from '../../domain/programme/plannable.ts';
import { programmeBounds } from '../../domain/programme/programme-faults.ts';
import { shortestDivided } from '../../domain/programme/mid-rolls.ts';
import { sourceKey, sourcesOf } from '../../domain/programme/programme-rules.ts';
import type { ProgrammeRules } from '../../domain/programme/programme-rules.ts';
import { isPlayable } from '../../domain/readiness/readiness.ts';
import { uploadFacts } from '../shared/upload-facts.ts';
import { budgetOf } from './planning-turns.ts';

/** Uploads that one statement reads: the process does other work in between. */
const uploadsOfRead = 1000;
/** The milliseconds that the read of an upload counts as. A database that answers late counts no more. */
const msOfUpload = 0.03;

const noMembers: PlannableCollection = { order: 'sequential', members: [], groupOf: () => null };

/**
 * The sources of rules with the members that can be played, by `sourceKey`. Deleted ones are empty. An upload is one
 * object in all of them. Beyond `programmeBounds.members`, the sources that the rules name last are cut: decision D259.
 * @param kind the track that the programme plans
 */
export async function loadSources(
  data: Database,
  userID: string,
  kind: PlaylistKind,
  rules: ProgrammeRules,
): Promise<Map<string, PlannableCollection>> {
  const sources = sourcesOf(rules);
  const collectionIDs = [...new Set(sources.flatMap((from) => ('collectionID' in from ? [from.collectionID] : [])))];
  const uploadIDs = [...new Set(sources.flatMap((from) => ('uploadID' in from ? [from.uploadID] : [])))];
  const collections = await data.collections.findMany(userID, collectionIDs);
  const places = await data.collections.places(userID, collectionIDs, programmeBounds.members);
  const items = await itemsOf(data, [...places.values()]);
  const uploads = uploadIDs.length === 0 ? new Map<string, Upload>() : await data.uploads.byID(uploadIDs);
  const isOwn = (upload: Upload) => upload.user_id === userID && isPlayable(uploadFacts(upload), kind);
  const own = [...uploads.values()].filter(isOwn);
  for (const upload of own) items.set(upload.id, items.get(upload.id) ?? itemOfUpload(upload));
  for (const item of await withBlackTimes(data, rules, [...items.values()])) items.set(item.uploadID, item);
  const found = new Map<string, PlannableCollection>();
  for (const { id, order, group_by: groupBy } of collections)
    found.set(sourceKey({ collectionID: id }), collectionOf(order, groupBy === null, places.get(id)!, items));
  for (const uploadID of uploadIDs) found.set(sourceKey({ uploadID }), noMembers);
  for (const { id: uploadID } of own)
    found.set(sourceKey({ uploadID }), { ...noMembers, members: [items.get(uploadID)!] });
  return found;
}

/** The members of collections, each upload once, by its id. */
async function itemsOf(data: Database, collections: readonly CollectionPlaces[]): Promise<Map<string, PlannableItem>> {
  const ids = [...new Set(collections.flatMap(({ members }) => members.map(({ id }) => id)))];
  const items = new Map<string, PlannableItem>();
  const beganMs = performance.now();
  for (let from = 0; from < ids.length; from += uploadsOfRead) {
    await budgetOf(data)?.assertMayContinue();
    for (const upload of await data.collections.memberUploads(ids.slice(from, from + uploadsOfRead)))
      items.set(upload.id, itemOf(upload));
  }
  // Uploads that were read before take less.
  budgetOf(data)?.useDatabase(Math.min(performance.now() - beganMs, ids.length * msOfUpload));
  return items;
}

/** Items that mid-rolls may divide, with their black pictures, and all others. */
async function withBlackTimes(
  data: Database,
  { inserts }: Pick<ProgrammeRules, 'inserts'>,
  items: readonly PlannableItem[],
): Promise<readonly PlannableItem[]> {
  const shortest = shortestDivided(inserts);
  const long = items.filter(({ durationSeconds }) => durationSeconds >= shortest);
  if (long.length === 0) return items;
  const black = await data.inspections.blackTimes(long.map(({ uploadID }) => uploadID));
  return items.map((item) => {
    const times = black.get(item.uploadID);
    return times ? { ...item, black: times } : item;
  });
}

/** The queued items of a programme that can be played. */
export async function loadQueue(
  data: Database,
  { id, kind }: Pick<Programme, 'id' | 'kind'>,
  rules: Pick<ProgrammeRules, 'inserts'>,
): Promise<readonly QueuedItem[]> {
  const queued = await data.queuedItems.ofProgramme(id);
  if (queued.length === 0) return [];
  const uploads = await data.uploads.byID([...new Set(queued.map(({ upload_id: uploadID }) => uploadID))]);
  const playable = queued.flatMap(({ number, upload_id: uploadID }) => {
    const upload = uploads.get(uploadID);
    return upload && isPlayable(uploadFacts(upload), kind) ? [{ number, item: itemOfUpload(upload) }] : [];
  });
  const items = await withBlackTimes(
    data,
    rules,
    playable.map(({ item }) => item),
  );
  return playable.map(({ number }, place) => ({ number, item: items[place]! }));
}

function collectionOf(
  order: PlannableCollection['order'],
  isOneGroup: boolean,
  { isCut, members }: CollectionPlaces,
  items: ReadonlyMap<string, PlannableItem>,
): PlannableCollection {
  const groups = new Map(isOneGroup ? [] : members.map(({ id, group }) => [id, group]));
  const groupOf = ({ uploadID }: PlannableItem) => (isOneGroup ? '' : (groups.get(uploadID) ?? null));
  // An upload may be deleted between both reads.
  const own = members.flatMap(({ id }) => items.get(id) ?? []);
  return { order, members: own, groupOf, ...(isCut && { isCut }) };
}

type PlannedMember = Omit<MemberUpload, 'type'>;

function itemOf({ id, name, titles, tags, folder, createdAt, ...member }: PlannedMember): PlannableItem {
  return {
    uploadID: id,
    name,
    durationSeconds: member.durationSeconds ?? member.showSeconds ?? imageDurationSeconds,
    createdAtMs: createdAt.getTime(),
    titles,
    tags,
    folder,
    ...(member.availability && { availability: member.availability }),
  };
}

function itemOfUpload({ duration_seconds: durationSeconds, created_at: createdAt, ...upload }: Upload): PlannableItem {
  return itemOf({ ...upload, durationSeconds, showSeconds: upload.show_seconds, createdAt });
}

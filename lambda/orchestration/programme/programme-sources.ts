// The uploads that a programme draws from, as its planner needs them.
import type { CollectionMember } from '../../data/media/collections.ts';
import type { Database } from '../../data/database.ts';
import type { Upload } from '../../data/media/uploads.ts';
import type { Programme } from '../../data/programme/programmes.ts';
import type { PlaylistKind } from '../../domain/playout/playlist-words.ts';
import { imageDurationSeconds } from '../../domain/playout/play-out.ts';
import type { PlannableCollection, PlannableItem, QueuedItem } from '../../domain/programme/plannable.ts';
import { shortestDivided } from '../../domain/programme/mid-rolls.ts';
import { sourceKey, sourcesOf } from '../../domain/programme/programme-rules.ts';
import type { ProgrammeRules } from '../../domain/programme/programme-rules.ts';
import { isPlayable } from '../../domain/readiness/readiness.ts';
import { uploadFacts } from '../shared/upload-facts.ts';

/**
 * The sources of rules with the members that can be played, by `sourceKey`. Deleted ones are empty.
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
  const uploads = uploadIDs.length === 0 ? new Map<string, Upload>() : await data.uploads.byID(uploadIDs);
  const found = new Map<string, PlannableCollection>();
  for (const { id, order, group_by: groupBy } of collections) {
    // One at a time: several with 10,000 members each would be held twice.
    const members = await data.collections.members(userID, [id]);
    const isOneGroup = groupBy === null;
    found.set(sourceKey({ collectionID: id }), collectionOf(order, isOneGroup, members.get(id)?.members ?? []));
  }
  for (const uploadID of uploadIDs) {
    const upload = uploads.get(uploadID);
    const isOwn = upload?.user_id === userID && isPlayable(uploadFacts(upload), kind);
    const own = isOwn ? [itemOfUpload(upload)] : [];
    found.set(sourceKey({ uploadID }), { order: 'sequential', members: own, groupOf: () => null });
  }
  for (const [key, { members, ...collection }] of found)
    found.set(key, { ...collection, members: await withBlackTimes(data, rules, members) });
  return found;
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
  members: readonly CollectionMember[],
): PlannableCollection {
  const playable = members.filter(({ isPlayable: plays }) => plays);
  const groups = new Map(playable.map(({ id, group }) => [id, group]));
  const groupOf = ({ uploadID }: PlannableItem) => (isOneGroup ? '' : (groups.get(uploadID) ?? null));
  return { order, members: playable.map(itemOf), groupOf };
}

type PlannedMember = Omit<CollectionMember, 'isPlayable' | 'group' | 'type'>;

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

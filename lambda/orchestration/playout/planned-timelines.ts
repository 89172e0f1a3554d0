// Planned timelines of a stream: of a future start, or with drafts that are not published yet.
import { itemsPlayed } from '../../domain/playout/play-out.ts';
import type { Database } from '../../data/database.ts';
import type { Playlist } from '../../data/playout/playlists.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { Timelines } from '../../data/playout/timelines.ts';
import type { PictureFormat } from '../../domain/playout/rendition.ts';
import { seedOfStart } from '../../domain/playout/continuation.ts';
import { nextEntry } from './publish-draft.ts';
import { withLiveDraft } from './timeline-snapshots.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import { entriesOfTrack } from './plan-entries.ts';
import { lengthOfRun, planStarts } from '../programme/plan-start.ts';
import { loadParts, playsSoundTrack } from '../streams/stream-parts.ts';
import type { StreamParts } from '../streams/stream-parts.ts';
import { snapshotOfPlaylist, snapshotsOf, timelinesOfSnapshots } from './timeline-snapshots.ts';

/** The starts of a stream that is not live. */
export interface StreamStarts {
  readonly format: PictureFormat;
  /** The timelines of a run by the time that it is scheduled for, for this many seconds at most. */
  readonly timelinesAt: (scheduledAt: Date, seconds: number) => Promise<Timelines>;
}

export async function startsOfStream(data: Database, stream: Stream, now: Date): Promise<StreamStarts> {
  const reads = readingSourcesOnce(data);
  const found = await loadParts(reads, stream);
  const playlists = found.playlists.map((playlist) => playlist && withLiveDraft(playlist, now));
  const known = playlists.every((playlist) => playlist === null || playlist.live !== null);
  const snapshots = known ? snapshotsOf({ ...found, playlists }, 0) : [];
  const timelinesAt = async (scheduledAt: Date, seconds: number) => {
    const seed = seedOfStart(stream.id, scheduledAt);
    const timelines = timelinesOfSnapshots(
      snapshots.map((each) => ({ ...each, snapshot: { ...each.snapshot, seed } })),
    );
    return { ...timelines, ...(await programmesOfStart(reads, found, { at: scheduledAt, seconds, seed })) };
  };
  return { format: found.format, timelinesAt };
}

/** The timelines of the programmes of a start, as far as a run is planned ahead. */
async function programmesOfStart(
  data: Database,
  { stream, playlists, format }: StreamParts,
  { at, seconds, seed }: { readonly at: Date; readonly seconds: number; readonly seed: number },
): Promise<Partial<Timelines>> {
  if (stream.planned_tracks === null) return {};
  const users = await data.creditAccounts.withCredits([stream.user_id]);
  const length = { ...lengthOfRun, seconds: Math.min(seconds, lengthOfRun.seconds) };
  const planned = (await planStarts(data, [stream], users, { at, length, lock: false })).get(stream.id)!;
  const hasSoundTrack = playsSoundTrack(stream, playlists);
  return Object.fromEntries(
    planned.map(({ programme: { kind: track }, rows, uploads }) => {
      const ofTrack = { track, rows, framesPerSecond: framesPerSecond[format.framerate] };
      const entries = entriesOfTrack(stream, ofTrack, { uploads, hasSoundTrack, seed });
      return [track, entries.map((entry, number) => ({ number, ...entry }))];
    }),
  );
}

/**
 * The same data, whose reads of rules and their sources are done once for all runs of an answer: a collection may have
 * 10,000 members.
 */
function readingSourcesOnce(data: Database): Database {
  const { collections, creditAccounts, inspections, programmes, queuedItems } = data;
  const once = {
    collections: {
      findMany: readOnce(collections.findMany),
      places: readOnce(collections.places),
      memberUploads: readOnce(collections.memberUploads),
    },
    creditAccounts: { withCredits: readOnce(creditAccounts.withCredits) },
    inspections: { blackTimes: readOnce(inspections.blackTimes) },
    programmes: { ofStreams: readOnce(programmes.ofStreams) },
    queuedItems: { ofProgramme: readOnce(queuedItems.ofProgramme) },
  };
  const aggregates = Object.entries(once).map(([name, reads]) => {
    return [name, { value: { ...data[name as keyof typeof once], ...reads } }] as const;
  });
  return Object.create(data, Object.fromEntries(aggregates)) as Database;
}

function readOnce<Given extends unknown[], Found>(
  read: (...given: Given) => Promise<Found>,
): (...given: Given) => Promise<Found> {
  const known = new Map<string, Promise<Found>>();
  return (...given) => {
    const key = JSON.stringify(given);
    const found = known.get(key) ?? read(...given);
    known.set(key, found);
    return found;
  };
}

/** The timelines of a live stream if drafts were published now. */
export async function draftTimelines(
  data: Database,
  stream: Stream,
  live: Timelines,
  drafts: 'all' | { readonly playlistID: string },
  now: Date,
): Promise<Timelines> {
  const { playlists, uploads } = await loadParts(data, stream);
  const isMeant = (playlist: Playlist | null) =>
    playlist !== null &&
    !stream.planned_tracks?.includes(playlist.kind) &&
    (drafts === 'all' || playlist.id === drafts.playlistID);
  const planned = { ...live };
  for (const playlist of playlists.filter(isMeant)) {
    const { id: playlistID, kind, draft } = playlist!;
    const hasSoundTrack = playsSoundTrack(stream, playlists);
    const snapshot = snapshotOfPlaylist(stream, kind, draft, { uploads, hasSoundTrack, seed: 0 });
    const timeline = live[kind];
    if (itemsPlayed(snapshot).length === 0 || timeline.length === 0) continue;
    const entry = nextEntry(stream, timeline, { id: playlistID, snapshot, from: 'continue', now });
    const kept = timeline.filter(({ number, offsetSeconds }) => number === 0 || offsetSeconds < entry.offsetSeconds);
    planned[kind] = [...kept, { number: kept.at(-1)!.number + 1, ...entry }];
  }
  return planned;
}

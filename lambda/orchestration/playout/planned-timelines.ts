// Planned timelines of a stream: of a future start, or with drafts that are not published yet.
import { itemsPlayed } from '../../domain/playout/play-out.ts';
import type { Database } from '../../data/database.ts';
import type { Playlist } from '../../data/playout/playlists.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { Timelines } from '../../data/playout/timelines.ts';
import type { PictureFormat } from '../../domain/playout/rendition.ts';
import { nextBoundarySeconds } from './publish-draft.ts';
import { withLiveDraft } from './timeline-snapshots.ts';
import { loadParts, playsSoundTrack } from '../streams/stream-parts.ts';
import { snapshotOfPlaylist, snapshotsOf, timelinesOfSnapshots } from './timeline-snapshots.ts';

/** The seed of a shuffle that has not begun. Its real order is drawn when it begins. */
const anySeed = 0;

/** The timelines and format of a start of a stream that is not live. */
export async function timelinesOfStart(
  data: Database,
  stream: Stream,
  now: Date,
): Promise<{ readonly format: PictureFormat; readonly timelines: Timelines }> {
  const found = await loadParts(data, stream);
  const playlists = found.playlists.map((playlist) => playlist && withLiveDraft(playlist, now));
  const known = playlists.every((playlist) => playlist === null || playlist.live !== null);
  const snapshots = known ? snapshotsOf({ ...found, playlists }, anySeed) : [];
  return { format: found.format, timelines: timelinesOfSnapshots(snapshots) };
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
    playlist !== null && (drafts === 'all' || playlist.id === drafts.playlistID);
  const planned = { ...live };
  for (const playlist of playlists.filter(isMeant)) {
    const { id: playlistID, kind, draft } = playlist!;
    const hasSoundTrack = playsSoundTrack(stream, playlists);
    const snapshot = snapshotOfPlaylist(stream, kind, draft, { uploads, hasSoundTrack, seed: anySeed });
    const timeline = live[kind];
    if (itemsPlayed(snapshot).length === 0 || timeline.length === 0) continue;
    const offsetSeconds = nextBoundarySeconds(stream, timeline, now);
    const kept = timeline.filter((entry) => entry.number === 0 || entry.offsetSeconds < offsetSeconds);
    const entry = { number: kept.at(-1)!.number + 1, offsetSeconds, playlistID, snapshot };
    planned[kind] = [...kept, entry];
  }
  return planned;
}

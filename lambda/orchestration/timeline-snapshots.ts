// Makes snapshots of what a stream plays, which need no further look-ups.
import type { Track } from '../data/timelines.ts';
import type { Stream } from '../data/streams.ts';
import { contentFacts } from '../data/uploads.ts';
import type { Upload } from '../data/uploads.ts';
import { framingOf } from '../domain/look.ts';
import type { ItemLook } from '../domain/look.ts';
import { imageDurationSeconds } from '../domain/play-out.ts';
import type { TimelineItem, TimelineSnapshot } from '../domain/play-out.ts';
import type { PlaylistItem, PlaylistSpec } from '../domain/playlist-edits.ts';
import { withPictureJoins } from '../domain/picture-joins.ts';
import { withSoundUnder } from '../domain/sound-under.ts';
import { withJoins } from '../domain/sound-joins.ts';
import { isPlayable } from '../domain/readiness.ts';
import { uploadFacts } from './stream-parts.ts';
import type { StreamParts } from './stream-parts.ts';

/**
 * A still image that is a stream's only picture is shown in laps of this length. Viewers see no cut between laps; the
 * length only limits how long one encoding process runs.
 */
const stillLapSeconds = 3600;

export interface TrackSnapshot {
  readonly track: Track;
  readonly playlistID: string | null;
  readonly snapshot: TimelineSnapshot;
}

/** The snapshots that a run begins with: one of pictures, and one of sound where the stream names other sound. */
export function snapshotsOf(parts: StreamParts, seed: number): TrackSnapshot[] {
  return (['video', 'audio'] as const).flatMap((track): TrackSnapshot[] => {
    const playlist = parts.playlists.find((candidate) => candidate?.kind === track);
    if (playlist) {
      const snapshot = snapshotOfPlaylist(parts.stream, track, playlist.live!, { uploads: parts.uploads, seed });
      return [{ track, playlistID: playlist.id, snapshot }];
    }
    const uploadID = track === 'video' ? parts.stream.video_upload_id : parts.stream.audio_upload_id;
    const upload = uploadID === null ? undefined : parts.uploads.get(uploadID);
    if (!upload) return [];
    const item = { ...timelineItem(upload.id, upload, stillLapSeconds), ...framed(parts.stream, track, upload) };
    return [
      { track, playlistID: null, snapshot: { mode: 'sequential', seed, items: joined(parts.stream, track, [item]) } },
    ];
  });
}

/** The playable items of a playlist. Items whose upload has failed, is gone or has no such track are left out. */
export function snapshotOfPlaylist(
  stream: JoiningStream,
  track: Track,
  spec: PlaylistSpec,
  { uploads, seed }: { readonly uploads: ReadonlyMap<string, Upload>; readonly seed: number },
): TimelineSnapshot {
  const items = spec.items.flatMap(({ id, uploadID, sound, join, under, look }) => {
    const upload = uploads.get(uploadID);
    if (!upload || !isPlayable(uploadFacts(upload), track)) return [];
    const own = {
      ...(sound && { sound }),
      ...ownJoinOf(track, { join, look }),
      ...(track === 'video' && under && { ownUnder: under }),
      ...framed(stream, track, upload, look),
    };
    return [{ ...timelineItem(id, upload, imageDurationSeconds), ...own }];
  });
  return { mode: spec.mode, seed, items: joined(stream, track, items) };
}

/** What decides how items follow one another, and what is heard under what. */
type JoiningStream = Pick<Stream, 'sound' | 'look' | 'stream_backend'>;

/**
 * Items as they are played by what a stream says now. Those of a sound track are joined by what is said of sound; those
 * of pictures, with their own sound, by the look. What is mixed all the time is not prepared.
 * @param items without anything of that
 */
export function joined(
  { sound, look, stream_backend: backend }: JoiningStream,
  track: Track,
  items: readonly TimelineItem[],
) {
  if (track === 'audio') return withJoins(items, sound?.join);
  const shown = backend === 'manifest' ? items : withSoundUnder(items, sound?.under);
  return withPictureJoins(shown, look?.join);
}

function ownJoinOf(track: Track, { join, look }: Pick<PlaylistItem, 'join' | 'look'>): Pick<TimelineItem, 'ownJoin'> {
  const ownJoin = track === 'audio' ? join : look?.join;
  return ownJoin ? { ownJoin } : {};
}

function framed(
  { look }: Pick<Stream, 'look'>,
  track: Track,
  upload: Upload,
  own?: ItemLook,
): Pick<TimelineItem, 'framing'> {
  const framing = track === 'video' ? framingOf(own, look, sizeOf(upload)) : undefined;
  return framing === undefined ? {} : { framing };
}

/** Null where it is not known. */
export function sizeOf({ width, height }: Pick<Upload, 'width' | 'height'>) {
  return width === null || height === null ? null : { width, height };
}

function timelineItem(itemID: string, upload: Upload, imageSeconds: number): TimelineItem {
  const facts = contentFacts(upload);
  return {
    itemID,
    uploadID: upload.id,
    name: upload.name,
    ...(Object.keys(upload.titles).length > 0 && { titles: upload.titles }),
    ...(upload.content_hash !== null && { contentHash: upload.content_hash }),
    objectKey: upload.object_key,
    ...facts,
    ...(upload.decode_cost !== null && { decodeCost: upload.decode_cost }),
    durationSeconds: facts.durationSeconds ?? imageSeconds,
  };
}

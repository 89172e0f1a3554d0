// Makes snapshots of the items of a stream, which play without further queries.
import type { Playlist } from '../../data/playout/playlists.ts';
import type { Timelines, Track } from '../../data/playout/timelines.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { contentFacts } from '../../data/media/uploads.ts';
import type { PartUpload } from '../../data/streams/stream-parts.ts';
import { wholeDrawing, withNext } from '../../domain/playout/drawings.ts';
import type { DrawnItem } from '../../domain/playout/drawings.ts';
import { canBeLogo } from '../../domain/readiness/logo-readiness.ts';
import { framingOf } from '../../domain/playout/look.ts';
import type { ItemLook } from '../../domain/playout/look.ts';
import { imageDurationSeconds } from '../../domain/playout/play-out.ts';
import type { TimelineItem, TimelineOverlays, TimelineSnapshot } from '../../domain/playout/play-out.ts';
import type { PlaylistItem, PlaylistSpec } from '../../domain/playout/playlist-edits.ts';
import { joinWithin, trackJoins, withJoin, withJoins, withPictureJoins } from '../../domain/playout/item-joins.ts';
import type { ShownStinger } from '../../domain/playout/item-joins.ts';
import { withSoundUnder } from '../../domain/playout/sound-under.ts';
import { entriesOfRows, factsOfRow } from '../../domain/programme/planned-entries.ts';
import type { PlannedRow } from '../../domain/programme/planned-row.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import { isPlayable } from '../../domain/readiness/readiness.ts';
import { canBeStinger } from '../../domain/playout/stinger.ts';
import type { ItemFormat } from '../../domain/playout/rendition.ts';
import { drawingName, variantsOf } from '../../domain/playout/drawing-names.ts';
import { logoFacts, stingerFacts } from '../streams/look-parts.ts';
import { playsSoundTrack } from '../streams/stream-parts.ts';
import { uploadFacts } from '../shared/upload-facts.ts';
import type { StreamParts } from '../streams/stream-parts.ts';

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

/** The first snapshots of a run: one of pictures, and one of sound if the stream has a sound track. */
export function snapshotsOf(parts: StreamParts, seed: number): TrackSnapshot[] {
  const hasSoundTrack = playsSoundTrack(parts.stream, parts.playlists);
  return (['video', 'audio'] as const).flatMap((track): TrackSnapshot[] => {
    const having = { uploads: parts.uploads, hasSoundTrack, seed };
    const planned = parts.programmes.find(({ programme }) => programme.kind === track);
    if (planned) {
      const [first = []] = entriesOfRows(planned.rows, framesPerSecond[parts.format.framerate]);
      return [{ track, playlistID: null, snapshot: snapshotOfRows(parts.stream, track, first, having) }];
    }
    const playlist = parts.playlists.find((candidate) => candidate?.kind === track);
    if (playlist) {
      const snapshot = snapshotOfPlaylist(parts.stream, track, playlist.live!, having);
      return [{ track, playlistID: playlist.id, snapshot }];
    }
    const uploadID = track === 'video' ? parts.stream.video_upload_id : parts.stream.audio_upload_id;
    const upload = uploadID === null ? undefined : parts.uploads.get(uploadID);
    if (!upload) return [];
    const overlays = track === 'video' ? overlaysOf(parts.stream, parts.uploads, hasSoundTrack) : null;
    const plain = timelineItem(upload.id, upload, stillLapSeconds);
    const look = track === 'video' ? shownAs(parts.stream, overlays, upload, plain) : {};
    const items = joined(parts.stream, track, { items: [{ ...plain, ...look }], mode: 'sequential' }, parts.uploads);
    const snapshot = { mode: 'sequential', seed, items, ...(overlays && { overlays }) } as const;
    return [{ track, playlistID: null, snapshot }];
  });
}

/** The timelines of a run that begins with these snapshots. */
export function timelinesOfSnapshots(snapshots: readonly TrackSnapshot[]): Timelines {
  const entriesOf = (wanted: Track) =>
    snapshots.flatMap(({ track, playlistID, snapshot }) =>
      track === wanted ? [{ number: 0, offsetSeconds: 0, playlistID, snapshot }] : [],
    );
  return { video: entriesOf('video'), audio: entriesOf('audio') };
}

/** The playlist with its changed draft as its live version: a start plays drafts, and publishes those that changed. */
export function withLiveDraft(playlist: Playlist, now: Date): Playlist {
  if (playlist.draft.items.length === 0 || playlist.live?.version === playlist.version) return playlist;
  return { ...playlist, live: { ...playlist.draft, version: playlist.version, publishedAt: now.toISOString() } };
}

export interface SnapshotOptions {
  readonly uploads: ReadonlyMap<string, PartUpload>;
  /** From `playsSoundTrack`. */
  readonly hasSoundTrack: boolean;
  readonly seed: number;
}

/** The playable items of a playlist, without items whose upload failed, was deleted or has no such track. */
export function snapshotOfPlaylist(
  stream: JoiningStream,
  track: Track,
  spec: PlaylistSpec,
  { uploads, hasSoundTrack, seed }: SnapshotOptions,
): TimelineSnapshot {
  const { items, overlays } = unjoined(stream, track, spec, { uploads, hasSoundTrack });
  return {
    mode: spec.mode,
    seed,
    ...(spec.mode === 'shuffle' && { isSpread: true }),
    items: joined(stream, track, { items, mode: spec.mode }, uploads),
    ...(overlays && { overlays }),
  };
}

/**
 * The rows that a programme has planned, without those whose upload was deleted meanwhile. They have the joins that the
 * planner has left room for. Decision D282.
 */
export function snapshotOfRows(
  stream: JoiningStream,
  track: Track,
  rows: readonly PlannedRow[],
  { uploads, hasSoundTrack, seed }: SnapshotOptions,
): TimelineSnapshot {
  const playable = rows.filter(({ item }) => isPlayable(uploadFacts(uploads.get(item.uploadID)), track));
  const listed = playable.map(({ item: { uploadID } }) => ({ id: uploadID, uploadID }));
  const spec = { mode: 'sequential', items: listed } as const;
  const { items, overlays } = unjoined(stream, track, spec, { uploads, hasSoundTrack });
  const mixed = track === 'video' ? withSoundUnder(items, stream.sound?.under) : items;
  const joins = trackJoins(track, stream, stingerOf(stream.look, uploads));
  const joinedItems = mixed.map((item, index) => {
    const { joinSeconds } = playable[index]!;
    return joinSeconds === undefined ? item : withJoin(item, joinWithin(item, joinSeconds, joins));
  });
  const places = new Map<string, number>();
  const order = joinedItems.map((item) => {
    const key = JSON.stringify(item);
    if (!places.has(key)) places.set(key, places.size);
    return places.get(key)!;
  });
  return {
    mode: 'sequential',
    seed,
    items: [...places.values()].map((place) => joinedItems[order.indexOf(place)]!),
    order,
    ...(overlays && { overlays }),
    planned: playable.map(factsOfRow),
    ...(playable.some(({ part }) => part) && { parts: playable.map(({ part }) => part ?? null) }),
  };
}

/** The playable items of a list, each with its look and without joins, and the overlays over them. */
function unjoined(
  stream: JoiningStream,
  track: Track,
  spec: PlaylistSpec,
  { uploads, hasSoundTrack }: Omit<SnapshotOptions, 'seed'>,
): { readonly items: TimelineItem[]; readonly overlays: TimelineOverlays | null } {
  const overlays = track === 'video' ? overlaysOf(stream, uploads, hasSoundTrack) : null;
  const playable = spec.items.filter(({ uploadID }) => isPlayable(uploadFacts(uploads.get(uploadID)), track));
  const plain = playable.map(({ id, uploadID, sound, join, under, look }) => ({
    ...listedItem(id, uploads.get(uploadID)!),
    ...(sound && { sound }),
    ...ownJoinOf(track, { join, look }),
    ...(track === 'video' && under && { ownUnder: under }),
  }));
  const drawn = withNext(plain, spec.mode);
  const items = plain.map((item, index) => {
    if (track === 'audio') return item;
    const { look } = playable[index]!;
    return { ...item, ...shownAs(stream, overlays, uploads.get(item.uploadID)!, drawn[index]!, look) };
  });
  return { items, overlays };
}

/** The settings for joins and for sound under a sound track. */
type JoiningStream = Pick<Stream, 'sound' | 'look'>;

/**
 * Adds the joins of a stream's settings to items. A sound track uses the joins of the sound settings; pictures with
 * their own sound use those of the look.
 * @param items without joins
 * @param uploads by id, with the one of the stinger
 */
export function joined(
  { sound, look }: JoiningStream,
  track: Track,
  { items, mode }: Pick<TimelineSnapshot, 'items' | 'mode'>,
  uploads: ReadonlyMap<string, PartUpload>,
) {
  if (track === 'audio') return withJoins(items, sound?.join, mode);
  return withPictureJoins(withSoundUnder(items, sound?.under), look?.join, stingerOf(look, uploads), mode);
}

/** The stinger of a stream; null: none that can be played. */
function stingerOf(look: Stream['look'], uploads: ReadonlyMap<string, PartUpload>): ShownStinger | null {
  if (!look?.stinger) return null;
  const { uploadID, cutSeconds } = look.stinger;
  const upload = uploads.get(uploadID);
  if (!upload || !canBeStinger(stingerFacts(upload, cutSeconds))) return null;
  const { durationSeconds, hasAudio, dynamicRange, reading } = contentFacts(upload);
  const stinger = {
    uploadID,
    objectKey: upload.object_key,
    contentHash: upload.content_hash!,
    durationSeconds: durationSeconds!,
    hasAudio,
    videoCodec: upload.video_codec!,
    ...(dynamicRange && dynamicRange !== 'sdr' && { dynamicRange }),
    ...(reading && { reading }),
  };
  return { seconds: cutSeconds, stinger };
}

function ownJoinOf(track: Track, { join, look }: Pick<PlaylistItem, 'join' | 'look'>): Pick<TimelineItem, 'ownJoin'> {
  const ownJoin = track === 'audio' ? join : look?.join;
  return ownJoin ? { ownJoin } : {};
}

/** The format of the pictures of an upload. @param own the look of its item */
export function shownAs(
  { look }: Pick<Stream, 'look'>,
  overlays: TimelineOverlays | null,
  upload: PartUpload,
  item: DrawnItem,
  own?: ItemLook,
): ItemFormat {
  const framing = framingOf(own, look, sizeOf(upload));
  return { ...(framing !== undefined && { framing }), ...drawnOver(overlays, item) };
}

/** The drawings over the pictures of an item. */
export function drawnOver(overlays: TimelineOverlays | null, item: DrawnItem): Pick<ItemFormat, 'drawn' | 'variants'> {
  const whole = wholeDrawing(overlays);
  const variants = overlays ? variantsOf(overlays, item).map(({ name }) => name) : [];
  return { ...(whole && { drawn: drawingName(whole) }), ...(variants.length > 0 && { variants }) };
}

/** The overlays over the pictures of a stream, without those whose upload was deleted; null: none. */
export function overlaysOf(
  { look }: Pick<Stream, 'look'>,
  uploads: ReadonlyMap<string, PartUpload>,
  hasSoundTrack: boolean,
): TimelineOverlays | null {
  if (!look?.overlays) return null;
  const { logo: wanted, title: wantedTitle, next: wantedNext = null, captions, clock, ticker, theme } = look.overlays;
  const image = wanted && uploads.get(wanted.uploadID);
  const [logo, logoKey] = image && canBeLogo(logoFacts(image)) ? [wanted, image.object_key] : [null, null];
  const others = { ...(captions && { captions }), ...(clock && { clock }), ...(ticker && { ticker }) };
  if (!logo && !wantedTitle && !wantedNext && Object.keys(others).length === 0) return null;
  const texts = { title: wantedTitle, next: wantedNext, ...others, theme };
  return { logo, logoKey, ...texts, ...(hasSoundTrack && (wantedTitle || wantedNext) && { ofSound: true }) };
}

/** Null: unknown. */
function sizeOf({ width, height }: Pick<PartUpload, 'width' | 'height'>) {
  return width === null || height === null ? null : { width, height };
}

/** The captions of an upload, in the form of an item. */
export function captionsOf({ captions }: Pick<PartUpload, 'captions'>): Pick<TimelineItem, 'captions'> {
  return captions ? { captions: captions.hash } : {};
}

/** The order of an upload, in the form of an item. */
function orderOf({ order_reference: reference, advertiser }: PartUpload): Pick<TimelineItem, 'order'> {
  return reference === null ? {} : { order: { reference, advertiser } };
}

/** An item among others: an image is shown for its own time. */
function listedItem(itemID: string, upload: PartUpload): TimelineItem {
  return timelineItem(itemID, upload, upload.show_seconds ?? imageDurationSeconds);
}

function timelineItem(itemID: string, upload: PartUpload, imageSeconds: number): TimelineItem {
  const facts = contentFacts(upload);
  return {
    itemID,
    uploadID: upload.id,
    name: upload.name,
    ...(Object.keys(upload.titles).length > 0 && { titles: upload.titles }),
    ...captionsOf(upload),
    ...(upload.content_hash !== null && { contentHash: upload.content_hash }),
    objectKey: upload.object_key,
    ...facts,
    ...(upload.decode_cost !== null && { decodeCost: upload.decode_cost }),
    durationSeconds: facts.durationSeconds ?? imageSeconds,
    ...orderOf(upload),
  };
}

// Loads the facts that decide the next step of a stream's mirror. The stream is locked.
import { createHash } from 'node:crypto';
import type { OpenBroadcastRow } from '../data/channels/broadcast-work.ts';
import type { LeasedConnection } from '../data/channels/connection-leases.ts';
import type { MirrorDatabase } from '../data/mirror-database.ts';
import type { ManagedSettings } from '../data/channels/managed-settings.ts';
import type { MirrorIntent } from '../data/channels/mirror-intents.ts';
import type { PlatformIngest } from '../data/channels/platform-ingests.ts';
import { formatOfRun } from '../data/streams/streams.ts';
import type { Stream } from '../data/streams/streams.ts';
import type { Upload } from '../data/media/uploads.ts';
import { dueAt, rotationOf } from '../domain/channels/broadcast-rotation.ts';
import { wishOf } from '../domain/channels/mirror.ts';
import type { MirrorFacts } from '../domain/channels/mirror.ts';
import { framesPerSecond } from '../domain/shared/video-format.ts';
import { elapsedSecondsOf } from '../domain/streams/run-clock.ts';
import { hashOfSettings } from './broadcast-draft.ts';
import { playingOf, titleItemOf } from './playing-item.ts';
import type { PlayingItem } from './playing-item.ts';
import type { Locked } from '../data/shared/locked.ts';

export interface Mirror {
  readonly stream: Stream;
  readonly connection: LeasedConnection;
  readonly intent: MirrorIntent;
  /** Null unless the stream uses settings of this connection. */
  readonly settings: ManagedSettings | null;
  readonly ingest: PlatformIngest | null;
  /** Null if there is none, or platforms do not accept its upload. */
  readonly thumbnail: Upload | null;
  /** The current item; null unless the title names it. */
  readonly playing: PlayingItem | null;
  readonly facts: MirrorFacts<OpenBroadcastRow>;
}

/** The media types that platforms accept as thumbnails. */
const thumbnailTypes = new Set(['image/jpeg', 'image/png']);
const thumbnailBytes = 10 * 1024 * 1024;

/** @returns null if no generation of the stream is due, or another connection has to work it */
export async function loadMirror(
  data: MirrorDatabase,
  {
    stream,
    connection,
    hasBroadcasts,
  }: { stream: Locked<Stream>; connection: LeasedConnection; hasBroadcasts: boolean },
  now: Date,
): Promise<Mirror | null> {
  const intent = await data.mirrorWork.dueOf(stream, connection.id, now);
  if (!intent) return null;
  const { managed_settings_id: settingsID } = stream;
  const named =
    stream.stream_destination === 'managed' && settingsID !== null
      ? await data.managedSettings.find(stream.user_id, settingsID)
      : null;
  const settings = named?.connection_id === connection.id ? named : null;
  const wish = wishOf(stream, settings !== null);
  const broadcasts = await data.broadcastWork.openOf(stream.id, connection.id);
  const ingest = await data.platformIngests.find(stream.id);
  const thumbnail = settings && (await thumbnailOf(data, settings));
  const isTitledByItem = settings?.title_template.includes('{item}') && !hasBroadcasts && wish.kind === 'live';
  const playing = isTitledByItem ? await playingOf(data, stream, now) : null;
  const facts = {
    now,
    wish,
    since: intent.created_at,
    hasBroadcasts,
    hasIngest: ingest?.connection_id === connection.id,
    broadcasts,
    describedHash: settings === null ? '' : hashOfSettings(settings, stream),
    thumbnailUploadID: thumbnail?.id ?? null,
    item: playing && titleItemOf(playing),
    rotation: await rotationOfStream(data, { stream, settings, broadcasts }),
  };
  return { stream, connection, intent, settings, ingest, thumbnail, playing, facts };
}

async function thumbnailOf(data: MirrorDatabase, settings: ManagedSettings): Promise<Upload | null> {
  const { user_id: userID, thumbnail_upload_id: id } = settings;
  const upload = id === null ? null : await data.uploads.find(userID, id);
  const isTaken =
    upload?.uploaded && thumbnailTypes.has(upload.mime_type) && (upload.size_bytes ?? Infinity) <= thumbnailBytes;
  return isTaken ? upload : null;
}

async function rotationOfStream(
  data: MirrorDatabase,
  { stream, settings, broadcasts }: Pick<Mirror, 'stream' | 'settings'> & Pick<Mirror['facts'], 'broadcasts'>,
): Promise<MirrorFacts['rotation']> {
  const live = broadcasts.find(({ phase, live_at: liveAt }) => phase === 'live' && liveAt !== null);
  if (!settings || settings.rotate_after_minutes === null || !live) return null;
  const interval = {
    liveAt: live.live_at!,
    afterMinutes: settings.rotate_after_minutes,
    spread: createHash('sha256').update(live.id).digest().readUInt32BE() / 2 ** 32,
  };
  const fromSeconds = elapsedSecondsOf(stream.anchored_at, dueAt(interval));
  // The stream is locked: only what is in force at the due time is read, as later entries do not move its boundary.
  const timeline = await data.timelines.outlineOf(stream.id, 'video', { fromSeconds, toSeconds: fromSeconds });
  return rotationOf({
    ...interval,
    timeline,
    anchoredAt: stream.anchored_at,
    framesPerSecond: framesPerSecond[formatOfRun(stream).framerate],
  });
}

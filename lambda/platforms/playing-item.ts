// The current item of a stream for its title, and the time of the next change.
import { createHash } from 'node:crypto';
import type { MirrorDatabase } from '../data/mirror-database.ts';
import { formatOfRun } from '../data/streams/streams.ts';
import type { Stream } from '../data/streams/streams.ts';
import { lineOfUpload } from '../domain/playout/item-title.ts';
import { titlePlaylistOf } from '../domain/channels/broadcast-title.ts';
import type { TitleItem } from '../domain/channels/mirror.ts';
import { occurrenceAt } from '../domain/playout/play-out.ts';
import { elapsedSecondsOf } from '../domain/streams/run-clock.ts';
import { framesPerSecond } from '../domain/shared/video-format.ts';

/** The interval of checks until the start of the run is known. */
const unanchoredSeconds = 30;

export interface PlayingItem {
  /** The name for viewers. */
  readonly name: string;
  readonly endsAt: Date;
}

/** @param stream that is live */
export async function playingOf(data: MirrorDatabase, stream: Stream, now: Date): Promise<PlayingItem> {
  const elapsedSeconds = elapsedSecondsOf(stream.anchored_at, now);
  const time = { fromSeconds: elapsedSeconds, toSeconds: elapsedSeconds };
  const audio = await data.timelines.outlineOf(stream.id, 'audio', time);
  const playsSongs = audio.some(({ playlistID, snapshot }) => playlistID !== null || snapshot.planned !== undefined);
  const timeline = playsSongs ? audio : await data.timelines.outlineOf(stream.id, 'video', time);
  if (stream.anchored_at === null || timeline.length === 0)
    return { name: await firstItemOf(data, stream), endsAt: new Date(now.getTime() + unanchoredSeconds * 1000) };
  const rate = framesPerSecond[formatOfRun(stream).framerate];
  const anchorMs = stream.anchored_at.getTime();
  const frame = Math.max(0, Math.floor(((now.getTime() - anchorMs) / 1000) * rate));
  const { item, startFrame, frameCount } = occurrenceAt(timeline, frame, rate);
  const endsAt = new Date(anchorMs + Math.ceil(((startFrame + frameCount) / rate) * 1000));
  return { name: await nameOf(data, stream, item.uploadID), endsAt };
}

/** The name of the first item of the playlist that titles name, live or else drafted. */
export async function firstItemOf(data: MirrorDatabase, stream: Stream): Promise<string> {
  const playlists = await data.playlists.findMany(stream.user_id, stream.playlist_ids);
  const playlist = titlePlaylistOf(playlists);
  const [first] = (playlist?.live ?? playlist?.draft)?.items ?? [];
  return nameOf(data, stream, playlist ? first?.uploadID : stream.video_upload_id);
}

export function titleItemOf({ name, endsAt }: PlayingItem): TitleItem {
  return { hash: createHash('sha256').update(name).digest('hex').slice(0, 16), changesAt: endsAt };
}

async function nameOf(data: MirrorDatabase, stream: Stream, uploadID: string | null | undefined): Promise<string> {
  const upload = uploadID ? await data.uploads.find(stream.user_id, uploadID) : null;
  return upload ? lineOfUpload(upload) : '';
}

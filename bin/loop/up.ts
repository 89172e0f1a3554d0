// `loop up FOLDER`: from the files of a folder to a live stream. Run again, it continues, and adds what is new.
import { basename, resolve } from 'node:path';
import type { Playlist, Stream, Upload } from '../../lambda/web/app/types.ts';
import type { Client } from './client.ts';
import { LoopFailure } from './failure.ts';
import { readMediaFolder, sortTracks } from './media-folder.ts';
import type { MediaFile, TrackKind } from './media-folder.ts';
import { findDestination } from './named-things.ts';
import type { Target } from './named-things.ts';
import { startAndWait } from './on-air.ts';
import { sendFile, untilExamined } from './send-file.ts';
import { mebibytes, percent } from './terminal.ts';
import type { Printer } from './terminal.ts';

export interface SendAllOptions {
  /** The folder of the uploads under way. */
  readonly uploadsFolder: string;
  /** Longest wait for the examination of each file, and for each later state. */
  readonly timeoutSeconds: number;
  readonly printer: Printer;
}

export interface UpOptions extends Target, SendAllOptions {
  readonly folder: string;
  /** Name of the stream; undefined: the folder's. */
  readonly name: string | undefined;
  readonly backend: 'ffmpeg' | 'manifest' | undefined;
  readonly quality: string | undefined;
  /** False: the stream is made, and not started. */
  readonly start: boolean;
}

const filesAtOnce = 3;

/** @throws {LoopFailure} */
export async function up(client: Client, options: UpOptions): Promise<Stream> {
  const files = await readMediaFolder(options.folder);
  if (sortTracks(files, ({ mimeType }) => mimeType).video.length === 0)
    throw new LoopFailure('usage', `${options.folder} has sound, but no video or picture to show with it. Add one.`);
  const destination = await findDestination(client, options);
  const uploads = await sendAll(client, files, options);
  const stream = await findOrMake(client, destination.id, options);
  const tracks = sortTracks(uploads, ({ type }) => type);
  await setTrack(client, stream, 'video', tracks.video);
  await setTrack(client, stream, 'audio', tracks.audio);
  if (!options.start) return await client.call<Stream>('GET', `/streams/${stream.id}`);
  return await startAndWait(client, stream.id, options);
}

/** Sends files, some at the same time, and waits until each is examined. */
export async function sendAll(
  client: Client,
  files: readonly MediaFile[],
  { uploadsFolder, timeoutSeconds, printer }: SendAllOptions,
): Promise<readonly Upload[]> {
  const sent = new Map<MediaFile, number>();
  const uploads = new Map<MediaFile, Upload>();
  const all = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const report = () => {
    const arrived = [...sent.values()].reduce((sum, bytes) => sum + bytes, 0);
    const share = `${mebibytes(arrived)} of ${mebibytes(all)}, ${percent(arrived / all)}`;
    printer.progress(`Uploading ${files.length} files: ${share}, ${uploads.size} examined`);
  };
  const next = files.values();
  const lane = async () => {
    for (const file of next) {
      const onProgress = (bytes: number) => {
        sent.set(file, bytes);
        report();
      };
      const id = await sendFile(file, { client, folder: uploadsFolder, onProgress });
      onProgress(file.bytes);
      uploads.set(file, await untilExamined(client, id, timeoutSeconds));
      report();
    }
  };
  await Promise.all(Array.from({ length: filesAtOnce }, lane));
  printer.settle();
  return files.map((file) => uploads.get(file)!);
}

/** The stream of this name, so that a run that was interrupted is continued; else a new one. */
async function findOrMake(client: Client, destinationID: string, options: UpOptions): Promise<Stream> {
  const name = options.name ?? basename(resolve(options.folder));
  const same = (await client.all<Stream>(`/streams?q=${encodeURIComponent(name)}`)).filter(
    (each) => each.name === name,
  );
  if (same.length > 1) throw new LoopFailure('usage', `Several streams are named ${name}. Choose another --name.`);
  const settings = {
    destinationID,
    ...(options.backend && { streamBackend: options.backend }),
    ...(options.quality && { quality: options.quality }),
  };
  const [stream] = same;
  if (!stream) return await client.call<Stream>('POST', '/streams', { name, ...settings });
  const differs = Object.entries(settings).some(([field, value]) => stream[field as keyof Stream] !== value);
  return differs ? await client.call<Stream>('PATCH', `/streams/${stream.id}`, settings) : stream;
}

/** One picture loops by itself; several pictures, and songs, are a playlist. The page does the same. */
async function setTrack(client: Client, stream: Stream, kind: TrackKind, uploads: readonly Upload[]): Promise<void> {
  const playlists = await client.all<Playlist>(`/playlists?streamID=${stream.id}`);
  const existing = playlists.find((playlist) => playlist.kind === kind && stream.playlistIDs.includes(playlist.id));
  const [first] = uploads;
  if (!first) return;
  if (kind === 'video' && uploads.length === 1 && !existing) {
    if (stream.videoUploadObjectID !== first.id)
      await client.call('PATCH', `/streams/${stream.id}`, { videoUploadObjectID: first.id });
    return;
  }
  const mode = kind === 'audio' ? 'shuffle' : 'sequential';
  const playlist = existing ?? (await client.call<Playlist>('POST', '/playlists', { streamID: stream.id, kind, mode }));
  const listed = new Set(playlist.draft.items.map(({ uploadID }) => uploadID));
  const added = uploads.filter(({ id }) => !listed.has(id));
  if (added.length === 0) return;
  const operations = added.map(({ id }) => ({ op: 'add', uploadID: id }));
  await client.call('POST', `/playlists/${playlist.id}/operations`, { operations });
  if (existing && stream.status === 'ACTIVE') await client.call('POST', `/playlists/${playlist.id}/publish`);
}

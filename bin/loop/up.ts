// `loop up FOLDER`: from the files of a folder to a live stream. Run again, it continues, and adds what is new.
import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Destination, Playlist, Stream, Upload } from '../../lambda/web/app/types.ts';
import { LoopFailure } from './failure.ts';
import { startAndWait, stateLine } from './on-air.ts';
import { readMediaFolder, sendAll, sortTracks } from './send-files.ts';
import { pick } from './session.ts';
import type { Session } from './session.ts';
import { askSecret } from './terminal.ts';

export interface UpOptions {
  /** Name, id, platform or address of a destination; undefined: the only one. */
  readonly to?: string;
  /** File with the stream key of a new address. */
  readonly streamKeyFile?: string;
  /** Name of the stream; undefined: the folder's. */
  readonly name?: string;
  readonly backend?: 'ffmpeg' | 'manifest';
  readonly quality?: NonNullable<Stream['quality']>;
  /** False: the stream is made, and not started. */
  readonly start: boolean;
}

/** @throws {LoopFailure} */
export async function up(session: Session, folder: string, options: UpOptions): Promise<void> {
  const files = await readMediaFolder(folder);
  if (sortTracks(files, ({ mimeType }) => mimeType).video.length === 0)
    throw new LoopFailure('usage', `${folder} has sound, but no video or picture to show with it. Add one.`);
  const destination = await findDestination(session, options);
  const uploads = await sendAll(session, files);
  const made = await findOrMake(session, options.name ?? basename(resolve(folder)), {
    destinationID: destination.id,
    ...(options.backend && { streamBackend: options.backend }),
    ...(options.quality && { quality: options.quality }),
  });
  const tracks = sortTracks(uploads, ({ type }) => type);
  await setTrack(session, made, 'video', tracks.video);
  await setTrack(session, made, 'audio', tracks.audio);
  const { id } = made;
  const stream = options.start
    ? await startAndWait(session, id)
    : await session.client.call<Stream>('GET', `/streams/${id}`);
  session.printer.answer(stream, { lines: [stateLine(stream), `Follow it: loop tail ${id}`] });
}

/** The stream of this name, so that a run that was interrupted is continued; else a new one. */
async function findOrMake({ client }: Session, name: string, settings: Partial<Stream>): Promise<Stream> {
  const similar = await client.all<Stream>(`/streams?q=${encodeURIComponent(name)}`);
  const [stream, ...others] = similar.filter((each) => each.name === name);
  if (others.length > 0) throw new LoopFailure('usage', `Several streams are named ${name}. Choose another --name.`);
  if (!stream) return await client.call<Stream>('POST', '/streams', { name, ...settings });
  const differs = Object.entries(settings).some(([field, value]) => stream[field as keyof Stream] !== value);
  return differs ? await client.call<Stream>('PATCH', `/streams/${stream.id}`, settings) : stream;
}

/** One picture loops by itself; several pictures, and songs, are a playlist. The page does the same. */
async function setTrack({ client }: Session, stream: Stream, kind: Playlist['kind'], uploads: readonly Upload[]) {
  const [first] = uploads;
  if (!first) return;
  const playlists = await client.all<Playlist>(`/playlists?streamID=${stream.id}`);
  const existing = playlists.find((playlist) => playlist.kind === kind && stream.playlistIDs.includes(playlist.id));
  if (kind === 'video' && uploads.length === 1 && !existing) {
    if (stream.videoUploadObjectID !== first.id)
      await client.call('PATCH', `/streams/${stream.id}`, { videoUploadObjectID: first.id });
    return;
  }
  const mode = kind === 'audio' ? 'shuffle' : 'sequential';
  const playlist = existing ?? (await client.call<Playlist>('POST', '/playlists', { streamID: stream.id, kind, mode }));
  const listed = new Set(playlist.draft.items.map(({ uploadID }) => uploadID));
  const operations = uploads.filter(({ id }) => !listed.has(id)).map(({ id }) => ({ op: 'add', uploadID: id }));
  if (operations.length === 0) return;
  await client.call('POST', `/playlists/${playlist.id}/operations`, { operations });
  if (existing && stream.status === 'ACTIVE') await client.call('POST', `/playlists/${playlist.id}/publish`);
}

/** A destination that exists, or a new one for an address. @throws {LoopFailure} */
async function findDestination(session: Session, { to, streamKeyFile }: UpOptions): Promise<Destination> {
  const { client, environment } = session;
  const key = environment['LOOP_STREAM_KEY'];
  const all = await client.all<Destination>('/destinations');
  if (/^\w+:\/\//.test(to ?? '')) {
    const same = all.find(({ url, rtmpURL }) => url === to || rtmpURL === to);
    if (same && streamKeyFile === undefined && key === undefined) return same;
    const name = new URL(to!).host;
    const streamKey = await readStreamKey(streamKeyFile, key);
    return await client.call<Destination>('POST', '/destinations', { name, url: to, streamKey });
  }
  const ofPlatform = all.filter(({ platform }) => platform !== null && platform === to?.toLowerCase());
  return ofPlatform.length === 1 ? ofPlatform[0]! : pick(all, to, 'destination');
}

/** Secrets come from a file, the environment or a question, never from the command line, which shells record. */
async function readStreamKey(path: string | undefined, key: string | undefined): Promise<string> {
  if (path === undefined) return key ?? (await askSecret('Stream key', 'Use --stream-key-file or LOOP_STREAM_KEY.'));
  const content = await readFile(path, 'utf8').catch(() => null);
  if (content === null) throw new LoopFailure('not_found', `There is no file ${path}.`);
  return content.trim();
}

// A new stream while a user puts it together. The first choice creates it, and each one is saved at once.
import { call } from '../app/api.ts';
import { refresh, show } from '../app/live-data.ts';
import { replaceAddress } from '../app/router.tsx';
import type { Page, Playlist, Stream } from '../app/types.ts';
import type { Place } from './where-to.tsx';

export type TrackKind = Playlist['kind'];
export type StreamChanges = Partial<
  Pick<Stream, 'name' | 'videoUploadObjectID' | 'quality' | 'framerate' | 'look' | 'sound'> & Place
>;

/** Makes an empty playlist of a stream: songs are shuffled, and videos play one after the other. */
export function makePlaylist(streamID: string, kind: TrackKind): Promise<Playlist> {
  const mode = kind === 'audio' ? 'shuffle' : 'sequential';
  return call<Playlist>('POST', '/playlists', { streamID, kind, mode });
}

/** Changes are made one after the other, because each one builds on the answer of the one before it. */
export class DraftStream {
  #streamID: string | null;
  #last: Promise<unknown> = Promise.resolve();

  /** @param streamID null: the first choice creates the stream */
  constructor(streamID: string | null) {
    this.#streamID = streamID;
  }

  change(changes: StreamChanges): Promise<void> {
    return this.#inTurn(async () => void (await this.#save(changes)));
  }

  /** Adds a file to the music, or to the pictures. One picture loops; with the second one, they are a playlist. */
  add(kind: TrackKind, uploadID: string): Promise<void> {
    return this.#inTurn(async () => {
      const stream = this.#streamID === null ? await this.#save({}) : await this.#read();
      const { data: playlists } = await call<Page<Playlist>>('GET', `/playlists?limit=100&streamID=${stream.id}`);
      const playlist = playlists.find((each) => each.kind === kind);
      const { videoUploadObjectID: looping } = stream;
      if (kind === 'video' && !playlist && looping === null) {
        await this.#save({ videoUploadObjectID: uploadID });
        return;
      }
      const added = [...(playlist || kind === 'audio' || looping === null ? [] : [looping]), uploadID];
      const operations = added.map((each) => ({ op: 'add', uploadID: each }));
      const { id } = playlist ?? (await makePlaylist(stream.id, kind));
      await call('POST', `/playlists/${id}/operations`, { operations });
      this.#refresh(stream.id);
    });
  }

  /** Takes an item out of a playlist of the stream. */
  take(playlistID: string, itemID: string): Promise<void> {
    return this.#inTurn(async () => {
      await call('POST', `/playlists/${playlistID}/operations`, { operations: [{ op: 'remove', itemID }] });
      if (this.#streamID !== null) this.#refresh(this.#streamID);
    });
  }

  #read(): Promise<Stream> {
    return call<Stream>('GET', `/streams/${this.#streamID}`);
  }

  async #save(changes: StreamChanges): Promise<Stream> {
    const isNew = this.#streamID === null;
    const saved = await (isNew
      ? call<Stream>('POST', '/streams', changes)
      : call<Stream>('PATCH', `/streams/${this.#streamID}`, changes));
    this.#streamID = saved.id;
    show(`/streams/${saved.id}`, saved);
    this.#refresh(saved.id);
    if (isNew) replaceAddress(`/streams/new/${saved.id}`);
    return saved;
  }

  #refresh(streamID: string): void {
    refresh('/streams?');
    refresh('/playlists?');
    refresh(`/streams/${streamID}`);
  }

  #inTurn(act: () => Promise<void>): Promise<void> {
    const done = this.#last.then(act);
    this.#last = done.catch(() => {});
    return done;
  }
}

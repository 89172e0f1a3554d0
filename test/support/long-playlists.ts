// Playlists with the maximum number of items, written directly, because adding them by the API takes minutes.
import type { WithPool } from './database.ts';

const itemCount = 1000;

export interface LongPlaylist {
  readonly id: string;
  readonly userID: string;
  readonly streamID: string;
  /** Whether its draft is also live. */
  readonly isLive: boolean;
}

/** Stores a video playlist of 1,000 items, whose uploads do not exist. */
export async function storeLongPlaylist({ pool }: WithPool, playlist: LongPlaylist): Promise<void> {
  const { id, userID, streamID, isLive } = playlist;
  // Ids are as long as those of the API, so that answers have their maximum length.
  const items = Array.from({ length: itemCount }, (_, index) => ({
    id: `itm_0mwqwb9k12gueecd1cuqh${index + 1}`,
    uploadID: 'upl_0mwqwb9k12gueecd1cuqhagt2',
  }));
  const draft = { mode: 'sequential', items };
  const live = isLive ? { ...draft, version: 1, publishedAt: '2030-01-31T18:00:00Z' } : null;
  await pool().query(
    `insert into playlists (id, user_id, stream_id, kind, draft, live)
     values ($1, $2, $3, 'video', $4, $5)`,
    [id, userID, streamID, JSON.stringify(draft), live && JSON.stringify(live)],
  );
}

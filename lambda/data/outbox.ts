// SQL by which a transaction sends commands: rows that are relayed to their queue after commit.
import type { Queryable } from './queryable.ts';

/** Commands by the queue that carries them. Each is a wake-up or a small task; the truth stays in the rows that it names. */
export type Command =
  | { readonly queue: 'publish-ffmpeg' | 'publish-manifest'; readonly body: { readonly streamID: string } }
  | { readonly queue: 'media'; readonly body: MediaCommand }
  | { readonly queue: 'timers'; readonly body: { readonly streamID: string } };

export type MediaCommand =
  | { readonly task: 'probe_upload'; readonly uploadID: string }
  | { readonly task: 'prepare_upload'; readonly uploadID: string; readonly format: string }
  | { readonly task: 'publish_playlist'; readonly playlistID: string; readonly request: number }
  | { readonly task: 'delete_object'; readonly objectKey: string };

export function outbox(db: Queryable) {
  return {
    send: (command: Command) => db.query('insert into outbox (queue, body) values ($1, $2)', [command.queue, JSON.stringify(command.body)]),
  };
}

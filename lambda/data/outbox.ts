// SQL by which a transaction sends commands: rows that are relayed to their queue after commit.
import type { Queryable } from './queryable.ts';

/** Commands by the queue that carries them. Each is a wake-up or a small task; the truth stays in the rows that it names. */
export type Command =
  | { readonly queue: 'publish-ffmpeg' | 'publish-manifest'; readonly body: { readonly streamID: string } }
  | { readonly queue: 'media'; readonly body: MediaCommand }
  | { readonly queue: 'imports'; readonly body: { readonly uploadID: string } }
  | { readonly queue: 'timers'; readonly body: { readonly streamID: string } }
  | { readonly queue: 'webhooks'; readonly body: WebhookCommand };

export type MediaCommand =
  | { readonly task: 'probe_upload'; readonly uploadID: string }
  /** All of its rendition, or only a `segment` of it that is damaged or gone. */
  | { readonly task: 'prepare_upload'; readonly uploadID: string; readonly format: string; readonly segment?: number }
  | { readonly task: 'publish_playlist'; readonly playlistID: string; readonly request: number }
  | { readonly task: 'delete_object'; readonly objectKey: string; readonly multipartID?: string };

/** Something is due to a webhook, or a notification is to be mailed. */
export type WebhookCommand = { readonly webhookID: string } | { readonly notificationID: number };

export function outbox(db: Queryable) {
  return {
    /** @param afterSeconds not before */
    send: (command: Command, afterSeconds = 0) =>
      db.query('insert into outbox (queue, body, visible_at) values ($1, $2, now() + make_interval(secs => $3))', [
        command.queue,
        JSON.stringify(command.body),
        afterSeconds,
      ]),

    /** Any number of commands of one queue, with one statement. */
    sendAll: async <Queue extends Command['queue']>(
      queue: Queue,
      bodies: readonly Extract<Command, { readonly queue: Queue }>['body'][],
    ): Promise<void> => {
      if (bodies.length === 0) return;
      await db.query('insert into outbox (queue, body) select $1, jsonb_array_elements($2)', [
        queue,
        JSON.stringify(bodies),
      ]);
    },
  };
}

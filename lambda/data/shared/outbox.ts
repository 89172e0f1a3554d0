// SQL of commands that a transaction sends: rows that a relay sends to their queue after the commit.
import { all } from './queryable.ts';
import type { Queryable } from './queryable.ts';

/**
 * Commands by the queue that carries them. Each is a wake-up or a small task; the rows that it names hold the work.
 */
export type Command =
  | { readonly queue: 'publish-ffmpeg' | 'publish-manifest'; readonly body: PublishCommand }
  | { readonly queue: 'media'; readonly body: MediaCommand }
  | { readonly queue: 'imports'; readonly body: { readonly uploadID: string } | { readonly sourceID: string } }
  | { readonly queue: 'timers'; readonly body: { readonly dueBy: string } }
  | { readonly queue: 'webhooks'; readonly body: WebhookCommand }
  | { readonly queue: 'platforms'; readonly body: { readonly connectionID: string } };

/** Replicas of a stream, or the check of a destination, wait for an agent. */
export type PublishCommand = { readonly streamID: string } | { readonly destinationID: string };

export type MediaCommand =
  | { readonly task: 'probe_upload'; readonly uploadID: string; readonly failures?: number }
  | PrepareCommand
  | JoinCommand
  | { readonly task: 'publish_playlist'; readonly playlistID: string; readonly request: number }
  | CaptureCommand
  | { readonly task: 'delete_object'; readonly objectKey: string; readonly multipartID?: string }
  | { readonly task: 'remove_renditions' };

/** `uploadID` decides in whose turn the work is done. */
interface JoinCommand {
  readonly task: 'make_join';
  readonly name: string;
  readonly uploadID: string;
  readonly failures?: number;
}

interface CaptureCommand {
  readonly task: 'capture_frame' | 'capture_posters';
  readonly uploadID: string;
  readonly objectKey: string;
  /** The number of earlier commands for this work that failed on other workers. */
  readonly failures?: number;
}

/** Prepares the whole rendition of an upload, or only a `segment` that is damaged or missing. */
export interface PrepareCommand {
  readonly task: 'prepare_upload';
  readonly uploadID: string;
  /** Absent: not known yet. If the upload is deleted meanwhile, any other with this content is prepared. */
  readonly contentHash?: string;
  readonly format: string;
  readonly segment?: number;
  /** The number of earlier commands for this work that failed on other workers. */
  readonly failures?: number;
}

/**
 * A webhook or an alert channel has something to send, a notification waits to be mailed, or incidents of users whose
 * ids come after `incidents` have signals or are due.
 */
export type WebhookCommand =
  | { readonly webhookID: string }
  | { readonly notificationID: number }
  | { readonly alertChannelID: string }
  | { readonly incidents: string };

/** A command that failed too often and is not retried. */
export interface DeadCommand {
  readonly id: string;
  readonly queue: Command['queue'];
  /** JSON, as it was sent. */
  readonly body: string;
  readonly sentAt: Date;
}

const deadColumns = `id::text, queue, body::text, created_at as "sentAt"`;

export function outbox(db: Queryable) {
  return {
    /** Sends one command. @param afterSeconds the least delay after the commit */
    send: (command: Command, afterSeconds = 0) =>
      db.query('insert into outbox (queue, body, visible_at) values ($1, $2, now() + make_interval(secs => $3))', [
        command.queue,
        JSON.stringify(command.body),
        afterSeconds,
      ]),

    /** Some dead commands of a queue that lives in this table, the oldest first. */
    dead: (queue: Command['queue'], most: number) =>
      all<DeadCommand>(
        db,
        `select ${deadColumns} from outbox where queue = $1 and dead_at is not null order by id limit $2`,
        [queue, most],
      ),

    /** Sends dead commands again, as if they were new. @param ids null: all @returns the commands that were sent */
    revive: (queue: Command['queue'], ids: readonly string[] | null, most: number) =>
      all<DeadCommand>(
        db,
        `update outbox set dead_at = null, receives = 0, receipt = null, visible_at = now()
         where id in (
           select id from outbox
           where queue = $1 and dead_at is not null and ($2::text[] is null or id::text = any ($2))
           order by id limit $3 for update skip locked)
         returning ${deadColumns}`,
        [queue, ids, most],
      ),

    /** Sends any number of commands of one queue with one statement. */
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

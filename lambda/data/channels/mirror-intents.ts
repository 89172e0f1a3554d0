// SQL of the generations of the mirror: each asks the worker to reconcile the platform with a stream.
import type { MirrorCode } from '../../domain/channels/mirror-retries.ts';
import { isOpen } from './broadcasts.ts';
import { all } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { Stream } from '../streams/streams.ts';
import type { Locked } from '../shared/locked.ts';
import type { mirrorStates } from '../../domain/channels/channel-words.ts';

export interface MirrorIntent {
  readonly stream_id: string;
  readonly generation: number;
  /** Why the generation began: a cause of a transition, or a word of ours. */
  readonly cause: string;
  readonly state: (typeof mirrorStates)[number] | 'superseded';
  readonly code: MirrorCode | null;
  /** For people. */
  readonly detail: string | null;
  readonly attempts: number;
  readonly next_attempt_at: Date;
  readonly created_at: Date;
}

export function mirrorIntents(db: Queryable) {
  return {
    /** Begins a generation for each of these streams. */
    supersede: (streams: readonly Locked<Pick<Stream, 'id'>>[], cause: string) =>
      db.query('select supersede_mirror(id, $2) from unnest($1::text[]) as id', [streams.map(({ id }) => id), cause]),

    /**
     * Ids of the streams that have to be reconciled after a change of these settings or this connection: streams with a
     * wish, an unfinished generation or an open broadcast.
     */
    usersOf: async (part: { readonly settingsID: string } | { readonly connectionID: string }) => {
      const rows = await all<{ id: string }>(
        db,
        `select s.id from streams s
         where s.stream_destination = 'managed'
           and s.managed_settings_id in (select id from managed_settings where id = $1 or connection_id = $2)
           and (wish_of_state(s.state) <> 'none'
             or exists (select from mirror_intents where stream_id = s.id and state in ('pending', 'blocked')))
         union select stream_id from broadcasts where connection_id = $2 and ${isOpen}
         order by id`,
        ['settingsID' in part ? part.settingsID : null, 'connectionID' in part ? part.connectionID : null],
      );
      return rows.map(({ id }) => id);
    },

    /** The last generation of each of these streams. */
    lastOf: (streamIDs: readonly string[]) =>
      all<MirrorIntent>(
        db,
        `select i.* from unnest($1::text[]) as wanted (id) cross join lateral (
           select * from mirror_intents where stream_id = wanted.id order by generation desc limit 1) i`,
        [streamIDs],
      ),

    /** Sends commands for generations that are overdue, as their own commands must have been lost. */
    wakeForgotten: (lateSeconds: number) =>
      db.query(
        `insert into outbox (queue, body)
         select distinct 'platforms', jsonb_build_object('connectionID', c.id)
         from mirror_intents i join connections c on c.id = connection_to_work(i.stream_id)
         where i.state = 'pending' and i.next_attempt_at < now() - make_interval(secs => $1)
           and (c.leased_until is null or c.leased_until < now())`,
        [lateSeconds],
      ),
  };
}

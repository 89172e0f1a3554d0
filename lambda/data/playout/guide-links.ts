// SQL of guide links: public addresses of the guide of a stream.
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { Stream } from '../streams/streams.ts';

/** SQL expression: the SHA-256 of a text. */
const hashOf = (text: string) => `sha256(convert_to(${text}, 'UTF8'))`;

export interface LinkedStream {
  /** A permanent name of the stream, which does not reveal its id. */
  readonly channelID: string;
  readonly stream: Stream;
}

export function guideLinks(db: Queryable) {
  return {
    /** Gives a stream a link in place of its former one. */
    set: (streamID: string, token: string) =>
      db.query(
        `insert into guide_links (stream_id, token_hash) values ($1, ${hashOf('$2')})
         on conflict (stream_id) do update set token_hash = excluded.token_hash, created_at = now()`,
        [streamID, token],
      ),

    delete: (streamID: string) => db.query('delete from guide_links where stream_id = $1', [streamID]),

    /** The stream of a token. Null if the link was deleted, or the account is at rest. */
    find: async (token: string): Promise<LinkedStream | null> => {
      const row = await one<Stream & { channel_id: string }>(
        db,
        `select s.*, left(encode(${hashOf(`'guide of ' || s.id`)}, 'hex'), 16) as channel_id
         from guide_links g join streams s on s.id = g.stream_id join users u on u.id = s.user_id
         where g.token_hash = ${hashOf('$1')} and s.deleted_at is null and not u.is_at_rest`,
        [token],
      );
      return row && { channelID: row.channel_id, stream: row };
    },
  };
}

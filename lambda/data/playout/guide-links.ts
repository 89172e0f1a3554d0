// SQL of guide links: public addresses of the guide of a stream.
import type { RequestPolicy } from '../../domain/programme/guest-requests.ts';
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import { runningRequests } from '../shared/request-windows.ts';
import type { Stream } from '../streams/streams.ts';

/** SQL expression: the SHA-256 of a text. */
const hashOf = (text: string) => `sha256(convert_to(${text}, 'UTF8'))`;

export interface LinkedStream {
  /** A permanent name of the stream, which does not reveal its id. */
  readonly channelID: string;
  readonly stream: Stream;
  /** Null: guests cannot ask for items. */
  readonly requests: RequestPolicy | null;
}

/** The subject that counts the requests of all guests of a stream. */
export const subjectOfGuests = (streamID: string) => `guests of ${streamID}`;

export function guideLinks(db: Queryable) {
  return {
    /**
     * Gives a stream a link in place of its former one.
     * @param clientID the application that receives the addresses: they end with it; null: none. Decision D255.
     */
    set: (streamID: string, token: string, clientID: string | null, requests: RequestPolicy | null) =>
      db.query(
        `insert into guide_links (stream_id, token_hash, client_id, requests) values ($1, ${hashOf('$2')}, $3, $4)
         on conflict (stream_id) do update set token_hash = excluded.token_hash, client_id = excluded.client_id,
           requests = excluded.requests, created_at = now()`,
        [streamID, token, clientID, requests],
      ),

    /** The policy of the link of a stream; absent: the stream has no link. */
    requestsOf: async (streamID: string): Promise<RequestPolicy | null | undefined> =>
      (
        await one<Pick<LinkedStream, 'requests'>>(db, 'select requests from guide_links where stream_id = $1', [
          streamID,
        ])
      )?.requests,

    setRequests: (streamID: string, requests: RequestPolicy | null) =>
      db.query('update guide_links set requests = $2 where stream_id = $1', [streamID, requests]),

    delete: (streamID: string) => db.query('delete from guide_links where stream_id = $1', [streamID]),

    /** The stream of a token. Null if the link was deleted, or the account is at rest. */
    find: async (token: string): Promise<LinkedStream | null> => {
      const row = await one<Stream & { channel_id: string; requests: RequestPolicy | null }>(
        db,
        `select s.*, g.requests, left(encode(${hashOf(`'guide of ' || s.id`)}, 'hex'), 16) as channel_id
         from guide_links g join streams s on s.id = g.stream_id join users u on u.id = s.user_id
         where g.token_hash = ${hashOf('$1')} and s.deleted_at is null and not u.is_at_rest`,
        [token],
      );
      return row && { channelID: row.channel_id, stream: row, requests: row.requests };
    },

    /** The stream of a token, and the requests of this class that its guests have sent in the running window. */
    findAsked: (token: string, requestClass: string) =>
      one<{ readonly stream_id: string; readonly user_id: string; readonly asked: number }>(
        db,
        `select g.stream_id, s.user_id,
           coalesce(${runningRequests(`'${subjectOfGuests('')}' || g.stream_id`, '$2')}, 0) as asked
         from guide_links g join streams s on s.id = g.stream_id where g.token_hash = ${hashOf('$1')}`,
        [token, requestClass],
      ),
  };
}

// SQL of live inputs: addresses that contributors send to, each to take over one stream.
import { lossesWithinSeconds } from '../../domain/live/flapping.ts';
import type { LostAfter } from '../../domain/live/signal-loss.ts';
import type { TakeWindows } from '../../domain/live/take-windows.ts';
import type { PictureFormat } from '../../domain/playout/rendition.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { Locked } from '../shared/locked.ts';
import type { Stream } from '../streams/streams.ts';
import type { RenditionState } from '../media/renditions.ts';
import { failsTooLong, latestSession, lossesWithin } from './live-sessions.ts';
import type { LiveSession } from './live-sessions.ts';

export interface LiveInput extends LiveInputSettings {
  readonly id: string;
  readonly user_id: string;
  readonly stream_id: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** False: the application that had received the key was disconnected. */
  readonly has_key: boolean;
  /** Whether contributors have to encrypt SRT. */
  readonly has_passphrase: boolean;
  /** The running session, else the last one; null: there was none. */
  readonly session: LiveSession | null;
  /** Losses within `lossesWithinSeconds`: ends of its sessions, and losses by silence or black. */
  readonly recent_losses: number;
  /** The format of the present run of its stream, else of the next one; null: the stream is not prepared ahead. */
  readonly format: Pick<PictureFormat, 'quality' | 'framerate' | 'videoCodec' | 'aspect'> | null;
  /** The state of its slate in this format; null: it was not requested, or there is no slate. */
  readonly slate_state: RenditionState | null;
  /** Whether its user is funded, as `isFunded` has it. */
  readonly is_funded: boolean;
  /** Whether the stream shows a session of this input. */
  readonly is_shown: boolean;
}

export interface LiveInputSettings {
  readonly name: string;
  /** Whether each stable session takes the stream over, within windows or always, or only a request of a user. */
  readonly takes: 'on_request' | 'always' | 'in_windows';
  /** The fate of a second contributor while one is connected: refused, or put in place of the first. */
  readonly second_publisher: 'refuse' | 'replace';
  /** Networks that may send; empty: all. */
  readonly allow: readonly string[];
  /** A session is ready after this time. */
  readonly stable_seconds: number;
  /** A takeover waits this long for the next session after a loss. */
  readonly grace_seconds: number;
  /** The time for which a session may be silent or black. */
  readonly lost_after: LostAfter;
  /** From the arrival of a picture to its sending. */
  readonly delay_seconds: number;
  /** Whether takeovers become uploads. */
  readonly record: boolean;
  /** For `in_windows`; null: there are none. */
  readonly windows: TakeWindows | null;
  /** The item that a list plays after a takeover that was handed back, or had a planned end. */
  readonly after_takeover: 'join_in_progress' | 'next_item';
  /** The upload that the stream shows after a loss; null: the loop is shown. */
  readonly slate_upload_id: string | null;
}

/** An input, and the stream that it may take over. */
export interface InputOfStream {
  readonly input: LiveInput;
  readonly stream: Stream;
  /** Whether the stream has failed for too long to admit contributors. */
  readonly failsTooLong: boolean;
}

const settingColumns = [
  'name',
  'takes',
  'second_publisher',
  'allow',
  'stable_seconds',
  'grace_seconds',
  'delay_seconds',
  'record',
  'windows',
  'after_takeover',
  'lost_after',
  'slate_upload_id',
] as const;
const valuesOf = (settings: LiveInputSettings) =>
  settingColumns.map((column) => (column === 'windows' ? JSON.stringify(settings.windows) : settings[column]));

const recentLosses = lossesWithin('i.id', String(lossesWithinSeconds));
const isShown = `exists (select from takeovers t
  join streams st on st.id = t.stream_id and st.anchored_at = t.anchored_at
  join takeover_intervals v on v.takeover_id = t.id and v.to_frame is null
  where t.live_input_id = i.id and t.ended_at is null)`;

const aspect = `coalesce(case when st.status = 'ACTIVE' then st.run_aspect else st.look ->> 'aspect' end, '16:9')`;
const format = `(select jsonb_build_object(
    'quality', coalesce(case when st.status = 'ACTIVE' then st.run_quality end, st.quality, u.default_quality),
    'framerate', coalesce(case when st.status = 'ACTIVE' then st.run_framerate end, st.framerate, u.default_framerate),
    'videoCodec', coalesce(case when st.status = 'ACTIVE' then st.run_video_codec end, st.video_codec, 'h264'))
    || case when ${aspect} = '16:9' then '{}' else jsonb_build_object('aspect', ${aspect}) end
  from streams st join users u on u.id = st.user_id where st.id = i.stream_id and st.stream_backend = 'manifest')`;

/** The name of the format, by `slateFormat` of the domain. */
const slateState = `case when i.slate_upload_id is not null then (
  select slate_state(i.slate_upload_id, concat_ws('-', f ->> 'quality', f ->> 'framerate',
    nullif(f ->> 'videoCodec', 'h264'), replace(f ->> 'aspect', ':', 'x'), 'inorder'))
  from (select ${format} as f) as of_stream) end`;

/** The columns of an input, in statements that call the table `i`. The key is never read, and the passphrase apart. */
const columns = `i.id, i.user_id, i.stream_id, i.created_at, i.updated_at,
  i.key_sha256 is not null as has_key, i.sealed_passphrase is not null as has_passphrase,
  ${settingColumns.map((column) => `i.${column}`).join(', ')}, ${latestSession} as session,
  ${recentLosses} as recent_losses, ${format} as format, ${slateState} as slate_state,
  is_funded(i.user_id) as is_funded, ${isShown} as is_shown`;

export function liveInputs(db: Queryable) {
  return {
    /** Makes an input. */
    insert: async (input: {
      id: string;
      userID: string;
      streamID: string;
      keySha256: Buffer;
      /** The application that receives the key; null: none. */
      keyClientID: string | null;
      settings: LiveInputSettings;
    }) =>
      (await one<LiveInput>(
        db,
        `insert into live_inputs as i (id, user_id, stream_id, key_sha256, key_client_id, ${settingColumns.join(', ')})
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) returning ${columns}`,
        [input.id, input.userID, input.streamID, input.keySha256, input.keyClientID, ...valuesOf(input.settings)],
      ))!,

    /** The numbers of inputs of a stream and of its user. The caller has locked the stream. */
    count: async (userID: string, streamID: string) =>
      (await one<{ of_stream: number; of_user: number }>(
        db,
        `select count(*) filter (where stream_id = $2)::integer as of_stream, count(*)::integer as of_user
         from live_inputs where user_id = $1`,
        [userID, streamID],
      ))!,

    find: (userID: string, id: string) =>
      one<LiveInput>(db, `select ${columns} from live_inputs i where id = $1 and user_id = $2`, [id, userID]),

    /** The user's inputs, of one stream or of all (null), the oldest first. */
    list: (userID: string, streamID: string | null) =>
      all<LiveInput>(
        db,
        `select ${columns} from live_inputs i where user_id = $1 and ($2::text is null or stream_id = $2)
         order by created_at, id`,
        [userID, streamID],
      ),

    lock: (userID: string, id: string) =>
      one<Locked<LiveInput>>(db, `select ${columns} from live_inputs i where id = $1 and user_id = $2 for update`, [
        id,
        userID,
      ]),

    save: async (id: string, settings: LiveInputSettings) =>
      (await one<LiveInput>(
        db,
        `update live_inputs i set name = $2, takes = $3, second_publisher = $4, allow = $5, stable_seconds = $6,
           grace_seconds = $7, delay_seconds = $8, record = $9, windows = $10, after_takeover = $11,
           lost_after = $12, slate_upload_id = $13, updated_at = now()
         where id = $1 returning ${columns}`,
        [id, ...valuesOf(settings)],
      ))!,

    /** Replaces the key. @param clientID the application that receives it; null: none */
    setKey: (id: string, keySha256: Buffer, clientID: string | null) =>
      db.query('update live_inputs set key_sha256 = $2, key_client_id = $3, updated_at = now() where id = $1', [
        id,
        keySha256,
        clientID,
      ]),

    /** Replaces the passphrase. @param sealed null: contributors do not encrypt */
    setPassphrase: (id: string, sealed: Buffer | null) =>
      db.query('update live_inputs set sealed_passphrase = $2, updated_at = now() where id = $1', [id, sealed]),

    /** The sealed passphrase; null: the input has none, or is gone. */
    sealedPassphraseOf: async (id: string): Promise<Buffer | null> =>
      (
        await one<{ sealed: Buffer | null }>(db, 'select sealed_passphrase as sealed from live_inputs where id = $1', [
          id,
        ])
      )?.sealed ?? null,

    delete: (id: string) => db.query('delete from live_inputs where id = $1', [id]),

    /**
     * The inputs that may have a window, of sessions that receive pictures, if their streams have no open takeover.
     * `published` names the published rules with blocks for the input; null: there are none.
     */
    receivingInWindows: (sessionIDs: readonly string[]) =>
      all<
        Pick<LiveInput, 'id' | 'user_id' | 'stream_id' | 'takes' | 'windows'> & { readonly published: string | null }
      >(
        db,
        `select i.id, i.user_id, i.stream_id, i.takes, i.windows, named.published
         from live_sessions s
           join live_inputs i on i.id = s.live_input_id and i.takes <> 'always'
           left join lateral (
             select string_agg(concat_ws(' ', p.id, p.live ->> 'version', p.live ->> 'publishedAt'), ' ' order by p.id)
               as published
             from programmes p
             where p.stream_id = i.stream_id and p.live @> jsonb_build_object(
               'blocks', jsonb_build_array(jsonb_build_object('liveInputID', i.id)))) named on true
         where s.id = any ($1) and s.ended_at is null and s.first_picture_at is not null
           and (i.takes = 'in_windows' and i.windows is not null or named.published is not null)
           and not exists (
             select from takeovers t join streams st on st.id = t.stream_id and st.anchored_at = t.anchored_at
             where t.stream_id = i.stream_id and t.ended_at is null)
         order by s.id`,
        [sessionIDs],
      ),

    /** Deletes the inputs of a stream, whose row may stay until its broadcasts have ended. */
    deleteOf: (streamID: string) => db.query('delete from live_inputs where stream_id = $1', [streamID]),

    /** The input of a key with its stream; null: no such key, or the account is at rest. */
    ofKey: async (keySha256: Buffer): Promise<InputOfStream | null> => {
      const row = await one<{ input: string; user_id: string }>(
        db,
        `select i.id as input, i.user_id from live_inputs i join users u on u.id = i.user_id
         where i.key_sha256 = $1 and not u.is_at_rest`,
        [keySha256],
      );
      if (!row) return null;
      const input = await one<LiveInput>(db, `select ${columns} from live_inputs i where id = $1`, [row.input]);
      const found =
        input &&
        (await one<Stream & { readonly fails: boolean }>(
          db,
          `select st.*, ${failsTooLong} as fails from streams st where id = $1 and deleted_at is null`,
          [input.stream_id],
        ));
      if (!found) return null;
      const { fails, ...stream } = found;
      return { input, stream, failsTooLong: fails };
    },
  };
}

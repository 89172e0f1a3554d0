// Changes of streams and their users in the database: states and times that the API cannot set.
import type { WithPool } from './database.ts';

/** Marks a stream as failed without a failed run. */
export async function pretendFailed({ pool }: WithPool, streamID: string): Promise<void> {
  await pool().query(`update streams set state = 'failed' where id = $1`, [streamID]);
}

/** Makes the schedule of a stream end a second ago. Its scheduled actions do not become due by this. */
export async function letScheduleEnd({ pool }: WithPool, streamID: string): Promise<void> {
  await pool().query(`update streams set schedule_end_at = now() - interval '1 second' where id = $1`, [streamID]);
}

/** Allows a user to choose the backend of streams. */
export async function allowBackendEdit({ pool }: WithPool, userID: string): Promise<void> {
  await pool().query('update users set stream_backend_edit = true where id = $1', [userID]);
}

/** Marks a started stream as on air for a while, with a replica that sends prepared media. */
export async function pretendOnAir({ pool }: WithPool, streamID: string, backend = 'manifest'): Promise<void> {
  await pool().query(`update streams set state = 'active', anchored_at = now() - interval '20 seconds' where id = $1`, [
    streamID,
  ]);
  await pool().query('update replicas set backend = $2 where stream_id = $1', [streamID, backend]);
}

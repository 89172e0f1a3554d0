// What tests change of streams, and of their users, in the database: states and times that the API cannot set.
import type { WithPool } from './database.ts';

/** Lets a stream have failed, without a run that did. */
export async function pretendFailed({ pool }: WithPool, streamID: string): Promise<void> {
  await pool().query(`update streams set state = 'failed' where id = $1`, [streamID]);
}

/** Lets the schedule of a stream have ended a second ago. What is armed for it does not fall due by this. */
export async function letScheduleEnd({ pool }: WithPool, streamID: string): Promise<void> {
  await pool().query(`update streams set schedule_end_at = now() - interval '1 second' where id = $1`, [streamID]);
}

/** Allows a user to choose the backend of streams. */
export async function allowBackendEdit({ pool }: WithPool, userID: string): Promise<void> {
  await pool().query('update users set stream_backend_edit = true where id = $1', [userID]);
}

/** Lets a stream that was started be on the air since a while, with a replica that sends what is prepared. */
export async function pretendOnAir({ pool }: WithPool, streamID: string, backend = 'manifest'): Promise<void> {
  await pool().query(`update streams set state = 'active', anchored_at = now() - interval '20 seconds' where id = $1`, [
    streamID,
  ]);
  await pool().query('update replicas set backend = $2 where stream_id = $1', [streamID, backend]);
}

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

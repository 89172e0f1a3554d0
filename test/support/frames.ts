// What tests do in place of a worker with the pictures of streams that were asked for.
import type { FrameState } from '../../lambda/data/playout/frames.ts';
import type { WithPool } from './database.ts';

/** Settles all that were asked for. @returns whether any were */
export async function settleFrames({ pool }: WithPool, state: FrameState): Promise<boolean> {
  const { rowCount } = await pool().query(`update frames set state = $1 where state = 'pending'`, [state]);
  return rowCount! > 0;
}

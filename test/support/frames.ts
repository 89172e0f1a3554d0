// Handles requested pictures of streams in tests, in place of a worker.
import type { FrameState } from '../../lambda/data/playout/frames.ts';
import type { WithPool } from './database.ts';

/** Finishes all requested pictures. @returns whether any were requested */
export async function finishFrames({ pool }: WithPool, state: FrameState): Promise<boolean> {
  const { rowCount } = await pool().query(`update frames set state = $1 where state = 'pending'`, [state]);
  return rowCount! > 0;
}

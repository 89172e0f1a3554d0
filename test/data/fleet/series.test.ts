// Points of streams are written even while the stream is locked, and are deleted with it.
import { expect, it } from 'vitest';
import { databaseOn, inTransaction } from '../../../lambda/data/database.ts';
import { all } from '../../../lambda/data/shared/queryable.ts';
import type { Queryable } from '../../../lambda/data/shared/queryable.ts';
import { tiers } from '../../../lambda/domain/streams/series.ts';
import { actorsOn } from '../../support/actors.ts';
import { testService } from '../../support/service.ts';

const service = testService();
const { create, transaction } = actorsOn(service);

it('waits for nobody, and is deleted with its stream', async () => {
  const streamID = await create('/streams', {});
  const point = { at: new Date(0), bitrateKbps: 1, framesPerSecond: 1, droppedFrames: 0, reconnects: 0 };
  const points = [{ ...point, state: 'live' as const }];
  await transaction(async (locking) => {
    await locking.streams.lockAny(streamID);
    await inTransaction<void, Queryable>(
      service.pool(),
      async (db) => {
        await db.query(`set local lock_timeout = '1ms'`);
        await databaseOn(db).series.write(tiers['10s'], [{ streamID, outputID: '', points }]);
      },
      (db) => db,
    );
  });
  const rows = () => all(service.pool(), 'select from stream_series where stream_id = $1', [streamID]);
  expect(await rows()).toHaveLength(1);
  await databaseOn(service.pool()).streams.delete(streamID);
  expect(await rows()).toEqual([]);
});

// An agent fires what is due at once, also while it plans programmes, which may take long.
import { expect, it, onTestFinished } from 'vitest';
import type { Renewal } from '../../../lambda/data/fleet/agent-renewals.ts';
import { Chores } from '../../../lambda/publisher/agent/chores.ts';
import type { ChoresOptions } from '../../../lambda/publisher/agent/chores.ts';
import { actorsOn, startOptions } from '../../support/actors.ts';
import { pretendPrepared } from '../../support/live-inputs.ts';
import { pretendProbed, testService } from '../../support/service.ts';

const service = testService();
const { call, create, data, dueKinds, fallDue, scheduledStream, startedStream, stream } = actorsOn(service);

/** The chores of an agent that has no replica. @returns a renewal that shows that something is due */
function agent(): { readonly renew: () => void; readonly stop: () => Promise<void> } {
  const chores = new Chores({
    agentID: 'agent',
    pool: service.pool(),
    data: data(),
    replicas: { byID: new Map(), haveAnyToRecord: false },
    claims: { areAnyUnknown: false },
    peers: { learn: async () => {} },
    previews: { areAny: false, stop: async () => {} },
    startOptions,
    steadyClock: () => performance.now(),
    onHindered: (_chore: string, error: unknown) => {
      throw error;
    },
  } as unknown as ChoresOptions);
  const renewal = { isAnyDue: true, ending: [], lookedAt: [] } as unknown as Renewal;
  const stop = async () => {
    await chores.stop();
    await chores.fired();
  };
  onTestFinished(stop);
  return { stop, renew: () => chores.begin({ renewal, databaseClock: () => new Date() }) };
}

/** A stream on the air whose programme is to be planned. */
async function plannedStream() {
  const streamID = await startedStream();
  await pretendPrepared(service, streamID);
  const { body } = await call('POST', '/uploads', { name: 'Song', mimeType: 'video/mp4', folder: 'Songs' });
  await pretendProbed(service, body.id, { durationSeconds: 200 });
  const collectionID = await create('/collections', { name: 'Songs', kind: 'video', source: { folder: 'Songs' } });
  const programmeID = await create('/programmes', { streamID, timeZone: 'UTC' });
  const blocks = [{ id: 'music', name: 'Music', steps: [{ id: 'songs', collectionID }] }];
  expect(await call('PATCH', `/programmes/${programmeID}`, { blocks })).toMatchObject({ status: 200 });
  expect(await call('POST', `/programmes/${programmeID}/publish`)).toMatchObject({ status: 202 });
  expect(await dueKinds(streamID)).toContain('plan');
  return { streamID, programmeID };
}

it('a start that falls due while a programme is planned does not wait for the plan', async () => {
  const { programmeID } = await plannedStream();
  const scheduled = await scheduledStream();
  const { renew, stop } = agent();
  const holder = await service.pool().connect();
  onTestFinished(() => holder.release(true));
  await holder.query('begin');
  await holder.query('select from programmes where id = $1 for update', [programmeID]);
  renew();
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  await expect.poll(async () => (await service.pool().query(waiting)).rowCount).toBe(1);
  await fallDue(scheduled, 'schedule_start');
  await expect
    .poll(async () => {
      renew();
      return (await stream(scheduled)).state;
    })
    .toBe('activating');
  await holder.query('rollback');
  await stop();
});

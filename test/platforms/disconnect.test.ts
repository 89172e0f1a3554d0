// A channel that is disconnected while broadcasts are prepared: they are deleted with the grant, which ends last.
import { beforeEach, describe, expect, it } from 'vitest';
import { createPlatformsHandler } from '../../lambda/platforms/platforms.ts';
import { actorsOn, inFuture } from '../support/actors.ts';
import { mirroredStreamsOn } from '../support/mirrored-streams.ts';
import { testService } from '../support/service.ts';

const service = testService();
const { call, create, stream, user } = actorsOn(service);
const mirrored = mirroredStreamsOn(service);
const query = async (sql: string, ...values: unknown[]) => (await service.pool().query(sql, values)).rows;

let channel: Awaited<ReturnType<typeof mirrored.channel>>;
let streamID: string;
/** Requests to the platform, and its answer to the last of them. */
let order: string[];
let work: () => Promise<void>;
beforeEach(async () => {
  channel = await mirrored.channel(user());
  const { connectionID, platform, settingsID } = channel;
  streamID = await create('/streams', { streamDestination: 'managed', managedSettingsID: settingsID });
  const handler = createPlatformsHandler(mirrored.options({ youtube: platform }));
  const body = JSON.stringify({ connectionID });
  work = async () => {
    const { batchItemFailures } = await handler({ Records: [{ messageId: '1', body }] } as Parameters<
      typeof handler
    >[0]);
    expect(batchItemFailures).toEqual([]);
  };
  await call('POST', `/streams/${streamID}/schedule`, { scheduleStartAt: inFuture(3600), scheduleEndAt: null });
  await work();
  expect(platform.open()).toHaveLength(1);
  order = [];
  platform.around = (what, when) => void (when === 'before' && order.push(what));
  platform.revoke = async () => (order.push('revoke'), true);
});

const disconnect = async () => {
  const { status } = await call('DELETE', `/connections/${channel.connectionID}`);
  expect(status).toBe(204);
  expect((await call('GET', `/connections/${channel.connectionID}`)).status).toBe(404);
  expect((await call('GET', '/connections')).body.data).toEqual([]);
};
const rows = () => query('select from connections where id = $1', channel.connectionID);

describe('a channel that is disconnected', () => {
  it('has its prepared broadcasts deleted there, and its grant revoked after that', async () => {
    await disconnect();
    expect(await rows()).toHaveLength(1);
    await work();
    expect(channel.platform.made).toMatchObject([{ phase: 'deleted' }]);
    expect(order).toEqual(['end', 'revoke']);
    expect(await rows()).toEqual([]);
    expect((await stream(streamID)).mirror).toMatchObject({ state: 'blocked', code: 'settings_missing' });
  });

  it('can be connected again meanwhile, and names nothing to its user but that', async () => {
    await disconnect();
    expect((await call('GET', `/managed-settings/${channel.settingsID}`)).status).toBe(404);
    const { body } = await call('POST', '/connections', { platform: 'youtube' });
    await query(
      `update connections c set state = 'ok', account_id = o.account_id, sealed_grant = o.sealed_grant
       from connections o where c.id = $1 and o.id = $2`,
      body.id,
      channel.connectionID,
    );
    await work();
    // A revocation of the previous grant may also end the current one.
    expect(order).toEqual(['end']);
    expect(await rows()).toEqual([]);
    expect((await call('GET', '/connections')).body.data).toMatchObject([{ id: body.id, state: 'ok' }]);
  });

  it('is forgotten in the end where the platform does not let us', async () => {
    channel.platform.refuses = { code: 'unavailable', reason: 'backendError' };
    await disconnect();
    await work();
    expect(order).toEqual(['end']);
    expect(await rows()).toHaveLength(1);
    await query(`update connections set verify_at = now() where id = $1`, channel.connectionID);
    await work();
    expect(order.at(-1)).toBe('revoke');
    expect(await rows()).toEqual([]);
  });

  it('is forgotten at once where its grant is gone, and nobody is told that it is lost', async () => {
    channel.platform.tokens.clear();
    await disconnect();
    await work();
    expect(await rows()).toEqual([]);
    expect(await query('select kind from notifications where user_id = $1', user().id)).toEqual([]);
  });

  it('is forgotten at once where nothing is prepared there', async () => {
    await call('DELETE', `/streams/${streamID}/schedule`);
    await work();
    await disconnect();
    expect(await rows()).toEqual([]);
  });
});

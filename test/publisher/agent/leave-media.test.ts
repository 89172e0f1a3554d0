// An agent that cannot keep up with its streams leaves commands that decode files to other agents.
import { beforeEach, describe, expect, it } from 'vitest';
import type { StreamBackend } from '../../../lambda/domain/streams/stream-words.ts';
import type { MediaCommand } from '../../../lambda/data/shared/outbox.ts';
import { BetterMediaPlace, unlessLeft } from '../../../lambda/publisher/agent/leave-media.ts';
import { actorsOn } from '../../support/actors.ts';
import { testService } from '../../support/service.ts';

const service = testService();
const { data } = actorsOn(service);

let behindReason: string | null;
let carriedOut: string[];
let pauses: number;
beforeEach(() => {
  behindReason = null;
  carriedOut = [];
  pauses = 0;
});

/** Delivers a command to an agent. @param receives number of deliveries by the queue so far */
async function deliver(body: MediaCommand, receives = 1): Promise<void> {
  const handle = unlessLeft(
    async ({ Records }) => {
      carriedOut.push(...Records.map((record) => (JSON.parse(record.body) as MediaCommand).task));
      return { batchItemFailures: [] };
    },
    () => behindReason !== null,
    data(),
    async () => pauses++,
  );
  const attributes = { ApproximateReceiveCount: String(receives) };
  const Records = [{ messageId: 'one', body: JSON.stringify(body), attributes }];
  expect(await handle({ Records } as unknown as Parameters<typeof handle>[0])).toEqual({ batchItemFailures: [] });
}

const left = async () =>
  (await service.pool().query(`select body, visible_at > now() as is_held_back from outbox where queue = 'media'`))
    .rows;

const probe = { task: 'probe_upload', uploadID: 'upl_1' } as const;
const poster = { task: 'capture_posters', uploadID: 'upl_1', objectKey: 'renditions/posters-0' } as const;
const preparation = { task: 'prepare_upload', uploadID: 'upl_1', format: 'sound', failures: 1 } as const;

it('leaves what decodes while it is behind, with its failures, and carries out the rest', async () => {
  behindReason = 'The sending thread is busy all the time.';
  await deliver(probe);
  await deliver(preparation, 2);
  await deliver(poster);
  await deliver({ task: 'delete_object', objectKey: 'uploads/gone' });
  expect(carriedOut).toEqual(['delete_object']);
  expect(pauses).toBe(3);
  expect(await left()).toEqual([
    { body: probe, is_held_back: true },
    { body: { ...preparation, failures: 2 }, is_held_back: true },
    { body: poster, is_held_back: true },
  ]);
});

it('carries out everything once it keeps up again', async () => {
  behindReason = 'The sending thread is busy all the time.';
  await deliver(probe);
  behindReason = null;
  await deliver(probe);
  expect(carriedOut).toEqual(['probe_upload']);
  expect(await left()).toHaveLength(1);
});

describe('a better place than beside streams', () => {
  const agentWith = async (id: string, backends: readonly StreamBackend[], usedShare: number, reason?: string) => {
    await service.pool().query(
      `insert into agents (id, supervisor, release, backends, capacity, used_share, behind_reason, lease_expires_at)
       values ($1, $1, 'r', $2, '{}', $3, $4, now() + interval '1 minute')`,
      [id, backends, usedShare, reason],
    );
  };
  const isThereFor = async (usedShare: number) => {
    const place = new BetterMediaPlace(() => usedShare);
    const renewal = await data().agentRenewals.renew('agent_own', undefined, null, place.mostUsedShare);
    place.isThere = renewal.isMediaPlaceElsewhere;
    return place.isThere;
  };

  beforeEach(async () => {
    await service.pool().query('delete from agents');
    await agentWith('agent_own', ['ffmpeg'], 0);
  });

  it('is nowhere where nobody else takes media commands, or keeps up', async () => {
    await agentWith('agent_prepared', ['manifest'], 0);
    await agentWith('agent_behind', ['ffmpeg'], 0, 'Full.');
    expect([await isThereFor(0), await isThereFor(0.1), await isThereFor(0.9)]).toEqual([false, false, false]);
  });

  it('is a worker of media alone, for whoever sends anything', async () => {
    await agentWith('agent_media', [], 0);
    expect([await isThereFor(0), await isThereFor(0.1), await isThereFor(0.9)]).toEqual([false, true, true]);
  });

  it('is nowhere once that has as much to do as it can do at once', async () => {
    await agentWith('agent_media', [], 0);
    await data().agentRenewals.renew('agent_media', { usedShare: 0, behindReason: null, isMediaFull: true });
    expect(await isThereFor(0.9)).toBe(false);
    await data().agentRenewals.renew('agent_media', { usedShare: 0, behindReason: null, isMediaFull: false });
    expect(await isThereFor(0.9)).toBe(true);
  });

  it('is an agent with few streams for one with many', async () => {
    await agentWith('agent_other', ['ffmpeg', 'manifest'], 0.4);
    expect([await isThereFor(0.1), await isThereFor(0.5), await isThereFor(0.6)]).toEqual([false, false, true]);
  });
});

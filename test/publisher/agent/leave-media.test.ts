// An agent that does not keep up with its streams leaves to others what would decode files beside them.
import { beforeEach, expect, it } from 'vitest';
import type { MediaCommand } from '../../../lambda/data/outbox.ts';
import { leavesMedia, unlessLeft } from '../../../lambda/publisher/agent/leave-media.ts';
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

/** Delivers a command to an agent. @param receives how often the queue has delivered it by then */
async function deliver(body: MediaCommand, receives = 1): Promise<void> {
  const handle = unlessLeft(
    async ({ Records }) => {
      carriedOut.push(...Records.map((record) => (JSON.parse(record.body) as MediaCommand).task));
      return { batchItemFailures: [] };
    },
    () => leavesMedia({ usedShare: 0.9, behindReason }, false),
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
const preparation = { task: 'prepare_upload', uploadID: 'upl_1', format: 'sound', failures: 1 } as const;

it('leaves what decodes while it is behind, with its failures, and carries out the rest', async () => {
  behindReason = 'The thread that it sends on is busy all the time.';
  await deliver(probe);
  await deliver(preparation, 2);
  await deliver({ task: 'delete_object', objectKey: 'uploads/gone' });
  expect(carriedOut).toEqual(['delete_object']);
  expect(pauses).toBe(2);
  expect(await left()).toEqual([
    { body: probe, is_held_back: true },
    { body: { ...preparation, failures: 2 }, is_held_back: true },
  ]);
});

it('carries out everything once it keeps up again', async () => {
  behindReason = 'The thread that it sends on is busy all the time.';
  await deliver(probe);
  behindReason = null;
  await deliver(probe);
  expect(carriedOut).toEqual(['probe_upload']);
  expect(await left()).toHaveLength(1);
});

it('leaves it as well while its streams take more than half of it, where others take it that send none', () => {
  const leaves = (usedShare: number, othersTakeMedia: boolean) =>
    leavesMedia({ usedShare, behindReason: null }, othersTakeMedia);
  expect([leaves(0.4, true), leaves(0.6, true), leaves(0.6, false)]).toEqual([false, true, false]);
  expect(leavesMedia({ usedShare: 0, behindReason: 'Full.' }, false)).toBe(true);
});

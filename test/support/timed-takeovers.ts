// Takeovers of one stream by live inputs: operations, and an ingest that begins and ends them by a clock.
import { beforeEach, expect } from 'vitest';
import { lookRestSeconds } from '../../lambda/domain/live/block-windows.ts';
import { KeptBlockWindows } from '../../lambda/orchestration/live/kept-block-windows.ts';
import { settleTakeovers } from '../../lambda/orchestration/live/settle-takeovers.ts';
import { applyStableSession, endSession } from '../../lambda/orchestration/live/takeovers.ts';
import { actorsOn, startOptions } from './actors.ts';
import { liveIngestOn } from './live-ingest-role.ts';
import { pretendPrepared } from './live-inputs.ts';
import type { testService } from './service.ts';

export const dayMs = 86_400_000;

/** Starts a stream before each test. */
export function takeoversOn(service: ReturnType<typeof testService>) {
  const actors = actorsOn(service);
  const { call, create, startedStream, user } = actors;
  const ingest = liveIngestOn(service);
  let streamID: string;
  beforeEach(async () => {
    streamID = await startedStream();
    await pretendPrepared(service, streamID);
  });

  /** Makes each look for the end of a window appear to be as long ago as changes wait for the next one. */
  const letLooksRest = () =>
    service
      .pool()
      .query('update takeovers set look_again_at = look_again_at - make_interval(secs => $1)', [lookRestSeconds]);

  /** Lets the ingest of some sessions begin and end takeovers, some days later by its clock. */
  const settleAfter = async (days: number, ...own: readonly string[]) => {
    await letLooksRest();
    const settling = { newID: startOptions.newID, clock: () => new Date(Date.now() + days * dayMs) };
    const failures = await settleTakeovers(ingest.pool(), settling, {
      own: new Set(own),
      windows: new KeptBlockWindows(),
      endsSilent: false,
    });
    expect(failures).toEqual([]);
  };
  return {
    ...actors,
    streamID: () => streamID,
    newInput: (more: object = {}) => create('/live-inputs', { name: 'Studio', streamID, ...more }),
    takeOver: (liveInputID: string, more: object = {}) =>
      call('POST', `/streams/${streamID}/takeovers`, { liveInputID, ...more }),
    takeover: async () => (await call('GET', `/streams/${streamID}/takeover`)).body.takeover,
    handBack: () => call('POST', `/streams/${streamID}/hand-back`),
    settleAfter,
    settle: (...own: readonly string[]) => settleAfter(0, ...own),
    becomeStable: (id: string) =>
      ingest.transaction(async (tx) => {
        const stream = (await tx.streams.lockAny(streamID))!;
        const input = (await tx.liveInputs.find(user().id, id))!;
        return applyStableSession(tx, stream, input, { id: `tko_${id}`, now: await tx.now() });
      }),
    lose: (sessionID: string) =>
      ingest.transaction(async (tx) =>
        endSession(tx, sessionID, { reason: 'lost', stored: null, now: await tx.now() }),
      ),
  };
}

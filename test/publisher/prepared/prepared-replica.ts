// A held replica of a prepared stream in real time, without a database, and its reports.
import { onTestFinished } from 'vitest';
import { SendSchedule } from '../../../lambda/publisher/prepared/send-schedule.ts';
import { preparedMedia } from '../../../lambda/publisher/prepared/prepared-media.ts';
import { HeldReplica } from '../../../lambda/publisher/replica/held-replica.ts';
import type { HeldReplicaOptions } from '../../../lambda/publisher/replica/held-replica.ts';
import type { PublishTarget } from '../../../lambda/publisher/destination/publishing-ways.ts';
import type { Report } from '../../../lambda/publisher/replica/latest-report.ts';
import { DeliveryMeter } from '../../../lambda/publisher/rtmp/delivery-meter.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { mediaSample } from '../../support/media-samples.ts';
import { replicaRow, roomyAgent } from '../replica/replica-row.ts';
import { item, mediaOptions, preparedClips, timelineOf } from './prepared-clips.ts';

export const steadyClock = () => performance.now();

/** The media of a stream that loops a prepared clip of two seconds. */
export async function preparedLoop() {
  const clips = await preparedClips(await findMediaTools(process.env));
  const loop = item('clip', 2);
  await clips.prepare(loop, await mediaSample('plain.mp4'));
  const { options } = mediaOptions(clips.objects, () => ({ video: timelineOf(loop) }));
  return {
    media: preparedMedia({ ...options, schedule: new SendSchedule(steadyClock) }),
    [Symbol.asyncDispose]: () => clips[Symbol.asyncDispose](),
  };
}

/**
 * Begins to publish.
 * @param to an RTMP URL, or another target
 * @param freeURL the destination's other URL, if no other replica uses it
 */
export function beginPrepared(
  media: ReturnType<typeof preparedMedia>,
  to: string | PublishTarget,
  more: Partial<HeldReplicaOptions> = {},
  freeURL: string | null = null,
) {
  const reports: (Report & { atMs: number })[] = [];
  let anchoredMs: number | null = null;
  const run = new HeldReplica({
    replica: replicaRow('manifest'),
    share: 0.1,
    loadPlan: async () => ({
      userID: 'usr',
      target: typeof to === 'string' ? { way: 'rtmp' as const, url: to, streamKey: 'key' } : to,
      freeTarget: freeURL === null ? null : { way: 'rtmp' as const, url: freeURL, streamKey: 'key' },
      media,
      elapsedMs: anchoredMs === null ? null : steadyClock() - anchoredMs,
    }),
    anchor: async () => steadyClock() - (anchoredMs ??= steadyClock()),
    client: { allowPrivateAddresses: true, connectTimeoutMs: 10_000, meter: new DeliveryMeter() },
    report: async (report) => {
      reports.push({ ...report, atMs: steadyClock() });
      return true;
    },
    steadyClock,
    random: () => 0.5,
    log: () => {},
    ...roomyAgent(),
    ...more,
  });
  onTestFinished(() => run.end());
  return { run, reports, words: () => reports.map(({ state, reason }) => reason?.code ?? state) };
}

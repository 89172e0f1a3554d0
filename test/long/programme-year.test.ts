// A programme that is on the air for a year, planned four times a day: its bytes in the database and in agents.
import { expect, it } from 'vitest';
import { planRun } from '../../lambda/orchestration/playout/plan-run.ts';
import { one } from '../../lambda/data/shared/queryable.ts';
import { bounds } from '../../lambda/domain/shared/bounds.ts';
import { actorsOn } from '../support/actors.ts';
import { pretendProbed, testService } from '../support/service.ts';

const service = testService();
const { call, claim, data, readyStream, register, report, transaction, user } = actorsOn(service);
const hourMs = 3_600_000;
const planEveryHours = 6;
const days = 365;
const songCount = 500;

async function collectionOf(folder: string, lengths: readonly number[], order: string): Promise<string> {
  for (const [index, durationSeconds] of lengths.entries()) {
    const clip = { name: `${folder} ${index}`, mimeType: 'video/mp4', folder };
    const { body } = await call('POST', '/uploads', clip);
    await pretendProbed(service, body.id, { durationSeconds });
    await call('PATCH', `/uploads/${body.id}`, { title: `Song ${index}`, artist: `Artist ${index % 60}` });
  }
  return (await call('POST', '/collections', { name: folder, kind: 'video', source: { folder }, order })).body.id;
}

/** A music channel with jingles, and news each day. @returns the stream's id and the anchor of its run */
async function channelOnAir() {
  const streamID = await readyStream({ videoUploadObjectID: null, framerate: 'f_30' });
  const lengths = Array.from({ length: songCount }, (_, index) => 170 + ((index * 37) % 120));
  const songs = await collectionOf('Songs', lengths, 'shuffle');
  const jingles = await collectionOf('Jingles', [8, 9, 10], 'sequential');
  const { id } = (await call('POST', '/programmes', { streamID, timeZone: 'UTC' })).body;
  const news = { rule: 'FREQ=DAILY', at: '06:00', minutes: 30, starts: 'hard' };
  const { body } = await call('PATCH', `/programmes/${id}`, {
    blocks: [
      { id: 'music', name: 'Music', steps: [{ id: 'songs', collectionID: songs }] },
      { id: 'news', name: 'News', ...news, steps: [{ id: 'talk', collectionID: songs }] },
    ],
    inserts: [{ id: 'jingle', name: 'Jingle', collectionID: jingles, everyItems: 3 }],
    separation: [{ by: 'artist', items: 3, minutes: 30, strength: 'must' }],
  });
  expect(body.errors).toBeUndefined();
  await call('POST', `/programmes/${id}/publish`);
  await register('agent');
  expect((await call('POST', `/streams/${streamID}/start`)).body.state).toBe('activating');
  const [replica] = await claim('agent');
  await data().streams.anchor(streamID);
  await report(replica!, 'live');
  return { streamID, anchoredAt: (await data().streams.find(user().id, streamID))!.anchored_at! };
}

/** The stored bytes of a run's entries and of its planner, and those of the entries that an agent would have then. */
async function bytesAt(streamID: string, elapsedSeconds: number) {
  const stored = await one<{ entries: number; bytes: number; states: number; state_bytes: number }>(
    service.pool(),
    `select count(*)::int as entries, coalesce(sum(pg_column_size(snapshot)), 0)::int as bytes,
       (select count(*)::int from programme_states) as states,
       (select coalesce(sum(pg_column_size(state)), 0)::int from programme_states) as state_bytes
     from timeline_entries where stream_id = $1`,
    [streamID],
  );
  const recent = await data().timelines.ofStream(streamID, { fromSeconds: elapsedSeconds - 3600, toSeconds: Infinity });
  const withoutPlan = (field: string, value: unknown) => (field === 'planned' ? undefined : value);
  return { ...stored!, agentBytes: Buffer.byteLength(JSON.stringify(recent.video, withoutPlan)) };
}

const inKB = (bytes: number) => `${Math.round(bytes / 1024)} KB`;

it('of a year stay bounded', { timeout: 1_800_000 }, async () => {
  const { streamID, anchoredAt } = await channelOnAir();
  const agentBytes: number[] = [];
  const planMs: number[] = [];
  for (let hour = 0; hour < days * 24; hour += planEveryHours) {
    const now = new Date(anchoredAt.getTime() + (hour + 1) * hourMs);
    const beganMs = performance.now();
    await transaction(async (tx) => {
      const stream = (await tx.streams.lock(user().id, streamID))!;
      await planRun(tx, stream, { now, limitFactor: 1 });
    });
    planMs.push(performance.now() - beganMs);
    if (hour % (30 * 24) !== 0) continue;
    const found = await bytesAt(streamID, (hour + 1) * 3600);
    agentBytes.push(found.agentBytes);
    console.log(
      `day ${hour / 24}: ${found.entries} entries with ${inKB(found.bytes)} in the database, ${found.states} states ` +
        `with ${inKB(found.state_bytes)}; an agent reads ${inKB(found.agentBytes)}`,
    );
    expect(found.bytes).toBeLessThan(bounds.keptBytesPerTrack * 1.1);
    expect(found.states).toBeLessThanOrEqual(3);
  }
  const sorted = planMs.toSorted((one, other) => one - other);
  console.log(
    `${sorted.length} plans: p50 ${sorted[sorted.length >> 1]!.toFixed(0)} ms, most ${sorted.at(-1)!.toFixed(0)} ms`,
  );
  expect(agentBytes.at(-1)).toBeLessThan(agentBytes[1]! * 1.2);
});

// Users who are not funded have a part of the work together, whatever their number: others find functions and time.
// Decision D280.
import { beforeEach, describe, expect, it } from 'vitest';
import { databaseOn } from '../../../lambda/data/database.ts';
import { unfundedUsers } from '../../../lambda/data/shared/funded.ts';
import { payingForGuide } from '../../../lambda/surfaces/admission/guide-time.ts';
import { admitLook } from '../../../lambda/surfaces/admission/looks.ts';
import { workLimits } from '../../../lambda/surfaces/admission/work-limits.ts';
import { heldWork, surfaceOfWork } from '../../support/held-work.ts';
import { holdRows } from '../../support/held-rows.ts';
import { baseURL, testService } from '../../support/service.ts';
import type { TestUser } from '../../support/service.ts';

let nowMs = 0;
const service = testService({ rateLimitFactor: 1, steadyClock: () => nowMs });
/** Enough connections for every change of these tests. */
const connections = 40;

let [free, funded]: [TestUser[], TestUser] = [[], null!];
beforeEach(async () => {
  service.pool().options.max = connections;
  await endWindows();
  free = await Promise.all(Array.from({ length: 6 }, () => service.user(0)));
  funded = await service.user();
});

const endWindows = () => service.pool().query(`update request_windows set began_at = began_at - interval '60 seconds'`);
const request = ({ apiKey }: TestUser, path = '/tests', method = 'GET') =>
  new Request(baseURL + path, { method, headers: { 'x-api-key': apiKey } });
const each = (index: number) => free[index % free.length]!;

/** The milliseconds that are counted for all users who are not funded. */
async function countedTogether(workClass: string): Promise<number> {
  const text = 'select work_ms from request_windows where subject = $1 and class = $2';
  return (await service.pool().query(text, [unfundedUsers, workClass])).rows[0]?.work_ms ?? 0;
}

describe('reads that may take long', () => {
  it('are 120 of all users without a purchase at once beside two of each, and others have theirs', async () => {
    const held = heldWork();
    const rest = surfaceOfWork(service.service(), held.hold);
    expect(await held.begunOf(240, (index) => rest(request(each(index)), '192.0.2.1'))).toBe(120 + 2 * free.length);
    expect(await held.begunOf(40, () => rest(request(funded), '192.0.2.1'))).toBe(40);
    await held.end();
    expect(await held.begunOf(60, (index) => rest(request(each(index)), '192.0.2.1'))).toBe(60);
    await held.end();
  });

  it('are refused with words that name the limit and its end', async () => {
    const held = heldWork();
    const rest = surfaceOfWork(service.service(), held.hold);
    await held.begunOf(240, (index) => rest(request(each(index)), '192.0.2.1'));
    const late = await service.user(0);
    expect(await held.begunOf(2, () => rest(request(late), '192.0.2.1'))).toBe(2);
    const refused = await rest(request(late), '192.0.2.1');
    const problem = await refused.json();
    expect([refused.status, problem.code]).toEqual([429, 'rate_limited']);
    expect(problem.detail).toMatch(/^Reads of all users without a purchase took more than 30 seconds within a minute/);
    expect(problem.detail).toMatch(/a purchase of credits ends this limit\.$/);
    expect(refused.headers.get('retry-after')).toBe(refused.headers.get('ratelimit-reset'));
    const grant = { type: 'adjustment', method: 'grant', cost: 0, credits: 100 } as const;
    await databaseOn(service.pool()).invoices.ensurePaid({ id: `inv_${late.id}`, userID: late.id, ...grant });
    expect(await held.begunOf(1, () => rest(request(late), '192.0.2.1'))).toBe(1);
    await held.end();
  });

  it('leave small reads and changes of the same users admitted', async () => {
    const held = heldWork();
    const rest = surfaceOfWork(service.service(), held.hold);
    await held.begunOf(240, (index) => rest(request(each(index)), '192.0.2.1'));
    const small = surfaceOfWork(service.service(), async () => {});
    for (const sent of [request(free[0]!, '/tests/x'), request(free[0]!, '/tests', 'POST')])
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect((await small(sent, '192.0.2.1')).status).toBe(200);
    await held.end();
  });

  it('count what they took, and not what they reserved', async () => {
    const rest = surfaceOfWork(service.service(), async () => void (nowMs += 60));
    for (let made = 0; made < 200; made++)
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect((await rest(request(each(made)), '192.0.2.1')).status).toBe(200);
    // A quarter of the part may be given back by a later call.
    const tookMs = 200 * 50;
    expect(await countedTogether('read')).toBeLessThanOrEqual(tookMs + free.length * 250);
    expect(await countedTogether('read')).toBeGreaterThanOrEqual(tookMs - free.length * 500);
  });

  it('of a user who takes little leave nothing behind', async () => {
    let tookMs = 270;
    const rest = surfaceOfWork(service.service(), async () => void (nowMs += tookMs));
    for (let made = 0; made < 300; made++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect((await rest(request(free[0]!), '192.0.2.1')).status).toBe(200);
      tookMs = 5;
    }
    expect(await countedTogether('read')).toBeLessThanOrEqual(500);
  });

  it('give nothing back in a later window than they were counted in', async () => {
    const [earlier, later] = [heldWork(), heldWork()];
    const ofEarlier = surfaceOfWork(service.service(), earlier.hold);
    await earlier.begunOf(120, (index) => ofEarlier(request(each(index)), '192.0.2.1'));
    const end = `update request_windows set began_at = began_at - interval '60 seconds' where subject = $1`;
    await service.pool().query(end, [unfundedUsers]);
    const other = await service.user(0);
    const ofLater = surfaceOfWork(service.service(), later.hold);
    expect(await later.begunOf(40, () => ofLater(request(other), '192.0.2.1'))).toBe(40);
    await earlier.end();
    expect(await countedTogether('read')).toBe(9500);
    await later.end();
    expect(await countedTogether('read')).toBeLessThanOrEqual(2500);
  });
});

it('changes are never refused for the time of all users without a purchase', async () => {
  const counted = `insert into request_windows (subject, class, requests, work_ms) values ($1, 'write', 1, $2)`;
  await service.pool().query(counted, [unfundedUsers, workLimits.write.unfundedMs]);
  await service.pool().query(counted, [`user ${free[0]!.id}`, 600]);
  const rest = surfaceOfWork(service.service(), async () => void (nowMs += 40));
  for (let made = 0; made < 4; made++)
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect((await rest(request(free[0]!, '/tests', 'POST'), '192.0.2.1')).status).toBe(200);
  expect(await countedTogether('write')).toBeGreaterThan(workLimits.write.unfundedMs);
});

describe('guides, posters and previews', () => {
  it('of users without a purchase are bounded together', async () => {
    const held = heldWork();
    const guide = (user: TestUser, index: number) =>
      payingForGuide(service.service(), { streamID: `str_${index}`, userID: user.id }, held.hold).then(
        () => new Response(null, { status: 200 }),
        () => new Response(null, { status: 429 }),
      );
    expect(await held.begunOf(240, (index) => guide(each(index), index))).toBe(160 + 2 * free.length);
    expect(await held.begunOf(40, (index) => guide(funded, 1000 + index))).toBe(40);
    await held.end();
  });

  it.each([
    ['poster', 266],
    ['preview', 60],
  ] as const)('a %s that is read reserves its time among them', async (shown, atOnce) => {
    const admitted: unknown[] = [];
    for (let index = 0; index < atOnce + 40; index++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const time = await admitLook(service.service(), shown, each(index).id);
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await time.reserve().then(
        () => admitted.push(time),
        () => {},
      );
    }
    // Half a second of each counts apart.
    const apart = free.length * Math.floor(500 / workLimits[shown].reservedMs);
    expect(admitted.length).toBeGreaterThanOrEqual(atOnce + apart);
    expect(admitted.length).toBeLessThanOrEqual(atOnce + apart + 1);
    await (await admitLook(service.service(), shown, funded.id)).reserve();
  });
});

it('changes of all users without a purchase are 24 at a time beside one of each, and others have theirs', async () => {
  const late = await service.user(0);
  const users = [...free, late, funded];
  const streams = await Promise.all(
    users.map(async (user) => (await user.call('POST', '/streams', {})).body.id as string),
  );
  const held = await holdRows(service.pool(), 'streams', ...streams.slice(0, free.length));
  const rename = (user: TestUser) =>
    user.call('PATCH', `/streams/${streams[users.indexOf(user)]}`, { name: 'Renamed' });
  const changes = free.flatMap((user) => Array.from({ length: 6 }, () => rename(user)));
  await held.untilWaiting(24 + free.length);
  expect([(await rename(late)).status, (await rename(funded)).status]).toEqual([200, 200]);
  await held.release();
  const answers = await Promise.all(changes);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(24 + free.length);
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(6);
  for (const { body } of refused)
    expect(body.detail).toBe(
      '24 other changes of users without a purchase are under way, and no more may be at a time. ' +
        'Nothing was changed. Try again in 2 seconds.',
    );
});

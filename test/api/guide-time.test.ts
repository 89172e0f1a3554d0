// The time of guides is paid in advance, by the link and its user: floods of one link leave all others readable.
// Decision D279.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { withGuides } from '../../lambda/api/guides.ts';
import { payingForGuide } from '../../lambda/surfaces/admission/guide-time.ts';
import { createRestHandler } from '../../lambda/surfaces/rest/rest-handler.ts';
import { actorsOn, inFuture } from '../support/actors.ts';
import { testService } from '../support/service.ts';

let nowMs = 0;
let stepMs = 0;
/** Each look at the clock finds it later by `stepMs`. */
const service = testService({ steadyClock: () => (nowMs += stepMs), rateLimitFactor: 1 });

interface Link {
  readonly streamID: string;
  readonly userID: string;
  readonly url: string;
}

const ours = actorsOn(service);
const others = actorsOn(service);

/** A guide link of a stream that is scheduled. */
async function linkOf(actors: typeof ours): Promise<Link> {
  const streamID = await actors.scheduledStream({}, { scheduleEndAt: inFuture(7200) });
  const { jsonURL } = (await actors.call('POST', `/streams/${streamID}/guide-link`)).body;
  return { streamID, userID: actors.user().id, url: jsonURL };
}

/** Another process, which has read nothing yet. */
const coldProcess = () => withGuides(createRestHandler(service.service()), service.service());
const open = ({ url }: Link, handler = coldProcess()) => handler(new Request(url), '192.0.2.1');
const statusOf = async (link: Link, handler?: ReturnType<typeof coldProcess>) => (await open(link, handler)).status;

/** The milliseconds that are counted for a link and for its user; undefined: none. */
async function countedOf({ streamID, userID }: Link): Promise<readonly (number | undefined)[]> {
  const text = `select work_ms from request_windows where subject = $1 and class = 'guide'`;
  const read = async (subject: string) => (await service.pool().query(text, [subject])).rows[0]?.work_ms;
  return [await read(`guide of ${streamID}`), await read(`user ${userID}`)];
}

/** Uses up the minute of a subject. */
const useUp = (subject: string, ms: number) =>
  service.pool().query(
    `insert into request_windows (subject, class, work_ms) values ($1, 'guide', $2)
     on conflict (subject, class) do update set work_ms = excluded.work_ms, began_at = now()`,
    [subject, ms],
  );
const useUpLink = ({ streamID }: Link) => useUp(`guide of ${streamID}`, 10_000);

let link: Link;
beforeEach(async () => {
  [nowMs, stepMs] = [0, 0];
  link = await linkOf(ours);
});

it('a guide counts the time that it took for its link and its user, once for all readers of a process', async () => {
  stepMs = 40;
  const process = coldProcess();
  expect(await statusOf(link, process)).toBe(200);
  expect(await countedOf(link)).toEqual([250, 250]);
  expect(await statusOf(link, process)).toBe(200);
  expect(await countedOf(link)).toEqual([250, 250]);
  // The next payment gives back what the first one did not take.
  expect(await statusOf(link)).toBe(200);
  const counted = await countedOf(link);
  expect(counted[0]).toBe(counted[1]);
  const tookMs = counted[0]! - 250;
  expect(tookMs).toBeGreaterThanOrEqual(30);
  expect(tookMs).toBeLessThan(250);
});

it('a guide that takes long counts all of its time', async () => {
  stepMs = 5000;
  await open(link);
  expect((await countedOf(link))[0]).toBeGreaterThanOrEqual(5000);
});

describe('a link that has no time left in its minute', () => {
  it('is refused by a process that has no guide of it, which reads nothing of the stream', async () => {
    await useUpLink(link);
    const query = vi.spyOn(service.pool(), 'query');
    const { status, headers } = await open(link);
    const texts = query.mock.calls.map(([statement]) => JSON.stringify(statement));
    query.mockRestore();
    expect([status, Number(headers.get('retry-after'))]).toEqual([429, expect.closeTo(60, -1)]);
    expect(texts.filter((text) => /playlists|from uploads|timeline_entries|past_runs/.test(text))).toEqual([]);
    expect((await countedOf(link))[1]).toBeUndefined();
  });

  it('is answered by a process that made its guide before, also after a change of the stream', async () => {
    const process = coldProcess();
    const { items } = await (await open(link, process)).json();
    expect(items.length).toBeGreaterThan(0);
    await useUpLink(link);
    await service.pool().query('update streams set updated_at = now() where id = $1', [link.streamID]);
    const answer = await open(link, process);
    expect(answer.status).toBe(200);
    expect((await answer.json()).items).toEqual(items);
  });

  it('leaves other links of its user and of others readable', async () => {
    const other = await linkOf(ours);
    const ofOther = await linkOf(others);
    await useUpLink(link);
    expect(await Promise.all([link, other, ofOther].map((each) => statusOf(each)))).toEqual([429, 200, 200]);
  });

  it('is read again in the next minute', async () => {
    await useUpLink(link);
    await service.pool().query(`update request_windows set began_at = began_at - interval '60 seconds'`);
    expect(await statusOf(link)).toBe(200);
  });
});

it('a user who has no time left for guides keeps no other user from theirs', async () => {
  const other = await linkOf(ours);
  const ofOther = await linkOf(others);
  await useUp(`user ${link.userID}`, 30_000);
  expect(await Promise.all([link, other, ofOther].map((each) => statusOf(each)))).toEqual([429, 429, 200]);
});

it('forty guides of a link are made at once, and another one as soon as they have ended', async () => {
  const { promise: isOpen, resolve: openGate } = Promise.withResolvers<void>();
  const made = Array.from({ length: 41 }, () => payingForGuide(service.service(), link, () => isOpen));
  const refusals: unknown[] = [];
  for (const each of made) each.catch((error: unknown) => void refusals.push(error));
  await vi.waitFor(() => expect(refusals).toHaveLength(1));
  openGate();
  await Promise.allSettled(made);
  expect(refusals).toMatchObject([{ code: 'rate_limited' }]);
  // A quarter of the minute is given back by the next payment.
  expect(Math.max(...(await countedOf(link)).map((ms) => ms!))).toBeLessThanOrEqual(2500);
  await expect(payingForGuide(service.service(), link, async () => 'a guide')).resolves.toBe('a guide');
});

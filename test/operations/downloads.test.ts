// Download URLs are counted by the bytes of their files: a day has a limit for each user, and for all who never paid.
import { beforeEach, expect, it } from 'vitest';
import { downloadsPerDay, gigabyte, leastOfURL } from '../../lambda/domain/media/download-limits.ts';
import { unfundedUsers } from '../../lambda/data/shared/funded.ts';
import { testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';

const service = testService({ limitFactor: 1 });
const daySeconds = 24 * 3600;

beforeEach(() => service.pool().query("delete from request_windows where class = 'downloaded_mb'"));

/** A whole upload of this size, whose bytes no test reads. */
async function uploadOf(user: TestUser, gigabytes: number): Promise<string> {
  const { body } = await user.call('POST', '/uploads', { name: 'a', mimeType: 'video/mp4' });
  const bytes = Math.round(gigabytes * gigabyte);
  await service.pool().query('update uploads set uploaded = true, size_bytes = $2 where id = $1', [body.id, bytes]);
  return body.id;
}

const download = (user: TestUser, id: string) => user.call('POST', `/uploads/${id}/download-url`);

/** Downloads a file of a user until that is refused. @returns the granted downloads, and the refusal */
async function downloadAll(user: TestUser, gigabytes: number, most = 1000) {
  const id = await uploadOf(user, gigabytes);
  for (let granted = 0; granted < most; granted++) {
    const answer = await download(user, id);
    if (answer.status !== 200) return { granted, answer };
  }
  throw new Error(`${most} downloads of ${gigabytes} GB were granted`);
}

it('a user who never paid gets a few GB a day, and is told when there is more', async () => {
  const user = await service.user(0);
  const { granted, answer } = await downloadAll(user, 1);
  expect(granted).toBe(downloadsPerDay.unfunded);
  expect([answer.status, answer.body.code]).toEqual([429, 'rate_limited']);
  expect(answer.body.detail).toBe(
    'Within a day you may make download URLs for files of 5 GB, and this one would exceed it. ' +
      'Try again in 24 hours, or buy credits, which allow more at once.',
  );
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(daySeconds - 60);
  await service.pool().query("update request_windows set began_at = began_at - interval '1 day'");
  expect((await download(user, await uploadOf(user, 1))).status).toBe(200);
});

it('small files keep no more than a few URLs valid, and a file above the day is one download', async () => {
  const { granted } = await downloadAll(await service.user(0), 0.001);
  expect(granted).toBe(downloadsPerDay.unfunded / leastOfURL);
  expect((await downloadAll(await service.user(0), 40)).granted).toBe(1);
});

it('a user with credits of a purchase or of an operator gets more, by the credits that are left', async () => {
  const { funded, perCredit } = downloadsPerDay;
  const { granted } = await downloadAll(await service.user(1000), 10);
  expect(granted).toBe((funded + 1000 * perCredit) / 10);
});

it('all users who never paid have one part, which takes nothing from those who did', async () => {
  const most = downloadsPerDay.unfundedTogether * 1000;
  await service
    .pool()
    .query("insert into request_windows (subject, class, requests, seconds) values ($1, 'downloaded_mb', $2, $3)", [
      unfundedUsers,
      most - 1500,
      daySeconds,
    ]);
  const { granted, answer } = await downloadAll(await service.user(0), 1);
  expect(granted).toBe(1);
  expect(answer.body.detail).toContain('Users without a purchase have made download URLs for files of 200 GB together');
  expect((await download(await service.user(1000), await uploadOf(await service.user(1000), 1))).status).toBe(404);
  const funded = await service.user(1000);
  expect((await download(funded, await uploadOf(funded, 1))).status).toBe(200);
});

it('a URL has to be used within a quarter of an hour', async () => {
  const user = await service.user(0);
  const { body } = await download(user, await uploadOf(user, 1));
  const leftSeconds = (new Date(body.expiresAt).getTime() - Date.now()) / 1000;
  expect(leftSeconds).toBeGreaterThan(800);
  expect(leftSeconds).toBeLessThanOrEqual(901);
});

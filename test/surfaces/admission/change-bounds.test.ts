// Changes that wait for locks: bounded for each user, so that other users find connections, and ended after a while.
// Decision D266.
import { createHmac } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { boundsOfUser } from '../../../lambda/data/shared/change-bounds.ts';
import { authorizationServerSecret, sessionCookieName } from '../../../lambda/surfaces/admission/page-sessions.ts';
import { graphqlOn } from '../../support/graphql.ts';
import { holdRows } from '../../support/held-rows.ts';
import { testMcp } from '../../support/mcp.ts';
import { baseURL, testService } from '../../support/service.ts';
import type { Answer, TestUser } from '../../support/service.ts';

const service = testService();
const graphql = graphqlOn(service);
const mcp = testMcp(service);
const { atOnce: programsAtOnce, lockWaitSeconds } = boundsOfUser('', false);
const { atOnce: pagesAtOnce } = boundsOfUser('', true);

let waiting: TestUser;
let streamID: string;

// As many connections as the site of a local run has.
beforeAll(() => void (service.pool().options.max = 20));
beforeEach(async () => {
  waiting = await service.user();
  streamID = await newStream(waiting);
});

const newStream = async (user: TestUser) => (await user.call('POST', '/streams', {})).body.id as string;
const rename = (user: TestUser, id: string, name = 'Renamed') => user.call('PATCH', `/streams/${id}`, { name });
const nameOf = async (user: TestUser, path: string) => (await user.call('GET', path)).body.name as string;

const ended = (answers: readonly Answer[], wanted: number) => answers.filter(({ status }) => status === wanted);

/** Signs the user in. @returns a change of the stream by the page */
async function renameOnPage(user: TestUser): Promise<() => Promise<Answer>> {
  const token = `session_of_${user.id.padStart(16, '0')}`;
  await service
    .pool()
    .query(`insert into auth_sessions (id, user_id, token, expires_at) values ($1, $2, $1, now() + '1 hour')`, [
      token,
      user.id,
    ]);
  const { origin } = new URL(baseURL);
  const secret = authorizationServerSecret(service.service().serviceSecret);
  const signature = createHmac('sha256', secret).update(token).digest('base64');
  const headers = {
    cookie: `${sessionCookieName(origin)}=${encodeURIComponent(`${token}.${signature}`)}`,
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/json',
    origin,
  };
  const body = JSON.stringify({ name: 'By the page' });
  return () => service.send(new Request(`${baseURL}/streams/${streamID}`, { method: 'PATCH', headers, body }));
}

const busy = (atOnce: number) =>
  `${atOnce} other changes are under way, and no more may be at a time. Nothing was changed. Try again in 2 seconds.`;
const locked =
  'Another change of the same resource has been under way for some seconds. Nothing was changed. Try again in 5 ' +
  'seconds.';

describe('changes of one user that wait for one row', () => {
  it('leave connections to other users, with a key and a session', async () => {
    const other = await service.user();
    const ofOther = await newStream(other);
    const byPage = await renameOnPage(waiting);
    const held = await holdRows(service.pool(), 'streams', streamID);
    const byKey = Array.from({ length: 50 }, () => rename(waiting, streamID));
    const onPage = Array.from({ length: 10 }, byPage);
    await held.untilWaiting(programsAtOnce + pagesAtOnce);
    const timesMs: number[] = [];
    for (let turn = 0; turn < 20; turn++) {
      const sentMs = performance.now();
      const answer = turn % 2 ? await rename(other, ofOther) : await other.call('GET', '/streams');
      timesMs.push(performance.now() - sentMs);
      expect(answer.status).toBe(200);
    }
    expect(await held.waits()).toBe(programsAtOnce + pagesAtOnce);
    expect(Math.max(...timesMs)).toBeLessThan(2000);
    await held.release();
    for (const [changes, atOnce] of [
      [await Promise.all(byKey), programsAtOnce],
      [await Promise.all(onPage), pagesAtOnce],
    ] as const) {
      expect(ended(changes, 200)).toHaveLength(atOnce);
      const refused = ended(changes, 429);
      expect(refused).toHaveLength(changes.length - atOnce);
      for (const { headers, body } of refused) {
        expect(headers.get('retry-after')).toBe('2');
        expect(body).toMatchObject({ code: 'rate_limited', detail: busy(atOnce) });
      }
    }
    expect((await rename(waiting, streamID)).status).toBe(200);
  });

  it('count together on all surfaces', async () => {
    const held = await holdRows(service.pool(), 'streams', streamID);
    const changes = Array.from({ length: programsAtOnce }, () => rename(waiting, streamID));
    await held.untilWaiting(programsAtOnce);
    const mutation = `mutation { updateStream(id: "${streamID}", name: "By GraphQL") { name } }`;
    const { body } = await graphql.ask(waiting, mutation);
    expect(body.errors).toMatchObject([{ message: busy(programsAtOnce), extensions: { code: 'rate_limited' } }]);
    const { isError, structuredContent } = await mcp.callTool(waiting, 'update_stream', { id: streamID, name: 'MCP' });
    expect(isError).toBe(true);
    expect(structuredContent.problem).toMatchObject({ detail: busy(programsAtOnce), code: 'rate_limited' });
    await held.release();
    expect(ended(await Promise.all(changes), 200)).toHaveLength(programsAtOnce);
    expect(await nameOf(waiting, `/streams/${streamID}`)).toBe('Renamed');
  });

  it('are not refused if one request has many of them', async () => {
    const fields = Array.from(
      { length: 20 },
      (_, n) => `n${n}: updateStream(id: "${streamID}", name: "${n}") { name }`,
    );
    const { body } = await graphql.ask(waiting, `mutation { ${fields.join(' ')} }`);
    expect(body.errors).toBeUndefined();
    expect(await nameOf(waiting, `/streams/${streamID}`)).toBe('19');
  });
});

describe('a change that finds a row locked for long', () => {
  it('ends with a problem and without a trace, and its key is good for another attempt', async () => {
    const uploads: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      uploads.push((await waiting.call('POST', '/uploads', { name, mimeType: 'video/mp4' })).body.id);
    const renaming = (...ids: string[]) => ({
      operations: ids.map((id) => ({ op: 'rename', uploadID: id, name: 'x' })),
    });
    const [a, b, c, d, e] = uploads as [string, string, string, string, string];
    const byRest = () => waiting.call('POST', '/uploads/batch', renaming(a, b), { 'idempotency-key': 'once' });
    const inBatch = { name: 'apply_upload_operations', arguments: renaming(c, d) };
    const held = await holdRows(service.pool(), 'uploads', b, d, e);
    const sentMs = performance.now();
    const [rest, inMcp, { body: inGraphql }] = await Promise.all([
      byRest(),
      mcp.callTool(waiting, 'change_operation', inBatch),
      graphql.ask(waiting, `mutation { updateUpload(id: "${e}", name: "x") { name } }`),
    ]);
    expect(performance.now() - sentMs).toBeLessThan((lockWaitSeconds + 3) * 1000);
    expect(rest).toMatchObject({ status: 429, body: { code: 'rate_limited', detail: locked } });
    expect(rest.headers.get('retry-after')).toBe('5');
    expect(inMcp).toMatchObject({ isError: true, structuredContent: { problem: { detail: locked } } });
    expect(inGraphql.errors).toMatchObject([{ message: locked, extensions: { code: 'rate_limited' } }]);
    expect(service.logged.filter((line) => line.includes('lock_not_free'))).toHaveLength(3);
    const names = () => Promise.all(uploads.map((id) => nameOf(waiting, `/uploads/${id}`)));
    expect(await names()).toEqual(['a', 'b', 'c', 'd', 'e']);
    await held.release();
    expect(await byRest()).toMatchObject({ status: 200, body: { changed: 2 } });
    expect((await byRest()).headers.get('idempotency-replayed')).toBe('true');
    expect(await names()).toEqual(['x', 'x', 'c', 'd', 'e']);
  });
});

// Buckets that are opened by a role of their owner: requests to STS, refusals, and credentials that are not stored.
import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, test } from 'vitest';
import { createSTSRoleSessions } from '../../lambda/ports/role-sessions/sts-role-sessions.ts';
import { testService } from '../support/service.ts';
import { scanAgain, startScanner, watch } from './scanner.ts';
import { anyBytes, sendFile, startSource } from './source-server.ts';
import { startWorker } from './worker.ts';

const service = testService();
const principal = 'arn:aws:iam::111111111111:root';
const roleARN = 'arn:aws:iam::222222222222:role/loop-source-videos';
const sessionToken = 'the token of a session';
const film = anyBytes(5000);
const etag = `"${createHash('md5').update(film).digest('hex')}"`;

/** The external IDs that the role's trust policy accepts; null: it does not check them. */
let trusted: readonly string[] | null;
let asked: URLSearchParams[];
let regions: (string | undefined)[];
beforeEach(() => {
  trusted = [];
  asked = [];
  regions = [];
});

/** STS and S3 as far as a source by role uses them: a bucket with one film, for the session's token. */
const startAWS = () =>
  startSource(async (request, response) => {
    const url = new URL(request.url!, 'http://aws');
    if (request.method === 'POST') {
      const form = new URLSearchParams(await text(request));
      asked.push(form);
      regions.push(/Credential=[^/]+\/\d+\/([^/]+)\/sts\//.exec(String(request.headers.authorization))?.[1]);
      const isIn = trusted === null || trusted.includes(form.get('ExternalId')!);
      return response.writeHead(isIn ? 200 : 403, { 'content-type': 'text/xml' }).end(isIn ? session : denied);
    }
    const token = request.headers['x-amz-security-token'] ?? url.searchParams.get('X-Amz-Security-Token');
    if (token !== sessionToken) return response.writeHead(403).end();
    if (url.searchParams.has('list-type')) return response.end(listing);
    return sendFile(film, request, response, { etag });
  });
const session =
  '<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>' +
  `<AccessKeyId>ASIA1</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>${sessionToken}</SessionToken>` +
  '<Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>';
const denied =
  '<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type>' +
  '<Code>AccessDenied</Code><Message>not authorized</Message></Error></ErrorResponse>';
const listing =
  '<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>shows/film.mp4</Key>' +
  `<ETag>${etag}</ETag><Size>${film.length}</Size></Contents></ListBucketResult>`;

const rolesAt = (endpoint: string) =>
  createSTSRoleSessions(principal, {
    region: 'eu-central-1',
    endpoint,
    maxAttempts: 1,
    credentials: { accessKeyId: 'task', secretAccessKey: 'task' },
  });

test('is listed and fetched by a role that trusts us for this user', async () => {
  await using aws = await startAWS();
  const roles = rolesAt(aws.url(''));
  await using _scanner = startScanner(service, { roles });
  const worker = startWorker(service.pool(), service.objects(), { roles });
  const user = await service.user();
  trusted = [user.id];
  const url = aws.url('/my-bucket/shows/');
  const source = await watch(user, { kind: 's3', url, credentials: { roleARN } });
  expect(source).toMatchObject({ state: 'ok', reason: null, found: 1, imported: 1, hasCredentials: true });
  const uploads = async () => (await user.call('GET', '/uploads')).body.data;
  await expect
    .poll(async () => (await uploads())[0]?.externalSource.state, { timeout: 15_000, interval: 20 })
    .toBe('completed');
  await worker.stop();

  const [ofListing, ofNobody, ofImport] = asked;
  for (const each of [ofListing!, ofImport!]) {
    expect(Object.fromEntries(each)).toMatchObject({ RoleArn: roleARN, ExternalId: user.id, DurationSeconds: '900' });
    const { Statement } = JSON.parse(each.get('Policy')!);
    expect(Statement.map(({ Action, Resource }: Record<string, string>) => [Action, Resource])).toEqual([
      ['s3:ListBucket', 'arn:aws:s3:::my-bucket'],
      ['s3:GetObject', 'arn:aws:s3:::my-bucket/*'],
      ['kms:Decrypt', '*'],
    ]);
  }
  // This checks whether the role would admit another user.
  expect(ofNobody!.get('ExternalId')).not.toBe(user.id);
  expect(asked).toHaveLength(3);
  expect(new Set(regions)).toEqual(new Set(['eu-central-1']));

  const kept = await service
    .pool()
    .query('select (select jsonb_agg(s) from sources s), (select jsonb_agg(i) from imports i)');
  const told = JSON.stringify([kept.rows, await uploads(), source, service.logged, worker.events]);
  for (const secret of [sessionToken, 'ASIA1', roleARN]) expect(told).not.toContain(secret);
});

test('that does not trust us says what its trust policy needs, and is well once it does', async () => {
  await using aws = await startAWS();
  await using _scanner = startScanner(service, { roles: rolesAt(aws.url('')) });
  const user = await service.user();
  const url = aws.url('/my-bucket/shows/');
  const source = await watch(user, { kind: 's3', url, credentials: { roleARN } });
  expect(source).toMatchObject({ state: 'failing', reason: { code: 'role_refused' }, found: 0 });
  expect(source.reason.detail).toContain(
    `principal ${principal} with the condition StringEquals "sts:ExternalId": "${user.id}"`,
  );
  trusted = [user.id];
  expect(await scanAgain(service, user, source.id)).toMatchObject({ state: 'ok', reason: null, found: 1 });
});

test('that lets everybody in by us is not read', async () => {
  await using aws = await startAWS();
  await using _scanner = startScanner(service, { roles: rolesAt(aws.url('')) });
  const user = await service.user();
  trusted = null;
  const source = await watch(user, { kind: 's3', url: aws.url('/my-bucket/shows/'), credentials: { roleARN } });
  expect(source).toMatchObject({ state: 'failing', reason: { code: 'role_open' }, found: 0 });
});

test('whose role another user names stays closed to that one', async () => {
  await using aws = await startAWS();
  await using _scanner = startScanner(service, { roles: rolesAt(aws.url('')) });
  const [owner, other] = [await service.user(), await service.user()];
  trusted = [owner.id];
  const source = await watch(other, { kind: 's3', url: aws.url('/my-bucket/shows/'), credentials: { roleARN } });
  expect(source).toMatchObject({ state: 'failing', reason: { code: 'role_refused' }, found: 0 });
});

test('needs a platform that can take on roles', async () => {
  await using aws = await startAWS();
  await using _scanner = startScanner(service);
  const user = await service.user();
  const source = await watch(user, { kind: 's3', url: aws.url('/my-bucket/shows/'), credentials: { roleARN } });
  expect(source).toMatchObject({ state: 'failing', reason: { code: 'roles_unavailable' } });
  expect(asked).toEqual([]);
});

const strict = testService({ allowPrivateAddresses: false });
const inAWS = 'https://s3.eu-central-1.amazonaws.com/my-bucket/shows/';

test.each<[string, string, Record<string, string>, number]>([
  ['a role at AWS', inAWS, { roleARN }, 201],
  ['a role at another store', 'https://s3.amazonaws.com.example.org/my-bucket/', { roleARN }, 422],
  ['a role without TLS', inAWS.replace('https', 'http'), { roleARN }, 422],
  ['a role of another name', inAWS, { roleARN: 'arn:aws:iam::222222222222:role/Admin' }, 422],
  ['a role in a folder', inAWS, { roleARN: 'arn:aws:iam::222222222222:role/x/loop-source' }, 422],
  ['a user', inAWS, { roleARN: 'arn:aws:iam::222222222222:user/loop-source' }, 422],
  ['a role and keys', inAWS, { roleARN, accessKeyID: 'a', secretAccessKey: 'b' }, 422],
])('%s is answered with the right status', async (_what, url, credentials, expected) => {
  const user = await strict.user();
  const { status, body } = await user.call('POST', '/sources', { kind: 's3', url, credentials });
  expect({ status, body }).toMatchObject({ status: expected });
});

test('is not named for a folder of WebDAV', async () => {
  const user = await strict.user();
  const source = { kind: 'webdav', url: 'https://example.org/', credentials: { roleARN } };
  expect((await user.call('POST', '/sources', source)).status).toBe(422);
});

// Watched sources on independent servers, to the last byte: WsgiDAV (PyPI), and an emulator's S3.
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { mkdir, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startChild } from '../../bin/local/child-process.ts';
import { letFailSince, scanAgain, startScanner, uploadsOf, watch } from '../imports/scanner.ts';
import { anyBytes } from '../imports/source-server.ts';
import { startWorker } from '../imports/worker.ts';
import { findAWSEmulator } from '../support/aws-emulator.ts';
import { freePort } from '../support/ingests.ts';
import { hasPython, pythonEnvironment } from '../support/python-environment.ts';
import { testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';
import { objectKeyOf } from '../support/stored-uploads.ts';

const service = testService();
const patiently = { timeout: 30_000, interval: 50 };
const emulator = await findAWSEmulator();

/** Waits until all bytes of an upload have arrived. @returns them */
async function bytesOf(user: TestUser, uploadID: string): Promise<Buffer> {
  const look = async () => (await user.call('GET', `/uploads/${uploadID}`)).body.externalSource;
  await expect.poll(look, patiently).toMatchObject({ state: 'completed', failure: null });
  return buffer(await service.objects().read(await objectKeyOf(service, uploadID)));
}

describe.skipIf(!hasPython())('a WebDAV folder (skipped without python3 and PyPI)', () => {
  let folder: string;
  let url: string;
  let start: () => Promise<void>;
  let stop: () => Promise<unknown>;

  beforeAll(async () => {
    const programs = await pythonEnvironment('wsgidav==4.4.0', 'cheroot==11.1.2');
    folder = await mkdtemp(join(tmpdir(), 'webdav-'));
    const port = await freePort();
    const users = { '*': { ada: { password: 'the password' } } };
    const config = {
      host: '127.0.0.1',
      port,
      provider_mapping: { '/': folder },
      simple_dc: { user_mapping: users },
      http_authenticator: { accept_basic: true, accept_digest: false, default_to_digest: false },
    };
    const configFile = join(folder, 'server.json');
    await writeFile(configFile, JSON.stringify(config));
    url = `http://127.0.0.1:${port}/`;
    start = async () => {
      const child = startChild({
        command: join(programs, 'python'),
        args: ['-m', 'wsgidav.server.server_cli', '--config', configFile, '--server', 'cheroot'],
        cwd: folder,
        env: { PATH: process.env.PATH },
        log: () => {},
      });
      stop = () => child.stop('SIGKILL', 0);
      while (!(await fetch(url).catch(() => null))) await delay(50);
    };
    await start();
  });
  afterAll(async () => {
    await stop();
    await rm(folder, { recursive: true });
  });

  /** Writes a file that is old enough to count as completely written. */
  const write = async (path: string, bytes: Buffer, ageSeconds = 3600) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes);
    const at = Math.floor(Date.now() / 1000) - ageSeconds;
    await utimes(join(folder, path), at, at);
  };
  const credentials = { username: 'ada', password: 'the password' };

  test('is watched: files that are added, changed, renamed and removed', async () => {
    await using _scanner = startScanner(service);
    const worker = startWorker(service.pool(), service.objects());
    const user = await service.user();
    const [one, two, three] = [anyBytes(300_000), anyBytes(200_000), anyBytes(100_000)];
    await write('One & only.mp4', one, 4000);
    await write('Shows/Öne #1/two.mp4', two, 5000);
    await write('notes.txt', three);
    const source = await watch(user, { kind: 'webdav', url, folder: 'Cloud', credentials });
    expect(source).toMatchObject({ state: 'ok', reason: null, found: 2, imported: 2 });
    const [first, second] = await uploadsOf(user);
    expect([first, second]).toMatchObject([
      { name: 'One & only.mp4', folder: 'Cloud' },
      { name: 'two.mp4', folder: 'Cloud/Shows/Öne #1' },
    ]);
    expect((await bytesOf(user, first!.id)).equals(one)).toBe(true);
    expect((await bytesOf(user, second!.id)).equals(two)).toBe(true);

    // An unchanged source changes nothing.
    await scanAgain(service, user, source.id);
    expect(await uploadsOf(user)).toHaveLength(2);

    // The file is renamed and moved, which fetches nothing.
    await mkdir(join(folder, 'Moved'));
    await rename(join(folder, 'One & only.mp4'), join(folder, 'Moved/renamed.mp4'));
    await write('Shows/Öne #1/two.mp4', three, 4500);
    expect(await scanAgain(service, user, source.id)).toMatchObject({ found: 2, imported: 2 });
    const changed = await uploadsOf(user);
    expect(changed.find(({ id }) => id === first!.id)).toMatchObject({ name: 'renamed.mp4', folder: 'Cloud/Moved' });
    const anew = changed.find(({ id, name }) => name === 'two.mp4' && id !== second!.id)!;
    expect((await bytesOf(user, anew.id)).equals(three)).toBe(true);
    expect(changed).toHaveLength(3);

    await rm(join(folder, 'Moved/renamed.mp4'));
    expect(await scanAgain(service, user, source.id)).toMatchObject({ found: 1, imported: 1 });
    const removed = (await uploadsOf(user)).filter(({ isRemoved }) => isRemoved);
    expect(removed.map(({ id }) => id)).toEqual([first!.id]);
    await worker.stop();
  });

  test('leaves a file that is being written for a later look', async () => {
    await using _scanner = startScanner(service);
    const user = await service.user();
    await write('Live/growing.mp4', anyBytes(1000), 0);
    const source = await watch(user, { kind: 'webdav', url: `${url}Live`, credentials });
    expect(source).toMatchObject({ found: 1, imported: 0 });
    await write('Live/growing.mp4', anyBytes(2000), 60);
    expect(await scanAgain(service, user, source.id)).toMatchObject({ found: 1, imported: 1 });
  });

  test('that is unreachable for an hour says so, and is well again afterwards', async () => {
    await using _scanner = startScanner(service);
    const user = await service.user();
    await write('Hour/one.mp4', anyBytes(1000));
    const { id } = await watch(user, { kind: 'webdav', url: `${url}Hour/`, credentials });
    await stop();
    const unreachable = { reason: { code: 'source_unreachable' }, found: 1, imported: 1 };
    expect(await scanAgain(service, user, id)).toMatchObject({ state: 'ok', ...unreachable });
    await letFailSince(service, id, 61);
    expect(await scanAgain(service, user, id)).toMatchObject({ state: 'failing', ...unreachable });
    await start();
    expect(await scanAgain(service, user, id)).toMatchObject({ state: 'ok', reason: null, found: 1, imported: 1 });
    expect(await uploadsOf(user)).toMatchObject([{ name: 'one.mp4', isRemoved: false }]);
  });

  test.each([
    ['with a wrong password', '', { ...credentials, password: 'a wrong password' }, 'access_refused'],
    ['without one', '', null, 'access_refused'],
    ['that is not there', 'nowhere/', credentials, 'source_not_found'],
  ])('%s fails at once, and says why', async (_what, path, given, code) => {
    await using _scanner = startScanner(service);
    const user = await service.user();
    const source = await watch(user, { kind: 'webdav', url: url + path, credentials: given });
    expect(source).toMatchObject({ state: 'failing', reason: { code }, found: 0 });
  });
});

describe.skipIf(emulator.missing)(`an S3 prefix ${emulator.note}`, () => {
  const { endpoint, credentials: keys } = emulator.clientConfig;
  const s3 = new S3Client({ ...emulator.clientConfig, forcePathStyle: true });
  const Bucket = 'watched';
  const credentials = { accessKeyID: keys.accessKeyId, secretAccessKey: keys.secretAccessKey };
  const put = (Key: string, Body: Buffer) =>
    s3.send(new PutObjectCommand({ Bucket, Key, Body, ContentType: 'video/mp4' }));

  beforeAll(async () => {
    await s3.send(new CreateBucketCommand({ Bucket }));
  });
  afterAll(() => emulator.stop());

  test('is watched: objects that are added, changed, renamed and removed', async () => {
    await using _scanner = startScanner(service);
    const worker = startWorker(service.pool(), service.objects());
    const user = await service.user();
    const [one, two, three] = [anyBytes(300_000), anyBytes(200_000), anyBytes(100_000)];
    await put('shows/One (1) + é.mp4', one);
    await put('shows/deep/two.mp4', two);
    await put('elsewhere/x.mp4', three);
    const url = `${endpoint}/${Bucket}/shows/`;
    const source = await watch(user, { kind: 's3', url, folder: 'S3', credentials });
    expect(source).toMatchObject({ state: 'ok', reason: null, found: 2, imported: 2 });
    const [first, second] = await uploadsOf(user);
    expect([first, second]).toMatchObject([
      { name: 'One (1) + é.mp4', folder: 'S3' },
      { name: 'two.mp4', folder: 'S3/deep' },
    ]);
    expect((await bytesOf(user, first!.id)).equals(one)).toBe(true);
    expect((await bytesOf(user, second!.id)).equals(two)).toBe(true);
    expect(JSON.stringify((await user.call('GET', `/uploads/${first!.id}`)).body)).not.toContain('X-Amz-');

    await s3.send(
      new CopyObjectCommand({
        Bucket,
        Key: 'shows/renamed.mp4',
        CopySource: `${Bucket}/${encodeURIComponent('shows/One (1) + é.mp4')}`,
      }),
    );
    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'shows/One (1) + é.mp4' }));
    await put('shows/deep/two.mp4', three);
    await scanAgain(service, user, source.id);
    const changed = await uploadsOf(user);
    expect(changed.find(({ id }) => id === first!.id)).toMatchObject({ name: 'renamed.mp4', isRemoved: false });
    expect(changed.map(({ name }) => name)).toEqual(['renamed.mp4', 'two.mp4', 'two.mp4']);

    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'shows/renamed.mp4' }));
    expect(await scanAgain(service, user, source.id)).toMatchObject({ found: 1, imported: 1 });
    const removed = (await uploadsOf(user)).filter(({ isRemoved }) => isRemoved);
    expect(removed.map(({ id }) => id)).toEqual([first!.id]);
    await worker.stop();
  });

  test('of more than a page of objects is listed to its end', async () => {
    await using _scanner = startScanner(service, { limitFactor: 1 });
    const user = await service.user();
    const numbers = Array.from({ length: 1100 }, (_, index) => index);
    for (let from = 0; from < numbers.length; from += 50)
      await Promise.all(numbers.slice(from, from + 50).map((number) => put(`many/${number}.mp3`, Buffer.from('a'))));
    const url = `${endpoint}/${Bucket}/many/`;
    expect(await watch(user, { kind: 's3', url, credentials })).toMatchObject({ found: 1100 });
  });

  test('that is not there fails, and says why', async () => {
    await using _scanner = startScanner(service);
    const user = await service.user();
    const source = await watch(user, { kind: 's3', url: `${endpoint}/no-such-bucket/`, credentials });
    expect(source).toMatchObject({ state: 'failing', reason: { code: 'source_not_found' } });
  });
});

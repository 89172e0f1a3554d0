// Destinations through the REST surface: their keys stay secret, and only allowed addresses are accepted.
import { describe, expect, it } from 'vitest';
import { one } from '../../lambda/data/shared/queryable.ts';
import { destinationKeyPlace, srtPassphrasePlace } from '../../lambda/domain/shared/sealed-places.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { actorsOn } from '../support/actors.ts';
import type { WithPool } from '../support/database.ts';
import { sealedSecretOf } from '../support/sealed-columns.ts';
import { testDataKey, testService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';

/** Creates a destination as a new user. @param changes to an acceptable one */
async function createDestination(service: TestService, changes: object) {
  const body = { name: 'x', rtmpURL: 'rtmp://example.com/live', streamKey: 'k', ...changes };
  return (await service.user()).call('POST', '/destinations', body);
}

async function sealedPassphrase({ pool }: WithPool, id: string): Promise<Buffer | null> {
  const select = 'select sealed_srt_passphrase as sealed from destinations where id = $1';
  return (await one<{ sealed: Buffer | null }>(pool(), select, [id]))!.sealed;
}

describe('POST /destinations on one machine', () => {
  const service = testService();

  it('stores the key sealed, never answers it, and lists the destination', async () => {
    const user = await service.user();
    const { status, headers, body } = await user.call('POST', '/destinations', {
      name: 'ingest',
      rtmpURL: 'rtmp://127.0.0.1:1935/live',
      streamKey: 'top-secret',
    });
    expect(status).toBe(201);
    expect(headers.get('location')).toContain(body.id);
    expect(body).toEqual({
      id: body.id,
      name: 'ingest',
      url: 'rtmp://127.0.0.1:1935/live',
      rtmpURL: 'rtmp://127.0.0.1:1935/live',
      srt: null,
      platform: null,
      limits: null,
      createdAt: body.createdAt,
      lastCheck: null,
    });
    const sealed = await sealedSecretOf(service, 'destinations', body.id);
    expect(sealed.toString('latin1')).not.toContain('top-secret');
    expect((await user.call('GET', `/destinations/${body.id}`)).body).toEqual(body);
    expect((await user.call('GET', '/destinations')).body.data).toEqual([body]);
    expect((await user.call('GET', '/destinations?archived=true')).body.data).toEqual([]);
    expect((await (await service.user()).call('GET', `/destinations/${body.id}`)).status).toBe(404);
  });

  it.each(['http://example.com/live', 'rtmp://example.com', 'rtmp://user:pass@example.com/live', 'not a url'])(
    'refuses %s',
    async (rtmpURL) => {
      const { status, body } = await createDestination(service, { rtmpURL });
      expect([status, body.code, body.errors[0].path]).toEqual([422, 'validation_failed', '/rtmpURL']);
    },
  );

  it.each([
    ['white space in the address', { rtmpURL: 'rtmp://example.com/li ve' }, '/rtmpURL', /white space/],
    ['another scheme', { rtmpURL: 'https://example.com/live' }, '/rtmpURL', /begin with rtmp/],
    ['an address without application', { rtmpURL: 'rtmp://example.com' }, '/rtmpURL', /application is missing/],
    ['a user name', { rtmpURL: 'rtmp://me:pass-word@example.com/live' }, '/rtmpURL', /user name or password/],
    ['white space in the key', { streamKey: 'abcd efgh' }, '/streamKey', /white space/],
    ['a line break after the key', { streamKey: 'abcd-efgh\n' }, '/streamKey', /white space/],
    [
      'an address as the key',
      { streamKey: 'rtmp://example.com/live/abcd-efgh' },
      '/streamKey',
      /Put only the key here/,
    ],
    [
      'the key in the address as well',
      { rtmpURL: 'rtmp://example.com/live/abcd-efgh', streamKey: 'abcd-efgh' },
      '/rtmpURL',
      /Remove the key/,
    ],
    ['a wrong backup address', { backupRtmpURL: 'example.com/live' }, '/backupRtmpURL', /begin with rtmp/],
  ])('refuses %s, says what to do, and does not repeat a secret', async (_, wrong, path, advice) => {
    const refused = await createDestination(service, wrong);
    expect(refused).toMatchObject({
      status: 422,
      body: { code: 'validation_failed', errors: [{ path, detail: expect.stringMatching(advice) }] },
    });
    expect(JSON.stringify(refused.body)).not.toMatch(/abcd|efgh|pass-word/);
  });

  it('accepts a key that is named like the application, and an application of two parts', async () => {
    expect((await createDestination(service, { streamKey: 'live' })).status).toBe(201);
    expect((await createDestination(service, { rtmpURL: 'rtmp://example.com/live/room' })).status).toBe(201);
  });

  it.each(['rtmp://169.254.169.254/live', 'rtmp://[fe80::1]/live', 'rtmp://0.0.0.0/live'])(
    'refuses %s everywhere',
    async (rtmpURL) => {
      const { status, body } = await createDestination(service, { rtmpURL });
      expect([status, body.code]).toEqual([422, 'destination_forbidden']);
    },
  );
});

describe('a destination that is not RTMP', () => {
  const service = testService();
  const youtube = 'https://a.upload.youtube.com/http_upload_hls';
  const create = async (body: object) => (await service.user()).call('POST', '/destinations', { name: 'x', ...body });

  it('takes SRT with a passphrase that nobody reads, and with what a listener has to know', async () => {
    const user = await service.user();
    const srt = { passphrase: 'correct horse', latencyMs: 400, streamID: '#!::r=live/one,m=publish' };
    const { status, body } = await user.call('POST', '/destinations', {
      name: 'x',
      url: 'srt://example.com:9000',
      srt,
    });
    expect([status, body.url, body.rtmpURL]).toEqual([201, 'srt://example.com:9000', undefined]);
    expect(body.srt).toEqual({ latencyMs: 400, streamID: srt.streamID, isEncrypted: true });
    expect(JSON.stringify(body)).not.toContain('horse');
    const sealed = await sealedPassphrase(service, body.id);
    expect(createSealer([testDataKey]).open(sealed!, srtPassphrasePlace(body.id))).toBe('correct horse');

    const patch = (change: object) => user.call('PATCH', `/destinations/${body.id}`, change);
    expect((await patch({ srt: { latencyMs: 500 } })).body.srt).toEqual({ ...body.srt, latencyMs: 500 });
    expect(await patch({ url: 'srt://example.org:9000' })).toMatchObject({
      status: 422,
      body: { errors: [{ path: '/url', detail: expect.stringContaining('srt.passphrase') }] },
    });
    const open = (await patch({ url: 'srt://example.org:9000', srt: { passphrase: null, streamID: null } })).body;
    expect(open).toMatchObject({ url: 'srt://example.org:9000', srt: { isEncrypted: false, streamID: null } });
    expect(await sealedPassphrase(service, body.id)).toBeNull();
  });

  it('takes the address that YouTube shows for HLS, and keeps the key out of what it answers', async () => {
    const { status, body } = await create({
      url: `${youtube}?cid=abcd-efgh&copy=0&file=`,
      backupURL: `${youtube.replace('//a', '//b')}?cid=abcd-efgh&copy=1&file=`,
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      url: `${youtube}?cid={streamKey}&copy=0&file=`,
      backupURL: `${youtube.replace('//a', '//b')}?cid={streamKey}&copy=1&file=`,
      srt: null,
      platform: 'youtube',
      limits: { videoCodecs: ['h264', 'hevc'], maxQuality: 'q_2160p', maxKeyframeSeconds: 4 },
    });
    expect(body).not.toHaveProperty('backupRtmpURL');
    expect(JSON.stringify(body)).not.toContain('abcd');
    const sealed = await sealedSecretOf(service, 'destinations', body.id);
    expect(createSealer([testDataKey]).open(sealed, destinationKeyPlace(body.id))).toBe('abcd-efgh');
  });

  it('knows what the platform at an RTMP address takes, too', async () => {
    const { body } = await create({ url: 'rtmps://live.twitch.tv/app', streamKey: 'k' });
    expect(body).toMatchObject({
      rtmpURL: 'rtmps://live.twitch.tv/app',
      platform: 'twitch',
      limits: { videoCodecs: ['h264'], maxVideoBitrateKbps: 6000, longestConnectionSeconds: 172_800 },
    });
  });

  it.each([
    ['no address', { streamKey: 'k' }, '/url', /missing/],
    ['two addresses', { url: 'srt://example.com:9000', rtmpURL: 'rtmp://example.com/live' }, '/url', /either/],
    ['another scheme', { url: 'udp://example.com:9000' }, '/url', /begin with rtmp/],
    ['SRT without a port', { url: 'srt://example.com' }, '/url', /srt:\/\/HOST:PORT/],
    ['a passphrase in the address', { url: 'srt://example.com:9000?passphrase=correct-horse' }, '/url', /go into srt/],
    ['a stream key for SRT', { url: 'srt://example.com:9000', streamKey: 'k' }, '/streamKey', /srt.streamID/],
    ['SRT for RTMP', { url: 'rtmp://example.com/live', streamKey: 'k', srt: {} }, '/srt', /srt:\/\/ addresses/],
    ['RTMP without a key', { url: 'rtmp://example.com/live' }, '/streamKey', /missing/],
    ['a short passphrase', { url: 'srt://example.com:9000', srt: { passphrase: 'horse' } }, '/srt/passphrase', /./],
    ['a latency of a minute', { url: 'srt://example.com:9000', srt: { latencyMs: 60_000 } }, '/srt/latencyMs', /./],
    ['a page', { url: 'https://example.com/index.html' }, '/url', /file name is appended/],
    ['a login', { url: 'https://me:secret@example.com/live/' }, '/url', /user name/],
    ['a key without a place', { url: 'https://example.com/live/', streamKey: 'k' }, '/streamKey', /\{streamKey\}/],
    ['a place without a key', { url: `${youtube}?cid={streamKey}&file=` }, '/streamKey', /missing/],
    [
      'a backup over another way',
      { url: 'srt://example.com:9000', backupURL: 'https://example.com/live/' },
      '/backupURL',
      /same protocol/,
    ],
    [
      'a backup at the same address',
      { url: 'https://example.com/live/', backupURL: 'https://example.com/live/' },
      '/backupURL',
      /copy=1/,
    ],
  ])('is refused with %s, in words', async (_, wrong, path, advice) => {
    const refused = await create(wrong);
    expect(refused).toMatchObject({
      status: 422,
      body: { code: 'validation_failed', errors: [{ path, detail: expect.stringMatching(advice) }] },
    });
    expect(JSON.stringify(refused.body)).not.toMatch(/correct-horse|secret/);
  });

  it.each(['srt://169.254.169.254:9000', 'https://169.254.169.254/live/'])('is refused at %s', async (url) => {
    expect(await create({ url })).toMatchObject({ status: 422, body: { code: 'destination_forbidden' } });
  });
});

describe('PATCH /destinations/{id}', () => {
  const service = testService();
  const made = {
    name: 'before',
    rtmpURL: 'rtmp://example.com/live',
    backupRtmpURL: 'rtmp://backup.example.com/live',
    streamKey: 'old-key',
  };
  const sealedKeyOf = (id: string) => sealedSecretOf(service, 'destinations', id);

  it('leaves absent fields as they are, clears the backup address by null, and seals a new key', async () => {
    const user = await service.user();
    const { body: destination } = await user.call('POST', '/destinations', made);
    const sealed = await sealedKeyOf(destination.id);
    const renamed = await user.call('PATCH', `/destinations/${destination.id}`, { name: 'after' });
    expect(renamed).toMatchObject({ status: 200, body: { ...destination, name: 'after' } });
    expect(await sealedKeyOf(destination.id)).toEqual(sealed);
    const { body } = await user.call('PATCH', `/destinations/${destination.id}`, {
      backupRtmpURL: null,
      streamKey: 'new-key',
      rtmpURL: 'rtmps://example.com/app',
    });
    expect(body).toEqual({
      id: destination.id,
      name: 'after',
      url: 'rtmps://example.com/app',
      rtmpURL: 'rtmps://example.com/app',
      srt: null,
      platform: null,
      limits: null,
      lastCheck: null,
      createdAt: destination.createdAt,
    });
    const resealed = await sealedKeyOf(destination.id);
    expect(createSealer([testDataKey]).open(resealed, destinationKeyPlace(destination.id))).toBe('new-key');
  });

  it.each([
    [{ rtmpURL: 'rtmp://elsewhere.example.org/live' }, ['/rtmpURL']],
    [{ rtmpURL: 'rtmp://example.com:1936/live' }, ['/rtmpURL']],
    [{ rtmpURL: 'rtmps://example.com:1935/live' }, ['/rtmpURL']],
    // Several customers of one host may have a path each.
    [{ rtmpURL: 'rtmp://example.com/other' }, ['/rtmpURL']],
    [{ backupRtmpURL: 'rtmp://elsewhere.example.org/live' }, ['/backupRtmpURL']],
    [
      { rtmpURL: 'rtmp://a.example.org/live', backupRtmpURL: 'rtmp://b.example.org/live' },
      ['/rtmpURL', '/backupRtmpURL'],
    ],
  ])('sends the stored key to no other server: %j needs another one', async (moved, paths) => {
    const user = await service.user();
    const { body: destination } = await user.call('POST', '/destinations', made);
    const patch = (body: object) => user.call('PATCH', `/destinations/${destination.id}`, body);
    const { status, body } = await patch({ name: 'after', ...moved });
    expect([status, body.code]).toEqual([422, 'validation_failed']);
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual(paths);
    expect((await user.call('GET', `/destinations/${destination.id}`)).body).toEqual(destination);
    expect((await patch({ ...moved, streamKey: 'new-key' })).body).toMatchObject(moved);
  });

  it('sends the stored key for HLS to no other path of the same server', async () => {
    const user = await service.user();
    const url = 'https://shared.example.com/tenant-a/{streamKey}/';
    const { body } = await user.call('POST', '/destinations', { name: 'x', url, streamKey: 'secret-key' });
    const patch = (change: object) => user.call('PATCH', `/destinations/${body.id}`, change);
    const { status, body: refusal } = await patch({ url: 'https://shared.example.com/tenant-b/{streamKey}/' });
    expect([status, refusal.errors?.[0].path]).toEqual([422, '/url']);
    // An address without a place for the key may be any, and does not lead to one with a place.
    expect((await patch({ url: 'https://shared.example.com/tenant-b/' })).status).toBe(200);
    for (const tenant of ['tenant-b/{streamKey}/', 'tenant-b/?key={streamKey}&file=', '{streamKey}/tenant-b/'])
      expect((await patch({ url: `https://shared.example.com/${tenant}` })).status).toBe(422);
    expect((await user.call('GET', `/destinations/${body.id}`)).body.url).toBe('https://shared.example.com/tenant-b/');
    expect((await patch({ url: 'https://shared.example.com/key/' })).status).toBe(200);
    expect((await patch({ backupURL: 'https://shared.example.com/{streamKey}/' })).status).toBe(422);
  });

  it('may have its addresses the other way round, with the key that it has', async () => {
    const user = await service.user();
    const { body: destination } = await user.call('POST', '/destinations', made);
    const changed = { rtmpURL: 'rtmp://BACKUP.example.com:1935/live', backupRtmpURL: 'rtmp://example.com/live' };
    expect((await user.call('PATCH', `/destinations/${destination.id}`, changed)).body).toMatchObject(changed);
  });

  it.each([
    [{ name: null }, '/name'],
    [{ rtmpURL: null }, '/rtmpURL'],
    [{ streamKey: '' }, '/streamKey'],
    [{ backupRtmpURL: 'http://x/y' }, '/backupRtmpURL'],
  ])('refuses %j and changes nothing', async (wrong, path) => {
    const user = await service.user();
    const { body: destination } = await user.call('POST', '/destinations', made);
    const { status, body } = await user.call('PATCH', `/destinations/${destination.id}`, { name: 'after', ...wrong });
    expect([status, body.code, body.errors[0].path]).toEqual([422, 'validation_failed', path]);
    expect((await user.call('GET', `/destinations/${destination.id}`)).body).toEqual(destination);
  });
});

describe('DELETE /destinations/{id}', () => {
  const service = testService();
  const { call, destination, readyStream, stream } = actorsOn(service);

  it('archives a destination: it can be read, is listed only as archived, and no stream starts on it', async () => {
    const destinationID = await destination();
    const streamID = await readyStream({ destinationID });
    expect((await call('DELETE', `/destinations/${destinationID}`)).status).toBe(204);
    const { status, body } = await call('GET', `/destinations/${destinationID}`);
    expect([status, body.archivedAt]).toEqual([200, expect.any(String)]);
    expect((await call('GET', '/destinations')).body.data).not.toContainEqual(
      expect.objectContaining({ id: destinationID }),
    );
    expect((await call('GET', '/destinations?archived=true')).body.data).toEqual([body]);
    expect((await stream(streamID)).state).toBe('invalid');
    const refused = await call('POST', `/streams/${streamID}/start`);
    expect(refused.body.readiness.issues).toMatchObject([{ path: 'DESTINATION', code: 'destination_archived' }]);
    await call('DELETE', `/destinations/${destinationID}`);
    expect((await call('GET', `/destinations/${destinationID}`)).body).toEqual(body);
    const restored = await call('POST', `/destinations/${destinationID}/restore`);
    expect([restored.status, restored.body.archivedAt]).toEqual([200, undefined]);
    expect((await stream(streamID)).state).toBe('draft');
  });

  it('is refused while a live stream uses the destination, and not afterwards', async () => {
    const destinationID = await destination();
    const streamID = await readyStream({ destinationID });
    await call('POST', `/streams/${streamID}/start`);
    expect(await call('DELETE', `/destinations/${destinationID}`)).toMatchObject({
      status: 422,
      body: { code: 'resource_in_use' },
    });
    await call('POST', `/streams/${streamID}/stop`);
    expect((await call('DELETE', `/destinations/${destinationID}`)).status).toBe(204);
  });

  it('at the same moment as a start happens either before it or not at all', async () => {
    for (let round = 0; round < 8; round++) {
      const destinationID = await destination();
      const streamID = await readyStream({ destinationID });
      const [archived, started] = await Promise.all([
        call('DELETE', `/destinations/${destinationID}`),
        call('POST', `/streams/${streamID}/start`),
      ]);
      const outcome = [archived.status, started.status, (await stream(streamID)).state];
      expect([
        [204, 422, 'invalid'],
        [422, 200, 'activating'],
      ]).toContainEqual(outcome);
    }
  });
});

describe('the destination of another user', () => {
  const service = testService();
  const { destination, readyStream, transaction } = actorsOn(service);

  it('is not found at once, also while a transaction has locked a stream that uses it', async () => {
    const destinationID = await destination();
    const streamID = await readyStream({ destinationID });
    const other = await service.user();
    const change = { rtmpURL: 'rtmp://example.com/live', streamKey: 'k' };
    await transaction(async (tx) => {
      await tx.streams.lockAny(streamID);
      expect(await other.call('PATCH', `/destinations/${destinationID}`, change)).toMatchObject({ status: 404 });
    });
  });
});

describe('POST /destinations in AWS', () => {
  const service = testService({ allowPrivateAddresses: false });

  it.each([
    'rtmp://127.0.0.1/live',
    'rtmp://localhost/live',
    'rtmps://10.0.0.8/live',
    'rtmp://[::1]/live',
    'rtmp://[::ffff:192.168.0.1]/live',
    'rtmp://metadata.google.internal/live',
  ])('refuses %s', async (rtmpURL) => {
    const { status, body } = await createDestination(service, { rtmpURL });
    expect([status, body.code]).toEqual([422, 'destination_forbidden']);
  });

  it('accepts a public address', async () => {
    const addresses = { rtmpURL: 'rtmps://live.example.com:443/app', backupRtmpURL: 'rtmps://backup.example.com/app' };
    expect((await createDestination(service, addresses)).status).toBe(201);
  });
});

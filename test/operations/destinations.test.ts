// Destinations through the REST surface: their keys stay secret, and only allowed addresses are accepted.
import { describe, expect, it } from 'vitest';
import { destinationKeyPlace } from '../../lambda/domain/sealed-places.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { actorsOn } from '../support/actors.ts';
import { sealedSecretOf } from '../support/sealed-columns.ts';
import { testDataKey, testService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';

/** Makes a destination as a new user. @param changes to one that is accepted */
async function createDestination(service: TestService, changes: object) {
  const body = { name: 'x', rtmpURL: 'rtmp://example.com/live', streamKey: 'k', ...changes };
  return (await service.user()).call('POST', '/destinations', body);
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
      rtmpURL: 'rtmp://127.0.0.1:1935/live',
      createdAt: body.createdAt,
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
      /Leave the key out/,
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
      rtmpURL: 'rtmps://example.com/app',
      createdAt: destination.createdAt,
    });
    const resealed = await sealedKeyOf(destination.id);
    expect(createSealer([testDataKey]).open(resealed, destinationKeyPlace(destination.id))).toBe('new-key');
  });

  it.each([
    [{ rtmpURL: 'rtmp://elsewhere.example.org/live' }, ['/rtmpURL']],
    [{ rtmpURL: 'rtmp://example.com:1936/live' }, ['/rtmpURL']],
    [{ rtmpURL: 'rtmps://example.com:1935/live' }, ['/rtmpURL']],
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

  it('may have other paths, and its addresses the other way round, with the key that it has', async () => {
    const user = await service.user();
    const { body: destination } = await user.call('POST', '/destinations', made);
    const changed = { rtmpURL: 'rtmp://BACKUP.example.com:1935/other', backupRtmpURL: 'rtmp://example.com/live' };
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

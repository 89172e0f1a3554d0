// Destinations through the REST surface: their keys stay secret, and their addresses allowed ones.
import { describe, expect, it } from 'vitest';
import { testService } from '../support/service.ts';

describe('on one machine', () => {
  const service = testService();

  it('stores the key sealed, never answers it, and lists the destination', async () => {
    const user = await service.user();
    const { status, headers, body } = await user.call('POST', '/destinations', { name: 'ingest', rtmpURL: 'rtmp://127.0.0.1:1935/live', streamKey: 'top secret' });
    expect(status).toBe(201);
    expect(headers.get('location')).toContain(body.id);
    expect(body).toEqual({ id: body.id, name: 'ingest', rtmpURL: 'rtmp://127.0.0.1:1935/live', createdAt: body.createdAt });
    const { rows } = await service.pool().query('select sealed_stream_key from destinations where id = $1', [body.id]);
    expect(rows[0].sealed_stream_key.toString('latin1')).not.toContain('top secret');
    expect((await user.call('GET', `/destinations/${body.id}`)).body).toEqual(body);
    expect((await user.call('GET', '/destinations')).body.data).toEqual([body]);
    expect((await user.call('GET', '/destinations?archived=true')).body.data).toEqual([]);
    expect((await (await service.user()).call('GET', `/destinations/${body.id}`)).status).toBe(404);
  });

  it.each(['http://example.com/live', 'rtmp://example.com', 'rtmp://user:pass@example.com/live', 'not a url'])('refuses %s', async (rtmpURL) => {
    const user = await service.user();
    const { status, body } = await user.call('POST', '/destinations', { name: 'x', rtmpURL, streamKey: 'k' });
    expect([status, body.code, body.errors[0].path]).toEqual([422, 'validation_failed', '/rtmpURL']);
  });

  it.each(['rtmp://169.254.169.254/live', 'rtmp://[fe80::1]/live', 'rtmp://0.0.0.0/live'])('refuses %s everywhere', async (rtmpURL) => {
    const { status, body } = await (await service.user()).call('POST', '/destinations', { name: 'x', rtmpURL, streamKey: 'k' });
    expect([status, body.code]).toEqual([422, 'destination_forbidden']);
  });
});

describe('in AWS', () => {
  const service = testService({ allowPrivateAddresses: false });

  it.each(['rtmp://127.0.0.1/live', 'rtmp://localhost/live', 'rtmps://10.0.0.8/live', 'rtmp://[::1]/live', 'rtmp://[::ffff:192.168.0.1]/live', 'rtmp://metadata.google.internal/live'])('refuses %s', async (rtmpURL) => {
    const { status, body } = await (await service.user()).call('POST', '/destinations', { name: 'x', rtmpURL, streamKey: 'k' });
    expect([status, body.code]).toEqual([422, 'destination_forbidden']);
  });

  it('takes a public address', async () => {
    const body = { name: 'x', rtmpURL: 'rtmps://live.example.com:443/app', streamKey: 'k', backupRtmpURL: 'rtmps://backup.example.com/app' };
    expect((await (await service.user()).call('POST', '/destinations', body)).status).toBe(201);
  });
});

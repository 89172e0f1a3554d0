// The backend of a stream: the stage's at creation, another one if the stage or an operator allows it.
import { describe, expect, it } from 'vitest';
import { actorsOn } from '../support/actors.ts';
import { testService } from '../support/service.ts';

describe('on a stage that lets only those change backends whom operators let', () => {
  const service = testService();
  const { call, readyStream, startedStream, user } = actorsOn(service);
  const backendOf = async (id: string) => (await call('GET', `/streams/${id}`)).body.streamBackend;
  const change = (id: string, streamBackend: string | null) => call('PATCH', `/streams/${id}`, { streamBackend });

  it('a stream is created with the backend that it names, and with ffmpeg where it names none', async () => {
    expect(await backendOf(await readyStream())).toBeNull();
    expect(await backendOf(await readyStream({ streamBackend: 'manifest' }))).toBe('manifest');
  });

  it('another backend is refused, in a sentence that says what to do, and nothing changes', async () => {
    const id = await readyStream();
    const { status, body } = await change(id, 'manifest');
    expect([status, body.code]).toEqual([403, 'feature_disabled']);
    expect(body.detail).toMatch(/create_stream.*streamBackendEdit/);
    expect(await backendOf(id)).toBeNull();
  });

  it('the backend that a stream has is accepted, live or not, where null is ffmpeg', async () => {
    for (const id of [await readyStream(), await startedStream()])
      for (const same of ['ffmpeg', null, 'ffmpeg']) expect((await change(id, same)).status).toBe(200);
    const prepared = await readyStream({ streamBackend: 'manifest' });
    expect((await change(prepared, 'manifest')).status).toBe(200);
  });

  it('an operator lets a user change it, but not while the stream is live', async () => {
    await service.pool().query('update users set stream_backend_edit = true where id = $1', [user().id]);
    const id = await readyStream();
    expect((await change(id, 'manifest')).status).toBe(200);
    expect((await change(await startedStream(), 'manifest')).body.code).toBe('stream_live');
  });

  it('readiness advises manifest for what is encoded and can start, with the way that is open', async () => {
    const adviceOn = async (id: string) => (await call('GET', `/streams/${id}/readiness`)).body.advice;
    const advice = { code: 'use_manifest', suggestion: expect.stringContaining('Create a new stream') };
    expect(await adviceOn(await readyStream())).toEqual([advice]);
    expect(await adviceOn(await readyStream({ streamBackend: 'manifest' }))).toEqual([]);
    expect(await adviceOn(await startedStream())).toEqual([]);
    expect(await adviceOn(await readyStream({ videoUploadObjectID: null }))).toEqual([]);
  });
});

describe('on a stage that prefers manifest and lets everybody change it', () => {
  const { call, readyStream } = actorsOn(testService({ defaultStreamBackend: 'manifest', streamBackendEdit: true }));

  it('a stream that names no backend is one of manifest, and what the stage says is in GET /me', async () => {
    const id = await readyStream({ videoCodec: 'hevc' });
    expect((await call('GET', `/streams/${id}`)).body).toMatchObject({ streamBackend: 'manifest', videoCodec: 'hevc' });
    expect((await call('GET', '/me')).body.featureFlags).toEqual({ streamBackendEdit: true });
  });

  it('a stream may be encoded, and changed', async () => {
    const id = await readyStream({ streamBackend: 'ffmpeg' });
    expect((await call('GET', `/streams/${id}/readiness`)).body.advice).toMatchObject([
      { suggestion: expect.stringContaining('with update_stream') },
    ]);
    expect((await call('PATCH', `/streams/${id}`, { streamBackend: 'manifest' })).status).toBe(200);
  });
});

// Slates of live inputs: settings, preparation, takeovers that wait for it, losses, and the way back to the loop.
import { describe, expect, it } from 'vitest';
import { fixedAheadSeconds } from '../../lambda/domain/live/takeover-plan.ts';
import { pretendReceived } from '../support/live-inputs.ts';
import { testService } from '../support/service.ts';
import { takeoversOn } from '../support/timed-takeovers.ts';

const service = testService();
const {
  becomeStable,
  call,
  create,
  data,
  handBack,
  lose,
  newInput,
  readyStream,
  streamID,
  takeOver,
  takeover,
  unprobed,
  upload,
} = takeoversOn(service);

/** An upload whose content is known. */
const slate = async (facts?: Parameters<typeof upload>[0]): Promise<string> => {
  const id = await upload(facts);
  await service.pool().query('update uploads set content_hash = id where id = $1', [id]);
  return id;
};
const inputOf = async (id: string) => (await call('GET', `/live-inputs/${id}`)).body;
const renditions = async () =>
  (await service.pool().query('select format, state from renditions order by format')).rows;
const setPrepared = (state = 'ready') =>
  service.pool().query(`update renditions set state = $1 where format like '%-inorder'`, [state]);
/** Lets viewers have seen the takeover of the stream for some seconds. */
const letPass = (seconds: number) =>
  service.pool().query(
    `with moved as (
       update streams set anchored_at = anchored_at - make_interval(secs => $2) where id = $1 returning anchored_at)
     update takeovers t set anchored_at = m.anchored_at from moved m where t.stream_id = $1`,
    [streamID(), seconds],
  );

/** An input with a prepared slate, whose session is shown. */
async function shownInput(more: object = {}) {
  const slateUploadID = await slate({ durationSeconds: 8 });
  const id = await newInput({ takes: 'always', slateUploadID, graceSeconds: 60, ...more });
  await setPrepared();
  const sessionID = await pretendReceived(service, id);
  expect(await becomeStable(id)).toBe(true);
  return { id, slateUploadID, sessionID };
}
const lastInterval = async () => (await data().takeovers.lastOf(streamID()))!.intervals.at(-1)!;

describe('the slate of a live input', () => {
  it('is null by default, and is set, kept and removed', async () => {
    const id = await newInput();
    expect(await inputOf(id)).toMatchObject({ slateUploadID: null, slateReason: null });
    const slateUploadID = await slate();
    const change = (fields: object) => call('PATCH', `/live-inputs/${id}`, fields);
    expect((await change({ slateUploadID })).body).toMatchObject({ slateUploadID });
    expect((await change({ name: 'Stage' })).body).toMatchObject({ slateUploadID });
    expect((await change({ slateUploadID: null })).body).toMatchObject({ slateUploadID: null, slateReason: null });
  });

  it('is prepared once it is named, in the format of its stream', async () => {
    const id = await newInput({ slateUploadID: await slate() });
    expect(await renditions()).toContainEqual({ format: expect.stringMatching(/^q_.*-inorder$/), state: 'preparing' });
    expect((await inputOf(id)).slateReason).toContain('being prepared');
    await setPrepared('failed');
    expect((await inputOf(id)).slateReason).toContain('cannot be prepared');
    await setPrepared();
    expect((await inputOf(id)).slateReason).toBeNull();
  });

  it.each([
    ['is of another user', async () => 'upl_0000000000000000000000000'],
    ['is not examined yet', () => unprobed()],
    ['is too short', () => upload({ durationSeconds: 1 })],
  ])('is refused if it %s', async (_, slateOf) => {
    const slateUploadID = await slateOf();
    const { status, body } = await call('POST', '/live-inputs', { name: 'x', streamID: streamID(), slateUploadID });
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([{ path: '/slateUploadID' }]);
  });

  it('is not deleted, and the refusal names the input', async () => {
    const slateUploadID = await slate();
    const id = await newInput({ slateUploadID });
    const { status, body } = await call('DELETE', `/uploads/${slateUploadID}`);
    expect([status, body.code]).toEqual([422, 'resource_in_use']);
    expect(body.detail).toContain(id);
    await call('DELETE', `/live-inputs/${id}`);
    expect((await call('DELETE', `/uploads/${slateUploadID}`)).status).toBe(204);
  });

  it('is not possible on a stream in another codec', async () => {
    await service.pool().query(`update streams set run_video_codec = 'hevc' where id = $1`, [streamID()]);
    const id = await newInput({ slateUploadID: await slate() });
    expect((await inputOf(id)).slateReason).toContain('h264');
  });
});

describe('a takeover with a slate', () => {
  it('waits until the slate is prepared, and is refused in words before', async () => {
    const id = await newInput({ takes: 'always', slateUploadID: await slate() });
    await pretendReceived(service, id);
    expect(await becomeStable(id)).toBe(false);
    const { status, body } = await takeOver(id);
    expect([status, body.code]).toEqual([422, 'slate_not_prepared']);
    expect(body.detail).toContain('being prepared');
    await setPrepared();
    expect(await becomeStable(id)).toBe(true);
    expect(await takeover()).toMatchObject({ liveInputID: id, state: 'shown' });
  });

  it('shows it after a loss for the grace, up to a keyframe of the loop', async () => {
    const { slateUploadID, sessionID } = await shownInput();
    await letPass(12);
    await lose(sessionID);
    const { toFrame, slate } = await lastInterval();
    expect(slate).toEqual({ uploadID: slateUploadID, seconds: 60, toFrame: expect.any(Number) });
    const seconds = (slate!.toFrame! - toFrame!) / 30;
    expect(seconds).toBeGreaterThanOrEqual(60);
    expect(seconds).toBeLessThan(62);
    const shown = await takeover();
    expect(shown.state).toBe('lost');
    expect((Date.parse(shown.returnsAt) - Date.now()) / 1000).toBeGreaterThan(50);
  });

  it('has its poster while it is shown', async () => {
    const { slateUploadID, sessionID } = await shownInput();
    await letPass(12);
    await lose(sessionID);
    await letPass(12);
    const { posterURL } = (await call('GET', `/streams/${streamID()}`)).body;
    const looked = service.send(new Request(posterURL));
    const query = (text: string) => service.pool().query(text);
    const asked = async () => (await query('select distinct upload_id from frames')).rows;
    await expect.poll(asked).toEqual([{ upload_id: slateUploadID }]);
    await query(`update frames set state = 'ready'`);
    expect((await looked).status).toBe(302);
  });

  it('shows the loop ten seconds after a hand-back', async () => {
    const { sessionID } = await shownInput();
    await letPass(12);
    await lose(sessionID);
    const { toFrame } = await lastInterval();
    const { status, body } = await handBack();
    expect(status).toBe(202);
    const seconds = (Date.parse(body.returnsAt) - Date.now()) / 1000;
    expect(seconds).toBeGreaterThan(9);
    expect(seconds).toBeLessThan(fixedAheadSeconds + 3);
    const interval = await lastInterval();
    expect(interval.toFrame).toBe(toFrame);
    expect(await takeover()).toMatchObject({ state: 'ending', returnsAt: body.returnsAt });
  });

  it('shows none after a hand-back of a contributor who is there', async () => {
    await shownInput();
    await letPass(12);
    await handBack();
    expect((await lastInterval()).slate!.toFrame).toBeNull();
  });

  it('continues with the next session before the slate is over', async () => {
    const { id, sessionID } = await shownInput({ stableSeconds: 2 });
    await letPass(12);
    await lose(sessionID);
    const before = await lastInterval();
    await pretendReceived(service, id);
    expect(await becomeStable(id)).toBe(true);
    const after = await lastInterval();
    expect(after.fromFrame).toBeGreaterThan(before.toFrame!);
    expect(after.fromFrame).toBeLessThan(before.slate!.toFrame!);
    expect(after.slate!.toFrame).toBeNull();
  });
});

it('the slate of an input is requested when its stream starts', async () => {
  const id = await readyStream({ streamBackend: 'manifest' });
  await create('/live-inputs', { name: 'Studio', streamID: id, slateUploadID: await slate() });
  await service.pool().query('delete from renditions');
  expect((await call('POST', `/streams/${id}/start`)).status).toBe(200);
  expect((await renditions()).map(({ format }) => format)).toContainEqual(expect.stringMatching(/-inorder$/));
});

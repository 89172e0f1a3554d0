// The timeline of a stream through the REST surface: current and past items, and their aired parts.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Replica } from '../../lambda/data/fleet/replicas.ts';
import type { AiredStretch } from '../../lambda/domain/playout/aired.ts';
import { publishDraft } from '../../lambda/orchestration/playout/publish-draft.ts';
import { recoverReplicas } from '../../lambda/orchestration/fleet/recover-replicas.ts';
import { actorsOn, inFuture, statsWith } from '../support/actors.ts';
import { testService } from '../support/service.ts';

const service = testService();
const actors = actorsOn(service);
const { call, claim, data, loseLease, readyStream, register, report, transaction, upload } = actors;
const fps = 30;

let streamID: string;
let playlistID: string;
let firstOutput: string;

/** Creates a stream that plays clips, named by their lengths in seconds. */
beforeEach(async () => {
  streamID = await readyStream({ videoUploadObjectID: null, framerate: 'f_30' });
  playlistID = (await call('POST', '/playlists', { streamID, kind: 'video', mode: 'sequential' })).body.id;
  firstOutput = (await call('GET', `/streams/${streamID}/outputs`)).body.data[0].id;
  await replaceBy(7, 5);
  await register('agent');
});

async function replaceBy(...durations: number[]): Promise<void> {
  const operations: object[] = [{ op: 'clear' }];
  for (const durationSeconds of durations) {
    const uploadID = await upload({ durationSeconds });
    await call('PATCH', `/uploads/${uploadID}`, { name: `of ${durationSeconds} s` });
    operations.push({ op: 'add', uploadID });
  }
  await call('POST', `/playlists/${playlistID}/operations`, { operations });
}

const timeline = async (query = '') => (await call('GET', `/streams/${streamID}/timeline${query}`)).body;
const namesOf = ({ data: rows }: { data: { name: string }[] }) => rows.map(({ name }) => name);

/** Starts the stream with a first frame that was due this many seconds ago. */
async function goLive(secondsAgo: number): Promise<{ replica: Replica; anchoredAt: Date }> {
  await call('POST', `/streams/${streamID}/start`);
  const [replica] = await claim('agent');
  await data().streams.anchor(streamID);
  await report(replica!, 'live');
  await service
    .pool()
    .query('update streams set anchored_at = now() - make_interval(secs => $2) where id = $1', [streamID, secondsAgo]);
  return { replica: replica!, anchoredAt: (await data().streams.find(actors.user().id, streamID))!.anchored_at! };
}

const secondsAfter = (time: Date, seconds: number) => new Date(time.getTime() + seconds * 1000).toISOString();
const stretch = (fromSeconds: number, toSeconds: number, standIn: string | null = null): AiredStretch => ({
  from: fromSeconds * fps,
  to: toSeconds * fps,
  bytes: 1000,
  standIn,
  soundStandIn: null,
});
const figuresOf = (replica: Replica, aired: AiredStretch[]) => ({
  replicaID: replica.id,
  epoch: replica.epoch,
  stats: statsWith({ aired }),
});
const part = (fromSeconds: number, toSeconds: number, standInUploadID: string | null = null) => ({
  outputID: firstOutput,
  fromSeconds,
  toSeconds,
  standInUploadID,
  liveSessionID: null,
  liveUploadID: null,
});

/** Ends the run, as its agent reports it. */
async function stop(replica: Replica, aired: AiredStretch[]): Promise<void> {
  await call('POST', `/streams/${streamID}/stop`);
  await report(replica, 'ended', { figures: figuresOf(replica, aired) });
}

describe('GET /streams/{id}/timeline', () => {
  it('has no rows before the stream has ever been live', async () => {
    expect(await timeline()).toEqual({ data: [], page: { hasMore: false, nextCursor: '' } });
  });

  it('says what plays now and next, to the millisecond', async () => {
    const { anchoredAt } = await goLive(14);
    const { data: rows, page } = await timeline();
    expect(rows).toHaveLength(20);
    expect(page.hasMore).toBe(true);
    expect(rows[0]).toMatchObject({ name: 'of 7 s', startAt: secondsAfter(anchoredAt, 12), playlistID, aired: [] });
    expect(rows[0].positionSeconds).toBeGreaterThanOrEqual(2);
    expect(rows[0].positionSeconds).toBeLessThan(7);
    expect(rows[1]).toMatchObject({
      name: 'of 5 s',
      startAt: secondsAfter(anchoredAt, 19),
      endAt: secondsAfter(anchoredAt, 24),
      positionSeconds: 0,
      aired: null,
    });
  });

  it('goes on page after page without a gap, over the loops of any time to come', async () => {
    const { anchoredAt } = await goLive(0);
    const from = secondsAfter(anchoredAt, 12 * 1_000_000);
    const range = `?from=${from}&to=${secondsAfter(anchoredAt, 12 * 1_000_003)}`;
    const whole = await timeline(range);
    expect(namesOf(whole)).toEqual(['of 7 s', 'of 5 s', 'of 7 s', 'of 5 s', 'of 7 s', 'of 5 s']);
    const pages: object[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await timeline(`${range}&limit=1${cursor && `&cursor=${cursor}`}`);
      pages.push(...page.data);
      cursor = page.page.hasMore ? page.page.nextCursor : null;
    }
    expect(pages).toEqual(whole.data);
  });

  it('shows on all pages what one start of a stream would play', async () => {
    const first = await timeline('?draft=true&limit=1');
    const second = await timeline(`?draft=true&limit=2&cursor=${first.page.nextCursor}`);
    expect(namesOf(first).concat(namesOf(second))).toEqual(['of 7 s', 'of 5 s', 'of 7 s']);
    expect(second.data[0].startAt).toBe(first.data[0].endAt);
  });

  it('names what has begun as it was called then, and what is to come as it is called now', async () => {
    await goLive(1);
    const [{ uploadID }] = (await timeline('?limit=1')).data;
    await call('PATCH', `/uploads/${uploadID}`, { name: 'renamed' });
    expect(namesOf(await timeline('?limit=3'))).toEqual(['of 7 s', 'of 5 s', 'renamed']);
  });

  it('shows what a draft would change, from where it would take over', async () => {
    await goLive(0);
    await replaceBy(3);
    expect(namesOf(await timeline('?limit=3'))).toEqual(['of 7 s', 'of 5 s', 'of 7 s']);
    expect(namesOf(await timeline('?limit=4&draft=true'))).toEqual(['of 7 s', 'of 5 s', 'of 3 s', 'of 3 s']);
    expect(namesOf(await timeline('?limit=3&draft=true&playlistID=another'))).toEqual(['of 7 s', 'of 5 s', 'of 7 s']);
    const request = (await call('POST', `/playlists/${playlistID}/publish`)).status;
    expect(request).toBe(202);
    const { publish_request: number } = (await data().playlists.findAny(playlistID))!;
    const now = new Date();
    await transaction((tx) => publishDraft(tx, playlistID, number, { now, random: () => 0.5, limitFactor: 100 }));
    expect(namesOf(await timeline('?limit=4'))).toEqual(['of 7 s', 'of 5 s', 'of 3 s', 'of 3 s']);
  });

  it('says what each time of a recurrence will play, also while the stream is on the air', async () => {
    const startAt = new Date(Math.ceil(Date.now() / 1000 + 3600) * 1000);
    const starts = [0, 1, 2].map((day) => secondsAfter(startAt, day * 86_400));
    await call('POST', `/streams/${streamID}/schedule`, {
      scheduleStartAt: starts[0],
      scheduleEndAt: secondsAfter(startAt, 5),
      recurrence: { rule: 'FREQ=DAILY', timeZone: 'UTC' },
    });
    const startsOfRows = async (query: string) =>
      (await timeline(query)).data.map((row: { startAt: string }) => row.startAt);
    expect(await startsOfRows('?limit=3')).toEqual(starts);
    expect(await startsOfRows(`?limit=1&from=${starts[2]}`)).toEqual([starts[2]]);
    await service.pool().query(
      `update streams set schedule_start_at = schedule_start_at - interval '2 hours',
         schedule_end_at = schedule_end_at - interval '40 minutes' where id = $1`,
      [streamID],
    );
    await goLive(0);
    const rows = await startsOfRows(`?limit=3&from=${secondsAfter(startAt, -60)}`);
    expect(rows).toEqual(starts);
  });

  it('says what a schedule will play', async () => {
    const startAt = inFuture(3600);
    const endAt = secondsAfter(new Date(startAt), 10);
    await call('POST', `/streams/${streamID}/schedule`, { scheduleStartAt: startAt, scheduleEndAt: endAt });
    const { data: rows } = await timeline();
    expect(rows.map(({ name, startAt: at }: { name: string; startAt: string }) => [name, at])).toEqual([
      ['of 7 s', startAt],
      ['of 5 s', secondsAfter(new Date(startAt), 7)],
    ]);
    expect(rows[1].endAt).toBe(endAt);
  });

  it('keeps what runs before have played, with what destinations took of it', async () => {
    const first = await goLive(100);
    await stop(first.replica, [stretch(0, 8), stretch(11, 12.5)]);
    await replaceBy(3);
    await goLive(10);
    const { data: rows } = await timeline(`?from=${secondsAfter(first.anchoredAt, 0)}&limit=3`);
    expect(rows.map(({ name, aired }: { name: string; aired: object[] }) => ({ name, aired }))).toEqual([
      { name: 'of 7 s', aired: [part(0, 7)] },
      { name: 'of 5 s', aired: [part(0, 1), part(4, 5)] },
      { name: 'of 7 s', aired: [part(0, 0.5)] },
    ]);
    const { data: later } = await timeline('?limit=1');
    expect(later[0]).toMatchObject({ name: 'of 3 s', aired: [] });
  });

  it('has what destinations took ahead of its time, though the run ended before that', async () => {
    const { replica, anchoredAt } = await goLive(100);
    await stop(replica, [stretch(0, 12.2)]);
    const overAt = secondsAfter(anchoredAt, 11.9);
    await service.pool().query('update streams set stopped_at = $2 where id = $1', [streamID, overAt]);
    const { data: rows } = await timeline(`?from=${secondsAfter(anchoredAt, 7)}`);
    expect(rows).toMatchObject([
      { name: 'of 5 s', endAt: overAt, aired: [part(0, 5)] },
      {
        name: 'of 7 s',
        startAt: secondsAfter(anchoredAt, 12),
        endAt: secondsAfter(anchoredAt, 12.2),
        aired: [part(0, 0.2)],
      },
    ]);
    await service.pool().query(`update aired_frames set to_frame = 359 where to_frame = 366`);
    expect(namesOf(await timeline(`?from=${secondsAfter(anchoredAt, 7)}`))).toEqual(['of 5 s']);
  });

  it('counts what both replicas sent once, and names what stood in for an item', async () => {
    const { replica, anchoredAt } = await goLive(100);
    const aired = [stretch(0, 3), stretch(2, 5), stretch(5, 7, 'upl_other')];
    await transaction((tx) => tx.figures.keepAll([{ ...figuresOf(replica, aired), agentID: 'agent' }]));
    const { data: rows } = await timeline(`?from=${secondsAfter(anchoredAt, 0)}&limit=1`);
    expect(rows[0].aired).toEqual([part(0, 5), part(5, 7, 'upl_other')]);
  });

  it('knows of a stream that sends what its agent has said last, also once the agent is dead', async () => {
    const { replica, anchoredAt } = await goLive(100);
    const query = `?from=${secondsAfter(anchoredAt, 0)}&limit=1`;
    await data().figures.write('agent', [figuresOf(replica, [stretch(0, 4)])]);
    expect((await timeline(query)).data[0].aired).toEqual([part(0, 4)]);
    await data().figures.write('agent', [figuresOf(replica, [stretch(0, 6)])]);
    expect((await timeline(query)).data[0].aired).toEqual([part(0, 6)]);
    await loseLease('agent');
    await recoverReplicas(service.pool());
    expect((await timeline(query)).data[0].aired).toEqual([part(0, 6)]);
  });

  it('is summed up in the figures of the run, over all of its publishers', async () => {
    const { replica } = await goLive(100);
    const stats = async () => (await call('GET', `/streams/${streamID}/stats`)).body.run;
    expect(await stats()).toBeNull();
    const earlier = [stretch(0, 3), stretch(1, 2), stretch(2, 4)];
    await transaction((tx) => tx.figures.keepAll([{ ...figuresOf(replica, earlier), agentID: 'agent' }]));
    await data().figures.write('agent', [figuresOf(replica, [stretch(5, 6), stretch(6, 8)])]);
    expect(await stats()).toEqual({ airedSeconds: 7, offAirSeconds: 1, interruptions: 1, bytesAcknowledged: 5000 });
  });

  it('is a table with format=csv, whose texts no table program takes for formulas', async () => {
    const { items } = (await call('GET', `/playlists/${playlistID}`)).body.draft;
    await call('PATCH', `/uploads/${items[0].uploadID}`, { name: '=1+1,"x"', title: '@Night', artist: 'Zoë' });
    const { anchoredAt } = await goLive(0);
    const request = new Request(`${service.service().baseURL}/streams/${streamID}/timeline?limit=1&format=csv`, {
      headers: { 'x-api-key': actors.user().apiKey },
    });
    const response = await service.handler()(request, '127.0.0.1');
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('link')).toMatch(/^<.*limit=1&format=csv&cursor=.*>; rel="next"$/);
    const [head, line] = (await response.text()).split('\r\n');
    expect(head!.split(',')).toHaveLength(22);
    expect(line).toContain(`${secondsAfter(anchoredAt, 0)},${secondsAfter(anchoredAt, 7)},"'=1+1,""x""",`);
    expect(line).toMatch(/,'@Night,Zoë,,,,,,,,0,,$/);
  });

  it.each([
    ['?from=2026-01-01T00:00:00Z&to=2026-02-02T00:00:00Z', '/query/to'],
    ['?from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z', '/query/from'],
    ['?limit=1001', '/query/limit'],
    ['?format=xml', '/query/format'],
  ])('refuses %s at %s', async (query, path) => {
    const { errors } = await timeline(query);
    expect(errors.map((error: { path: string }) => error.path)).toEqual([path]);
  });
});

describe('GET /streams/{id}/transitions', () => {
  it('has how the stream came to its state, newest first, page after page', async () => {
    await stop((await goLive(1)).replica, []);
    const list = async (query: string) => (await call('GET', `/streams/${streamID}/transitions${query}`)).body;
    const { data: all } = await list('');
    expect(all.map(({ cause }: { cause: string }) => cause)).toEqual([
      'replicas_ended',
      'stop',
      'media_accepted',
      'start',
    ]);
    const first = await list('?limit=3');
    expect(first.data).toEqual(all.slice(0, 3));
    expect((await list(`?limit=3&cursor=${first.page.nextCursor}`)).data).toEqual(all.slice(3));
  });
});

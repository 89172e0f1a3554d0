// Changes since a cursor: each change is reported, however late its transaction is committed.
import { beforeEach, describe, expect, it } from 'vitest';
import { actorsOn } from '../support/actors.ts';
import { storeIncident } from '../support/incidents.ts';
import { signAccessToken } from '../support/access-token.ts';
import { baseURL, testService } from '../support/service.ts';

const service = testService();
const { activeStream, call, create, data, destination, register, report, transaction, upload, user } =
  actorsOn(service);

interface Change {
  readonly kind: string;
  readonly id: string;
  readonly deleted: boolean;
}
let cursor: string;
/** Changes since the last call. */
async function changed(): Promise<readonly Change[]> {
  const { status, body } = await call('GET', `/changes?since=${cursor}`);
  expect([status, body.reset]).toEqual([200, false]);
  cursor = body.cursor;
  return body.changed;
}
/** A new playlist, of a new stream that plays nothing else. Both changes have already been read. */
async function playlist(): Promise<string> {
  const streamID = await create('/streams', { name: 'Night' });
  const id = await create('/playlists', { streamID, kind: 'video', mode: 'sequential' });
  await changed();
  return id;
}
const of = (kind: string, id: string, deleted = false): Change => ({ kind, id, deleted });

beforeEach(async () => {
  cursor = (await call('GET', '/changes')).body.cursor;
});

describe('what changed since the cursor', () => {
  it('is nothing where nothing did', async () => {
    expect(await changed()).toEqual([]);
  });

  it('is each thing once, and nothing of other users', async () => {
    const other = await service.user();
    await other.call('POST', '/streams', { name: 'not mine' });
    const id = await playlist();
    await call('PATCH', `/playlists/${id}`, { name: 'Day' });
    expect(await changed()).toEqual([of('playlist', id)]);
    expect(await changed()).toEqual([]);
  });

  it('is too much to know after 20,000 changes, also of one thing', async () => {
    const changeAll = () =>
      service.pool().query(
        `insert into changes (user_id, xid, kind, id, is_deleted)
         select $1, pg_current_xact_id(), 'upload', 'upl_' || n, false from generate_series(1, 900) as n`,
        [user().id],
      );
    await changeAll();
    expect((await call('GET', `/changes?since=${cursor}`)).body).toMatchObject({ reset: false });
    for (let times = 0; times < 22; times++) await changeAll();
    expect((await call('GET', `/changes?since=${cursor}`)).body).toMatchObject({ reset: true, changed: [] });
    // They are deleted by as many statements as that takes.
    await service.pool().query(`update changes set at = now() - interval '1 day' where user_id = $1`, [user().id]);
    const forget = () => data().changes.forget(1000, 10_000);
    expect([await forget(), await forget(), await forget()]).toEqual([true, true, false]);
  });

  it('says what was deleted', async () => {
    const id = await upload();
    await changed();
    await call('DELETE', `/uploads/${id}`);
    expect(await changed()).toEqual([of('upload', id, true)]);
    const gone = await upload();
    await call('DELETE', `/uploads/${gone}`);
    expect(await changed()).toEqual([of('upload', gone, true)]);
  });

  it('says of a stream that was deleted while it was live that it is gone, also once it ends', async () => {
    await register('ending');
    const { id, held } = await activeStream('ending');
    await changed();
    const ofStreams = async () => (await changed()).filter(({ kind }) => kind === 'stream');
    await call('DELETE', `/streams/${id}`);
    expect(await ofStreams()).toEqual([of('stream', id, true)]);
    await report(held[0]!, 'ended');
    expect(await ofStreams()).toEqual([of('stream', id, true)]);
  });

  it('is the stream where what it is made of moves, but not where only figures do', async () => {
    await register('agent');
    const { id, held } = await activeStream('agent');
    expect(await changed()).toContainEqual(of('stream', id));
    await service.pool().query(`update replicas set stats = '{}'`);
    expect(await changed()).toEqual([]);
    const elsewhere = await create('/destinations', { name: 'B', rtmpURL: 'rtmp://127.0.0.1/other', streamKey: 'b' });
    await changed();
    const further = await create(`/streams/${id}/outputs`, { destinationID: elsewhere });
    expect(await changed()).toContainEqual(of('stream', id));
    await call('DELETE', `/streams/${id}/outputs/${further}`);
    expect(await changed()).toContainEqual(of('stream', id));
    await report(held[0]!, 'failing', { reason: { code: 'refused', detail: 'no' } });
    expect(await changed()).toContainEqual(of('stream', id));
  });

  it('is whatever else a page shows', async () => {
    const video = await upload();
    expect(await changed()).toEqual([of('upload', video)]);
    await call('PATCH', `/uploads/${video}`, { name: 'other' });
    expect(await changed()).toEqual([of('upload', video)]);
    const hook = await create('/webhooks', { url: 'http://127.0.0.1:9/', events: ['stream.state_changed'] });
    const channel = await create('/alert-channels', { name: 'me', kind: 'email' });
    const target = await destination();
    expect(await changed()).toEqual([of('webhook', hook), of('alertChannel', channel), of('destination', target)]);
    const incident = await storeIncident(service, user().id, 'stream_away');
    expect(await changed()).toEqual([of('incident', incident)]);
    await service.pool().query(`update webhooks set last_delivered_at = now()`);
    expect(await changed()).toEqual([]);
  });

  it('has credits for those who may read them', async () => {
    const incident = await storeIncident(service, user().id, 'credits_low');
    await call('POST', '/billing/top-ups', { amountCents: 500 });
    const token = await signAccessToken(service.pool(), {
      origin: new URL(baseURL).origin,
      userID: user().id,
      scopes: ['service:read'],
    });
    const path = `/changes?since=${cursor}`;
    const headers = { authorization: `Bearer ${token}` };
    const narrow = await service.send(new Request(baseURL + path, { headers }));
    expect(narrow.body).toMatchObject({ reset: false, changed: [] });
    expect(await changed()).toEqual([of('incident', incident), of('billing', user().id)]);
  });
});

describe('transactions that overlap', () => {
  it('are told when they are committed, also after later ones', async () => {
    const early = await playlist();
    const late = await playlist();
    const { promise: untilLate, resolve: end } = Promise.withResolvers<void>();
    const { promise: untilBegun, resolve: begun } = Promise.withResolvers<void>();
    const open = transaction(async (tx) => {
      await tx.playlists.rename(early, 'earlier');
      begun();
      await untilLate;
    });
    await untilBegun;
    await call('PATCH', `/playlists/${late}`, { name: 'later' });
    expect(await changed()).toEqual([of('playlist', late)]);
    end();
    await open;
    expect(await changed()).toContainEqual(of('playlist', early));
    expect(await changed()).toEqual([]);
  });

  it('lose nothing to somebody who asks all the time', async () => {
    const ids: string[] = [];
    while (ids.length < 5) ids.push(await playlist());
    const told = new Map<string, number>();
    let isOver = false;
    const asking = (async () => {
      for (let last = false; !last;) {
        last = isOver;
        // A resource that is read after its change was reported is at least as new as that change.
        for (const { id } of await changed()) told.set(id, (await data().playlists.find(user().id, id))!.version);
      }
    })();
    const writing = ids.map(async (id, n) => {
      for (let version = 0; version < 6; version++)
        await transaction(async (tx) => {
          const { draft } = (await tx.playlists.lock(user().id, id))!;
          await tx.playlists.saveDraft(id, draft);
          // Transactions of different length, so that they are committed out of order.
          for (let step = 0; step < (n * 7 + version * 3) % 11; step++) await tx.now();
        });
    });
    await Promise.all(writing);
    isOver = true;
    await asking;
    const versions = await Promise.all(
      ids.map(async (id) => [id, (await data().playlists.find(user().id, id))!.version]),
    );
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(versions));
  });
});

describe('who cannot be told all', () => {
  const asked = async () => (await call('GET', `/changes?since=${cursor}`)).body;
  const everything = { reset: true, changed: [] };

  it('has to read everything again: at the beginning', async () => {
    expect((await call('GET', '/changes')).body).toMatchObject(everything);
  });

  /**
   * Waits for older transactions, also of other tests on this server: a cursor never passes changes that they may make.
   */
  const untilOlderOnesEnded = async (but: string | null = null) => {
    await expect
      .poll(async () => {
        const { rows } = await service.pool().query<{ ended: boolean }>(
          `select not exists (
             select from pg_snapshot_xip(pg_current_snapshot()) as running
             where running is distinct from $1::xid8 and running <= greatest(
               (select max(xid) from changes), (select max(up_to) from forgotten_changes))) as ended`,
          [but],
        );
        return rows[0]!.ended;
      })
      .toBe(true);
  };

  it('where changes were forgotten, but not with a cursor of afterwards', async () => {
    await upload();
    await untilOlderOnesEnded();
    const later = (await asked()).cursor;
    await data().changes.forget(0, 1000);
    expect(await asked()).toMatchObject(everything);
    cursor = later;
    await upload();
    expect(await changed()).toHaveLength(1);
  });

  it('where a transaction lasts for longer than changes are kept, but not before it has ended', async () => {
    const id = await playlist();
    const client = await service.pool().connect();
    await client.query('begin');
    const { rows } = await client.query<{ xid: string }>('select pg_current_xact_id()::text as xid');
    await client.query(`update playlists set name = 'late' where id = $1`, [id]);
    await upload();
    await untilOlderOnesEnded(rows[0]!.xid);
    expect(await changed()).toHaveLength(1);
    await data().changes.forget(0, 1000);
    expect(await changed()).toEqual([]);
    await client.query('commit');
    client.release();
    const after = await asked();
    expect(after).toMatchObject(everything);
    cursor = after.cursor;
    expect(await changed()).toEqual([]);
  });

  it('after a crash, which leaves unlogged tables empty', async () => {
    await service.pool().query('truncate changes, forgotten_changes');
    expect(await asked()).toMatchObject(everything);
    await data().changes.forget(60, 1000);
    expect(await asked()).toMatchObject(everything);
    await untilOlderOnesEnded();
    cursor = (await asked()).cursor;
    const id = await upload();
    expect(await changed()).toEqual([of('upload', id)]);
  });

  it('where more changed than one answer holds', async () => {
    await service
      .pool()
      .query(
        `insert into changes select $1, pg_current_xact_id(), 'upload', n::text, false from generate_series(1, 1001) n`,
        [user().id],
      );
    expect(await asked()).toMatchObject(everything);
  });

  it('and is refused with a cursor that was not given to them', async () => {
    const other = await service.user();
    const theirs = (await other.call('GET', '/changes')).body.cursor;
    const { status, body } = await call('GET', `/changes?since=${theirs}`);
    expect([status, body.code, body.errors[0].path]).toEqual([422, 'invalid_cursor', '/query/since']);
  });
});

// An agent process that the system stops for longer than its lease, and that resumes when a peer has its streams.
import { expect, it } from 'vitest';
import { startFaultyIngest } from '../../support/faulty-ingest.ts';
import { startMachines } from '../../support/machines.ts';
import { keysOf } from '../../support/prepared-fleet.ts';

const keys = keysOf(6);
const patience = { timeout: 60_000, interval: 50 };

it(
  'a frozen agent sends nothing more when it goes on, and a new agent takes its place',
  { timeout: 180_000 },
  async () => {
    await using ingest = await startFaultyIngest();
    await using fleet = await startMachines(['one', 'two']);
    const publications = (key: string) => ingest.keys.get(`live/${key}`)?.publications ?? [];
    const ids: string[] = [];
    for (const key of keys) ids.push(await fleet.stream(key, { rtmpURL: ingest.rtmpURL }));
    await expect.poll(() => keys.every((key) => (publications(key)[0]?.pictures ?? 0) > 30), patience).toBe(true);
    await expect.poll(() => fleet.areAllUp(), patience).toBe(true);

    for (let round = 1; round <= 2; round++) {
      const [holder] = (await fleet.holders()).sort((a, b) => b.keys.length - a.keys.length);
      const held = holder!.keys;
      const frozen = held.map((key) => publications(key).at(-1)!);
      const goOn = await fleet.freeze(holder!.machine);
      const successors = () => held.map((key) => publications(key).at(-1)!);
      const areTakenOver = () =>
        successors().every((successor, index) => successor !== frozen[index] && successor.pictures > 30);
      await expect.poll(areTakenOver, patience).toBe(true);
      const [before, after] = [frozen.map(({ bytes }) => bytes), successors()];
      goOn();
      await expect.poll(() => frozen.every(({ endedAtMs }) => endedAtMs !== null), patience).toBe(true);
      await expect.poll(() => fleet.areAllUp(), patience).toBe(true);
      expect(frozen.map(({ bytes }) => bytes)).toEqual(before);
      expect(successors()).toEqual(after);
      for (const successor of after) expect(successor).toMatchObject({ endedAtMs: null, longestStepMs: 34 });
    }
    for (const id of ids) expect((await fleet.run.api('GET', `/streams/${id}`)).state).toBe('active');
  },
);

it(
  'an agent without peers that stood still says so, and no live interval holds the time without pictures',
  { timeout: 120_000 },
  async () => {
    await using ingest = await startFaultyIngest();
    await using fleet = await startMachines(['one']);
    const publications = () => ingest.keys.get('live/alone')?.publications ?? [];
    const id = await fleet.stream('alone', { rtmpURL: ingest.rtmpURL });
    await expect.poll(() => publications()[0]?.pictures ?? 0, patience).toBeGreaterThan(30);
    await expect.poll(() => fleet.areAllUp(), patience).toBe(true);

    const readDatabase = async <Row extends object>(sql: string, ...values: unknown[]) =>
      (await fleet.pool.query<Row>(sql, values)).rows;
    const [frozen] = await readDatabase<{ at: Date }>('select now() as at');
    const goOn = await fleet.freeze('one');
    const isLeaseLongOver = 'select id from agents where lease_expires_at < now() - $1::interval';
    await expect.poll(() => readDatabase(isLeaseLongOver, '4 seconds'), patience).toHaveLength(1);
    goOn();
    await expect.poll(() => publications()[1]?.pictures ?? 0, patience).toBeGreaterThan(30);

    const intervals = () =>
      readDatabase<{ started_at: Date; ended_at: Date | null }>(
        'select started_at, ended_at from live_intervals where stream_id = $1 order by started_at',
        id,
      );
    await expect.poll(intervals, patience).toHaveLength(2);
    const [before, after] = await intervals();
    // The agent renews each second, and reads its clock four times a second.
    expect(Math.abs(before!.ended_at!.getTime() - frozen!.at.getTime())).toBeLessThan(2000);
    expect(after!.started_at.getTime() - frozen!.at.getTime()).toBeGreaterThan(8000);
    const moves = await readDatabase<{ to_state: string; cause: string }>(
      'select to_state, cause from stream_transitions where stream_id = $1 order by id',
      id,
    );
    expect(moves.slice(-2)).toMatchObject([
      { to_state: 'failing', cause: 'media_interrupted' },
      { to_state: 'active', cause: 'media_accepted' },
    ]);
  },
);

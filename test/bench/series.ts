// The cost of charts: bytes of 10,000 streams, computed from measured rows, and the time to read one chart.
import { startThrowawayPostgres } from '../../bin/local/postgres/postgres.ts';
import { databaseOn, inTransaction } from '../../lambda/data/database.ts';
import { createPool, one } from '../../lambda/data/shared/queryable.ts';
import { tiers } from '../../lambda/domain/streams/series.ts';
import type { Point, Resolution } from '../../lambda/domain/streams/series.ts';
import { migrate } from '../../lambda/migrate/migrate.ts';

/** Streams written in parts of a minute, as agents do, for a day; coarser rows for their retention time. */
const measuredStreams = 40;
const streams = 10_000;

export async function seriesBench(): Promise<void> {
  const postgres = await startThrowawayPostgres();
  const pool = createPool({ connectionString: postgres.url, max: 4 });
  try {
    await migrate(pool);
    const data = databaseOn(pool);
    await data.users.ensureUser({ id: 'usr_bench', email: 'bench@example.org', name: 'bench' });
    const ids = Array.from({ length: measuredStreams }, (_, index) => `str_${index}`);
    await pool.query(`insert into streams (id, user_id, state) select unnest($1::text[]), 'usr_bench', 'draft'`, [ids]);
    let together = 0;
    for (const [name, { stepSeconds, rowSeconds, keptSeconds }] of Object.entries(tiers)) {
      const tier = tiers[name as Resolution];
      const end = Math.floor(Date.now() / 1000 / rowSeconds) * rowSeconds * 1000;
      const measuredSeconds = Math.min(keptSeconds, 2 * rowSeconds);
      const beganMs = performance.now();
      const batch = name === '10s' ? 6 : rowSeconds / stepSeconds;
      let writes = 0;
      for (let at = end - measuredSeconds * 1000; at < end; at += batch * stepSeconds * 1000, writes++) {
        const outputs = ids.map((streamID) => ({ streamID, outputID: '', points: pointsFrom(at, batch, stepSeconds) }));
        await inTransaction(pool, (transaction) => transaction.series.write(tier, outputs));
      }
      const tookMs = (performance.now() - beganMs) / writes;
      const { bytes, rows } = (await one<{ bytes: number; rows: number }>(
        pool,
        `select sum(pg_column_size(t.*))::bigint as bytes, count(*) as rows
         from stream_series t where step_seconds = $1`,
        [stepSeconds],
      ))!;
      const kept = (keptSeconds / rowSeconds + 1) * streams;
      const size = (kept * bytes) / rows / 2 ** 20;
      together += size;
      console.log(
        `${name}: ${(bytes / rows).toFixed(0)} bytes a row; ${streams} streams ${size.toFixed(0)} MiB; ` +
          `a write of ${measuredStreams} streams ${tookMs.toFixed(1)} ms`,
      );
    }
    console.log(`all that is kept of ${streams} streams: ${together.toFixed(0)} MiB, whatever the number of agents`);
    await printRead(data);
  } finally {
    await pool.end();
    await postgres.stop();
  }
}

async function printRead(data: ReturnType<typeof databaseOn>): Promise<void> {
  const tier = tiers['1h'];
  const to = new Date();
  const from = new Date(to.getTime() - 30 * 86_400_000);
  const times: number[] = [];
  for (let round = 0; round < 50; round++) {
    const beganMs = performance.now();
    const points = await data.series.read(tier, `str_${round % measuredStreams}`, '', from, to);
    times.push(performance.now() - beganMs);
    if (round === 0) console.log(`a month's chart has ${points.length} points`);
  }
  const sorted = times.toSorted((a, b) => a - b);
  console.log(`and takes ${sorted[25]!.toFixed(1)} ms to read, at most ${sorted.at(-1)!.toFixed(1)} ms`);
}

function pointsFrom(at: number, count: number, stepSeconds: number): Point[] {
  return Array.from({ length: count }, (_, index) => ({
    at: new Date(at + index * stepSeconds * 1000),
    bitrateKbps: 5800 + Math.floor(Math.random() * 400),
    framesPerSecond: 30 + Math.floor(Math.random() * 3) / 10,
    droppedFrames: Math.random() < 0.02 ? 7 : 0,
    reconnects: 0,
    state: 'live',
  }));
}

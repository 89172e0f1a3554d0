// The cost of metering in the database, and the precision of the end of credits.
// Simulates users with ten streams each until all have run out of credits.
import type { Pool } from 'pg';
import { databaseOn, inTransaction } from '../../lambda/data/database.ts';
import { graceMs, priceOf } from '../../lambda/domain/billing/credits.ts';
import { fireCredits } from '../../lambda/orchestration/accounts/fire-credits.ts';
import { meterStream } from '../../lambda/orchestration/billing/meter.ts';
import { giveCredits } from '../support/stage-rows.ts';
import { countStatements } from './count-statements.ts';
import { withDatabase } from './database.ts';

const users = Number(process.env['CREDITS_USERS'] ?? 1000);
const streamsOfEach = 10;
const daysMs = 30 * 86_400_000;
/** Interval at which agents look for due work. */
const lookEveryMs = 1000;

export function creditsBench(): Promise<void> {
  return withDatabase(4, simulate);
}

async function simulate(pool: Pool): Promise<void> {
  const counter = countStatements();
  const beginMs = Date.UTC(2030, 0, 1);
  await pool.query(
    `insert into users (id, email, name)
     select 'usr_' || u, u || '@example.com', 'x'
     from generate_series(1, $1::int) u`,
    [users],
  );
  // Each user has credits for 1 to 30 days with all streams live.
  const { creditsPerHour } = priceOf({ role: 'primary', quality: 'q_720p', framerate: 'f_30' }, new Date(beginMs));
  const creditsOf = (user: number) => Math.round(streamsOfEach * creditsPerHour * 24 * (1 + ((user * 7919) % 29)));
  for (let user = 1; user <= users; user++) await giveCredits(pool, user, creditsOf(user));
  await pool.query(
    `insert into streams (id, user_id, state, run_quality, run_framerate)
     select 'str_' || u || '_' || s, 'usr_' || u, 'active', 'q_720p', 'f_30'
     from generate_series(1, $1::int) u, generate_series(1, $2::int) s`,
    [users, streamsOfEach],
  );
  await pool.query(
    `insert into agents (id, supervisor, release, backends, capacity, lease_expires_at)
     values ('agent', 's', 'r', '{}', '{}', 'infinity')`,
  );
  await pool.query(
    `insert into replicas (id, stream_id, role, backend, state, agent_id, cores, cores_beside_gpu, thread, memory_mib,
       network_mbps, gpu_megapixels)
     select 'rep_' || id, id, 'primary', 'ffmpeg', 'connecting', 'agent', 1, 0, 0, 0, 0, 0
     from streams`,
  );
  await pool.query('analyze');

  // Streams start one after the other, within the first hour.
  const started = users * streamsOfEach;
  const startMs = (index: number) => beginMs + Math.floor((index / started) * 3_600_000);
  const startsOf = new Map<number, number[]>();
  const beganMs = performance.now();
  let metering = 0;
  for (let index = 0; index < started; index++) {
    const user = 1 + (index % users);
    const streamID = `str_${user}_${1 + Math.floor(index / users)}`;
    startsOf.set(user, [...(startsOf.get(user) ?? []), startMs(index)]);
    await inTransaction(pool, async (data) => {
      const stream = (await data.streams.lockAny(streamID))!;
      await data.replicas.report({ id: `rep_${streamID}`, agent_id: 'agent', epoch: 0 }, 'live', null);
      const before = counter.count;
      await meterStream(data, stream, new Date(startMs(index)));
      metering += counter.count - before;
    });
  }
  const msEach = ((performance.now() - beganMs) / started).toFixed(2);
  const meteringEach = `${(metering / started).toFixed(2)} statements of metering each`;
  console.log(`${started} streams of ${users} users went live: ${meteringEach} (${msEach} ms with its transaction)`);

  let due = 0;
  let statements = 0;
  let latestMs = 0;
  for (;;) {
    const { rows } = await pool.query<{ at: Date | null }>('select min(due_at) as at from billing_accounts');
    const at = rows[0]?.at;
    if (!at || at.getTime() > beginMs + daysMs + 3_600_000) break;
    const nowMs = Math.ceil(at.getTime() / lookEveryMs) * lookEveryMs;
    latestMs = Math.max(latestMs, nowMs - at.getTime());
    const before = counter.count;
    due += await fireCredits(pool, new Date(nowMs));
    statements += counter.count - before;
  }
  const statementsEach = (statements / due).toFixed(1);
  const millionMinutes = Math.round((started * daysMs) / 60_000 / 1e6);
  console.log(
    `30 days: ${due} times something was due, ${statementsEach} statements each; ` +
      `between them none, for ${millionMinutes} million stream-minutes`,
  );

  const errors: number[] = [];
  const stopped = await pool.query<{ user_id: string; ended_at: Date; at: Date }>(
    `select user_id, max(ended_at) as ended_at, max(t.at) as at
     from live_intervals i join ledger_transactions t using (user_id)
     where cause = 'usage'
     group by user_id`,
  );
  for (const { user_id: userID, ended_at: endedAt } of stopped.rows) {
    const user = Number(userID.slice('usr_'.length));
    const starts = startsOf.get(user)!;
    // The streams of a user use credits at the same rate, so the end follows from the mean of their starts.
    const meanStartMs = starts.reduce((sum, ms) => sum + ms / starts.length, 0);
    const liveMs = ((creditsOf(user) / creditsPerHour) * 3_600_000) / starts.length;
    const exactMs = meanStartMs + liveMs;
    errors.push(Math.abs(endedAt.getTime() - graceMs - exactMs));
  }
  const { rowCount: open } = await pool.query('select from live_intervals where ended_at is null');
  console.log(
    `${stopped.rows.length} of ${users} users ran out and stopped, ${open} streams still live: ` +
      `exhaustion off by at most ${Math.max(...errors).toFixed(0)} ms, looked at within ${latestMs} ms`,
  );
  const differences = await databaseOn(pool).reconciliation.differences();
  // No agent runs here that could end the replicas that must end.
  console.log(`books: ${differences.length} differences`);
}

// The synthetic stream in a whole local run: it proves starts, and reveals each of five faults by its next proof.
import { createPool } from '../../lambda/data/shared/queryable.ts';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { localSyntheticIngest } from '../../bin/local/synthetic.ts';
import type { SyntheticIngest } from '../../lambda/synthetic/synthetic-ingest.ts';
import { proofTimes, watchStart } from '../../lambda/synthetic/watch-start.ts';
import type { WatchOptions } from '../../lambda/synthetic/watch-start.ts';
import { freePort } from '../support/ingests.ts';
import { nodeProcessesOf } from '../support/processes.ts';
import { testLocalRun } from '../support/test-local-run.ts';

const run = testLocalRun('--no-demo', '--agents', '1');
let pool: ReturnType<typeof createPool>;
beforeAll(() => {
  pool = createPool({ connectionString: run.connection.databaseURL, max: 2 });
});
afterAll(() => pool.end());

/** Delay after which a persistent fault is still visible. */
const soonMs = 2000;
const patientMs = 60_000;

async function proof(ingest: SyntheticIngest = localSyntheticIngest, own: Partial<WatchOptions> = {}) {
  const lines: { event: string; step?: unknown; seconds?: unknown }[] = [];
  const failure = await watchStart({
    pool,
    apiURL: run.connection.apiURL,
    ingest,
    deadline: AbortSignal.timeout(2 * patientMs),
    answerMs: patientMs,
    pollMs: 200,
    steadyClock: () => performance.now(),
    log: (event, fields) => void lines.push({ event, ...fields }),
    ...own,
  });
  return { failure, lines };
}

/** A proof that times out after polling its ingest, which has no pictures, for a while. */
async function proofWithoutPictures(ingest: SyntheticIngest) {
  const deadline = new AbortController();
  let asked = 0;
  const open = async () => {
    const opened = await ingest.open();
    const hasPictures = async () => {
      if (++asked === 10) deadline.abort();
      return opened.hasPictures();
    };
    return { ...opened, hasPictures };
  };
  return proof({ open }, { deadline: deadline.signal });
}

const proved = { failure: null, lines: [{ event: 'synthetic_start_proved', seconds: expect.any(Number) }] };
const failedAt = (step: string) => ({
  failure: expect.objectContaining({ step }),
  lines: [expect.objectContaining({ event: 'synthetic_start_failed', step })],
});

it('is over, whatever is wrong, before two minutes have gone since the fault', () => {
  expect(proofTimes.everyMs + proofTimes.withinMs + 2 * proofTimes.answerMs).toBeLessThan(120_000);
});

describe('a platform at which streams can be started', () => {
  it('is proved to be one, again and again, with one stream, one upload and one destination', async () => {
    for (let index = 0; index < 2; index++) expect(await proof()).toEqual(proved);
    const { rows } = await pool.query(
      `select (select count(*)::int from streams where user_id = 'usr_synthetic') as streams,
         (select count(*)::int from uploads where user_id = 'usr_synthetic') as uploads,
         (select count(*)::int from destinations where user_id = 'usr_synthetic') as destinations,
         (select array_agg(state) from streams where user_id = 'usr_synthetic') as states`,
    );
    expect(rows).toEqual([{ streams: 1, uploads: 1, destinations: 1, states: ['stopped'] }]);
  });

  it('shows other users nothing of it', async () => {
    expect((await run.api('GET', '/streams')).data).toEqual([]);
  });
});

describe('a proof fails', () => {
  it('where the API does not answer', async () => {
    run.process.kill('SIGSTOP');
    onTestFinished(() => void run.process.kill('SIGCONT'));
    expect(await proof(localSyntheticIngest, { answerMs: soonMs })).toEqual(failedAt('prepare'));
  });

  it('where the database is stuck', async () => {
    const client = await pool.connect();
    await client.query('begin');
    await client.query('lock table streams in access exclusive mode');
    const seen = await proof(localSyntheticIngest, { answerMs: soonMs });
    await client.query('rollback');
    client.release();
    expect(seen).toEqual(failedAt('prepare'));
  });

  it('where its user is not let in', async () => {
    await pool.query(`update users set disabled_at = now() where id = 'usr_synthetic'`);
    const seen = await proof(localSyntheticIngest, { answerMs: soonMs });
    await pool.query(`update users set disabled_at = null where id = 'usr_synthetic'`);
    expect(seen).toEqual(failedAt('prepare'));
  });

  it('where nothing arrives at the ingest, and is well again once it does', async () => {
    const port = await freePort();
    const nowhere: SyntheticIngest = {
      open: async () => ({
        destination: { url: `rtmp://127.0.0.1:${port}/live`, streamKey: 'nobody' },
        hasPictures: async () => false,
        [Symbol.asyncDispose]: async () => {},
      }),
    };
    expect(await proofWithoutPictures(nowhere)).toEqual(failedAt('pictures'));
    expect(await proof()).toEqual(proved);
  });

  it('where no agent works, and is well again once one does', async () => {
    const [agent] = await nodeProcessesOf(run.process.pid!);
    process.kill(agent!.pid, 'SIGSTOP');
    const seen = await proofWithoutPictures(localSyntheticIngest);
    process.kill(agent!.pid, 'SIGCONT');
    expect(seen).toEqual(failedAt('pictures'));
    expect(await proof()).toEqual(proved);
  });
});

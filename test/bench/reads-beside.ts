// Reads of the API from a process of its own, while something else keeps the database busy.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { databaseOn } from '../../lambda/data/database.ts';
import { hashApiKey } from '../../lambda/surfaces/admission/authenticate.ts';

const readers = 5;
const readEveryMs = 200;
const paths = ['/v1/streams?limit=50', '/v1/uploads?limit=20', '/v1/me'];

/** Reads that run until they are ended. */
export interface ReadsBeside {
  /** The time of each read since the last `clear`. */
  readonly latenciesMs: number[];
  /** The number of answers that were not 200. */
  failed: number;
  end(): Promise<void>;
}

/** Begins to read as five users do, each every 200 ms. The users `usr_0` to `usr_4` exist. */
export async function readBeside(pool: Pool): Promise<ReadsBeside> {
  const keys = Array.from({ length: readers }, (_, reader) => `lss_reads_${reader}`);
  const { users } = databaseOn(pool);
  for (const [reader, key] of keys.entries())
    await users.ensureKey({
      id: `key_reads_${reader}`,
      userID: `usr_${reader}`,
      name: 'reads',
      keySha256: hashApiKey(key),
      keyStart: 'lss_reads',
    });
  const folder = await mkdtemp(join(tmpdir(), 'bench-reads-'));
  const databaseURL = pool.options.connectionString!;
  const server = fork(join(import.meta.dirname, 'api-server.ts'), ['platform', databaseURL, folder]);
  const [port]: number[] = await once(server, 'message');
  const over = new AbortController();
  const reads: ReadsBeside = {
    latenciesMs: [],
    failed: 0,
    end: async () => {
      over.abort();
      await reading;
      server.kill();
      await rm(folder, { recursive: true });
    },
  };
  const read = async (key: string, first: number) => {
    for (let turn = first; !over.signal.aborted; turn++) {
      const beganMs = performance.now();
      const answer = await fetch(`http://127.0.0.1:${port}${paths[turn % paths.length]}`, {
        headers: { 'x-api-key': key },
      });
      await answer.arrayBuffer();
      if (answer.status !== 200) reads.failed += 1;
      reads.latenciesMs.push(performance.now() - beganMs);
      await delay(readEveryMs, undefined, { signal: over.signal }).catch(() => {});
    }
  };
  const reading = Promise.all(keys.map((key, index) => read(key, index)));
  return reads;
}

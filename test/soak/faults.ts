// The faults of a soak: what happens to the platform and its destinations, how often, and for how long.
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import type { FaultyIngest } from '../support/faulty-ingest.ts';
import type { startMachines } from '../support/machines.ts';

export type Fleet = Awaited<ReturnType<typeof startMachines>>;

export interface Fault {
  /** How many of a hundred faults are of this kind. */
  readonly share: number;
  /** Makes it happen and waits for its end. @returns the stream keys that it hits */
  readonly run: (fleet: Fleet, ingest: FaultyIngest) => Promise<readonly string[]>;
}

/** Random within limits, in milliseconds. */
function between(leastMs: number, mostMs: number): number {
  return leastMs + Math.random() * (mostMs - leastMs);
}

async function kill(fleet: Fleet, what: 'agent' | 'machine'): Promise<readonly string[]> {
  const holders = await fleet.holders();
  const victim = holders[Math.floor(Math.random() * holders.length)];
  if (!victim) return [];
  await fleet.kill(victim.machine, what);
  return victim.keys;
}

async function atIngest(ingest: FaultyIngest, fault: 'refuse' | 'stall', ms: number): Promise<readonly string[]> {
  await ingest.set(fault);
  await setTimeout(ms);
  await ingest.set('none');
  return keysOf(ingest);
}

/** New connections are refused, and those that there are end. */
async function withoutDatabase(databaseURL: string, ms: number): Promise<void> {
  const url = new URL(databaseURL);
  const database = url.pathname.slice(1);
  url.pathname = '/template1';
  const client = new Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query(`alter database "${database}" with allow_connections false`);
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database]);
    await setTimeout(ms);
  } finally {
    await client.query(`alter database "${database}" with allow_connections true`);
    await client.end();
  }
}

export const faults: Readonly<Record<string, Fault>> = {
  'agent killed': { share: 35, run: (fleet) => kill(fleet, 'agent') },
  'machine lost': { share: 20, run: (fleet) => kill(fleet, 'machine') },
  'destination resets': {
    share: 15,
    run: async (_, ingest) => {
      ingest.reset();
      return keysOf(ingest);
    },
  },
  'destination refuses': { share: 10, run: (_, ingest) => atIngest(ingest, 'refuse', between(1000, 10_000)) },
  'destination stalls': { share: 10, run: (_, ingest) => atIngest(ingest, 'stall', between(6000, 15_000)) },
  'database away': {
    share: 10,
    run: async (fleet) => {
      await withoutDatabase(fleet.run.connection.databaseURL, between(2000, 60_000));
      return [];
    },
  },
};

function keysOf(ingest: FaultyIngest): string[] {
  return [...ingest.keys.keys()].map((path) => path.split('/').at(-1)!);
}

/** By their shares. @param random uniform in [0, 1) */
export function pickFault(random: () => number): string {
  const total = Object.values(faults).reduce((sum, { share }) => sum + share, 0);
  let left = random() * total;
  return Object.entries(faults).find(([, { share }]) => (left -= share) < 0)![0];
}

// The faults of a soak: events at the platform and its destinations, their frequency, and their duration.
import { setTimeout } from 'node:timers/promises';
import { urlOfDatabase } from '../support/database.ts';
import { whileDatabaseIsAway } from '../support/database-outage.ts';
import type { FaultyIngest } from '../support/faulty-ingest.ts';
import type { startMachines } from '../support/machines.ts';

export type Fleet = Awaited<ReturnType<typeof startMachines>>;

export interface Fault {
  /** The share of this kind, of a hundred faults. */
  readonly share: number;
  /** Causes the fault and waits for its end. @returns the keys of the affected streams */
  readonly run: (fleet: Fleet, ingest: FaultyIngest) => Promise<readonly string[]>;
}

/** A random number of milliseconds within limits. */
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

/** Makes the database unavailable to all processes for a while. */
async function withoutDatabase(databaseURL: string, ms: number): Promise<void> {
  const serverURL = urlOfDatabase(databaseURL, 'template1');
  await whileDatabaseIsAway({ databaseURL, serverURL }, () => setTimeout(ms));
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

/** Draws the name of a fault, weighted by the shares. @param random uniform in [0, 1) */
export function pickFault(random: () => number): string {
  const total = Object.values(faults).reduce((sum, { share }) => sum + share, 0);
  let left = random() * total;
  for (const [name, { share }] of Object.entries(faults)) {
    left -= share;
    if (left < 0) return name;
  }
  throw new RangeError('random has to be less than 1');
}

// A run of a command: its platform, its terminal, the options that many commands have, and the things that it names.
import type { Stream } from '../../lambda/web/app/types.ts';
import type { Client } from './client.ts';
import { LoopFailure } from './failure.ts';
import type { Printer } from './terminal.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Session {
  readonly client: Client;
  readonly printer: Printer;
  readonly environment: Environment;
  /** Longest wait for the examination of each file, and for each later state. */
  readonly timeoutSeconds: number;
}

/** The name or the id of a thing; undefined: the only one. */
export type Given = string | undefined;

/** A thing that people may name; null: it has no name. */
export interface Named {
  readonly id: string;
  readonly name: string | null;
}

/** @throws {LoopFailure} if it is none, or several */
export function pick<Thing extends Named>(things: readonly Thing[], given: Given, noun: string): Thing {
  const fits = ({ id, name }: Thing) => id === given || name?.toLowerCase() === given?.toLowerCase();
  const found = given === undefined ? things : things.filter(fits);
  if (found.length === 1) return found[0]!;
  const lines = (found.length > 0 ? found : things).slice(0, 20).map(({ id, name }) => `  ${id}  ${name ?? ''}`);
  if (given === undefined && things.length > 0)
    throw new LoopFailure('usage', `There are ${things.length} ${noun}s. Name one of them:`, { lines });
  if (found.length > 1) throw new LoopFailure('usage', `Several ${noun}s are named ${given}. Use an id:`, { lines });
  const wanted = given === undefined ? `There is no ${noun} yet.` : `There is no ${noun} ${given}.`;
  throw new LoopFailure('not_found', lines.length > 0 ? `${wanted} There are:` : wanted, { lines });
}

/** @throws {LoopFailure} */
export async function findStream({ client }: Session, given: Given): Promise<Stream> {
  if (given?.startsWith('str_')) return await client.call<Stream>('GET', `/streams/${given}`);
  return pick(await client.all<Stream>('/streams'), given, 'stream');
}

// Recovers a stage from the database of another.
// It copies the rows next to the target's own, checks that the copy is equal, and then replaces the target's rows in
// one transaction. After an interruption at any point, the next run continues.
// It does not use `pg_dump`, which cannot continue after an interruption, and not logical replication, which needs
// rights at a source that may be a backup.
import type { Pool } from 'pg';
import type { DataKeyWrappers } from './take-place.ts';
import { takePlace } from './take-place.ts';
import { all, one } from '../data/shared/queryable.ts';
import { fingerprintOf, quoted, readSource, rowsInBlocks } from './recovery-source.ts';
import type { SourceFacts } from './recovery-source.ts';

export interface RecoveryOptions {
  /** The restored database, migrated to the schema of the target. */
  readonly source: Pool;
  /** A pool of the owner of the tables. Only the recovery uses its schema `recovery`. */
  readonly target: Pool;
  /** Wraps the keys of secrets again. Null if the target can unwrap the source's keys. */
  readonly rewrap: DataKeyWrappers | null;
  /** Receives a description of each completed step. */
  readonly onProgress?: (text: string) => void;
  /** Whether to continue; false ends it before the function's timeout. Default: always true. */
  readonly goesOn?: () => boolean;
}

export interface RecoveryPlan {
  readonly source: SourceFacts;
  /** The number of users and streams of the target that would be replaced. */
  readonly replaced: { readonly users: number; readonly streams: number };
  /** The size of tables that an earlier run has copied, in bytes. */
  readonly copiedBytes: number;
  /** Whether an earlier run has completed the recovery from this source. */
  readonly isDone: boolean;
  /** The reasons why it cannot run, as sentences; empty if it can. */
  readonly obstacles: readonly string[];
}

/** The number of blocks per step (1 MiB): the work that an interruption loses, and the rows in memory. */
const blocksAtOnce = 128;

/** Reads the facts of a recovery, and changes nothing. */
export async function planRecovery({
  source,
  target,
}: Pick<RecoveryOptions, 'source' | 'target'>): Promise<RecoveryPlan> {
  const facts = await readSource(source);
  const there = new Set((await all<{ name: string }>(target, 'select name from migrations')).map(({ name }) => name));
  const counts = await one<{ users: number; streams: number }>(
    target,
    'select (select count(*) from users) as users, (select count(*) from streams) as streams',
    [],
  );
  const isDone = await isBegunFrom(target, facts.identity);
  const copied = isDone === null ? new Map<string, Progress>() : await copiedTables(target);
  const newer = facts.migrations.filter((name) => !there.has(name));
  const missing = [...there].filter((name) => !facts.migrations.includes(name));
  const obstacles = [
    ...(newer.length > 0 ? [`The source is of a newer release: the target lacks ${newer.join(', ')}.`] : []),
    ...(missing.length > 0 ? [`The source lacks ${missing.join(', ')}: migrate it first.`] : []),
    ...(facts.livingAgents > 0
      ? [`${facts.livingAgents} agents still work with the source: end them first, or its streams would be sent twice.`]
      : []),
  ];
  return {
    source: facts,
    replaced: { users: counts!.users, streams: counts!.streams },
    copiedBytes: facts.tables.reduce((sum, { name, bytes }) => sum + (copied.get(name)?.is_whole ? bytes : 0), 0),
    isDone: isDone ?? false,
    obstacles,
  };
}

interface Progress {
  readonly name: string;
  readonly next_block: number;
  readonly is_whole: boolean;
}

/** @returns whether a recovery from this source is complete; null if none was begun */
async function isBegunFrom(target: Pool, identity: string): Promise<boolean | null> {
  const there = await one<{ begun: boolean }>(target, `select to_regclass('recovery.source') is not null as begun`, []);
  if (!there!.begun) return null;
  const begun = await one<{ is_done: boolean }>(target, 'select is_done from recovery.source where identity = $1', [
    identity,
  ]);
  return begun?.is_done ?? null;
}

/** The advisory lock of a recovery: one per target at a time. Nothing else uses its number. */
const recoveryLock = 7_140_002;

/**
 * @returns whether it is complete; false if `goesOn` ended it, or another process runs it: call it again
 * @throws if there is an obstacle, or the copy differs from the source
 */
export async function recover(options: RecoveryOptions): Promise<boolean> {
  const client = await options.target.connect();
  try {
    const { rows } = await client.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [recoveryLock]);
    return rows[0]!.mine && (await recoverAlone(options));
  } finally {
    // Closing the connection releases the lock.
    client.release(true);
  }
}

async function recoverAlone(options: RecoveryOptions): Promise<boolean> {
  const { source, target, rewrap, onProgress = () => {}, goesOn = () => true } = options;
  const plan = await planRecovery(options);
  if (plan.isDone) return true;
  if (plan.obstacles.length > 0) throw new Error(plan.obstacles.join(' '));
  if ((await isBegunFrom(target, plan.source.identity)) === null) await beginRecovery(target, plan.source.identity);
  const { tables } = plan.source;
  for (const { name, blocks } of tables) {
    const known = (await copiedTables(target)).get(name);
    if (known?.is_whole) continue;
    let block = known?.next_block ?? (await beginTable(target, name));
    while (block < blocks) {
      if (!goesOn()) return false;
      const end = Math.min(block + blocksAtOnce, blocks);
      await keepRows(target, name, await rowsInBlocks(source, name, block, end), end);
      block = end;
    }
    await proveSame(options, name);
    onProgress(`copied ${name}`);
  }
  if (!goesOn()) return false;
  await takePlace({ source, target, rewrap, tables: tables.map(({ name }) => name) });
  onProgress('the rows have taken their place');
  return true;
}

/** Drops the partial copy of another source. */
async function beginRecovery(target: Pool, identity: string): Promise<void> {
  await target.query(`
    begin;
    drop schema if exists recovery cascade;
    create schema recovery;
    create table recovery.source (identity text not null, is_done boolean not null);
    create table recovery.progress (name text primary key, next_block bigint not null, is_whole boolean not null);
    insert into recovery.source values ('${identity}', false);
    commit`);
}

async function copiedTables(target: Pool): Promise<Map<string, Progress>> {
  const rows = await all<Progress>(target, 'select name, next_block, is_whole from recovery.progress');
  return new Map(rows.map((row) => [row.name, row]));
}

async function beginTable(target: Pool, name: string): Promise<number> {
  await target.query(`create table if not exists recovery.${quoted(name)} (like public.${quoted(name)})`);
  await target.query('insert into recovery.progress values ($1, 0, false) on conflict do nothing', [name]);
  return 0;
}

/** Stores the rows with their position in one statement, so that no row is copied twice. */
async function keepRows(target: Pool, name: string, rows: readonly string[], nextBlock: number): Promise<void> {
  const table = `recovery.${quoted(name)}`;
  await target.query(
    `with kept as (
       insert into ${table}
       select (parsed.row).* from (select text::${table} as row from unnest($1::text[]) as text offset 0) parsed)
     update recovery.progress set next_block = $2 where name = $3`,
    [rows, nextBlock, name],
  );
}

async function proveSame({ source, target }: RecoveryOptions, name: string): Promise<void> {
  const [there, here] = await Promise.all([
    fingerprintOf(source, 'public', name),
    fingerprintOf(target, 'recovery', name),
  ]);
  if (there.rows !== here.rows || there.hash !== here.hash) {
    // The source changed meanwhile: the next run copies the table again.
    await target.query(`truncate recovery.${quoted(name)}`);
    await target.query('update recovery.progress set next_block = 0 where name = $1', [name]);
    throw new Error(
      `${name} has ${there.rows} rows at the source and ${here.rows} in the copy, or they differ: ` +
        'does somebody still write to the source? Run this again once nobody does.',
    );
  }
  await target.query('update recovery.progress set is_whole = true where name = $1', [name]);
}

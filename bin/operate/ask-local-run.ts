// Executes a command on the local run: on its live database, or on one started on its folder.
import { hostname, userInfo } from 'node:os';
import { createPool } from '../../lambda/data/shared/queryable.ts';
import { carryOut } from '../../lambda/operate/carry-out.ts';
import type { Reply } from '../../lambda/operate/carry-out.ts';
import { createPostgresDeadLetters } from '../../lambda/ports/dead-letters/postgres-dead-letters.ts';
import { openDatabase } from '../local/open-database.ts';
import type { OperateArguments } from './command-line.ts';

/** @throws if there is no such run, or the command fails by our fault */
export async function askLocalRun({ dataFolder, request }: OperateArguments): Promise<Reply> {
  await using started = new AsyncDisposableStack();
  const databaseURL = await openDatabase(dataFolder, started);
  const pool = createPool({ connectionString: databaseURL, max: 4 });
  started.defer(() => pool.end());
  const operator = { name: `${userInfo().username}@${hostname()}`, via: dataFolder };
  const options = { pool, deadLetters: createPostgresDeadLetters(pool), clock: () => new Date(), log: () => {} };
  return await carryOut(options, request, operator);
}

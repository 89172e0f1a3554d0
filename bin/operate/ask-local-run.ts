// Carries a command out on the local run: on its database while it is up, else on that of its folder, started for it.
import { stat } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { createPool } from '../../lambda/data/queryable.ts';
import { carryOut } from '../../lambda/operate/carry-out.ts';
import type { Reply } from '../../lambda/operate/carry-out.ts';
import { createPostgresDeadLetters } from '../../lambda/ports/dead-letters/postgres-dead-letters.ts';
import { DataFolder } from '../local/data-folder.ts';
import { startDurablePostgres } from '../local/postgres/postgres.ts';
import { migrateAt } from '../local/run-database.ts';
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

async function openDatabase(dataFolder: string, started: AsyncDisposableStack): Promise<string> {
  const folder = DataFolder.at(dataFolder);
  const running = await folder.running();
  if (running) return running.databaseURL;
  const ownURL = process.env['DATABASE_URL'];
  if (!ownURL && !(await stat(folder.postgres).catch(() => null)))
    throw new Error(
      `There is no local run in ${dataFolder}. Start one with npm start, or name its folder with --data.`,
    );
  const postgres = ownURL ? null : await startDurablePostgres({ dataFolder: folder.postgres });
  if (postgres) started.defer(() => postgres.stop());
  const url = ownURL ?? postgres!.url;
  // An earlier release may have used the folder last.
  await migrateAt(url);
  return url;
}

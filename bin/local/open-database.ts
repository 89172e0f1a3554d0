// The database of a local run for another command: that of the live run, or one started on its folder.
import { stat } from 'node:fs/promises';
import { DataFolder } from './data-folder.ts';
import { startDurablePostgres } from './postgres/postgres.ts';
import { migrateAt } from './run-database.ts';

/**
 * @param started stops the started server when disposed of
 * @returns the URL of the database, migrated to the schema of this code. It may contain a password
 * @throws if there is no such run
 */
export async function openDatabase(dataFolder: string, started: AsyncDisposableStack): Promise<string> {
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
  const url = postgres?.url ?? ownURL!;
  // The folder may have been used last by an earlier release.
  await migrateAt(url, folder.path);
  return url;
}

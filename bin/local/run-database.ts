// The database of a local run: that of DATABASE_URL, or its own Postgres server in the data folder.
import { createPool } from '../../lambda/data/shared/queryable.ts';
import { BeforeBaselineError, migrate } from '../../lambda/migrate/migrate.ts';
import { agentsWithin, connectionsOfRun } from './database-connections.ts';
import type { DataFolder } from './data-folder.ts';
import type { Ending } from './ending.ts';
import { startDurablePostgres } from './postgres/postgres.ts';

export interface RunDatabaseOptions {
  readonly folder: DataFolder;
  /** The most connections that the run opens. The run's own server allows so many. */
  readonly connections: number;
  /** Stops the run's own server, if there is one, when disposed of. */
  readonly started: AsyncDisposableStack;
  /** Receives the failure if the server ends by itself: the run needs it. */
  readonly ending: Ending;
  /** Receives the server's log, line by line. */
  readonly log: (line: string) => void;
  readonly onProgress: (text: string) => void;
}

const defaultPort = 54_320;

/** @returns the URL of the database, which may contain a password */
export async function startDatabase(options: RunDatabaseOptions): Promise<string> {
  const ownURL = process.env['DATABASE_URL'];
  if (ownURL) return ownURL;
  const { folder, connections, started, ending, log, onProgress } = options;
  const settings = { max_connections: String(connections) };
  const postgres = await startDurablePostgres({
    dataFolder: folder.postgres,
    port: defaultPort,
    settings,
    log,
    onProgress,
  });
  started.defer(() => postgres.stop());
  const why = `the end of ${folder.logFile} has the reason. Start again: nothing is lost.`;
  void postgres.exited.then(() => ending.fail(new Error(`Postgres ended by itself; ${why}`)));
  return postgres.url;
}

/** @throws if the database, which the user named, has fewer connections than so many agents need */
export async function checkConnections(databaseURL: string, agents: number): Promise<void> {
  const pool = createPool({ connectionString: databaseURL, max: 1 });
  try {
    const { rows } = await pool.query<{ max_connections: string }>('show max_connections');
    const has = Number(rows[0]!.max_connections);
    const needs = connectionsOfRun(agents);
    if (has >= needs) return;
    throw new Error(
      `${agents} agents need ${needs} connections, and the database of DATABASE_URL has ${has}. ` +
        `Start with --agents ${agentsWithin(has)} at most, or raise its max_connections.`,
    );
  } finally {
    await pool.end();
  }
}

/**
 * @param dataFolder folder of the run, named in the message of a refusal
 * @throws if the database is older than the baseline of the schema. It stays unchanged
 */
export async function migrateAt(databaseURL: string, dataFolder: string): Promise<void> {
  const pool = createPool({ connectionString: databaseURL, max: 1 });
  try {
    await migrate(pool);
  } catch (error) {
    if (!(error instanceof BeforeBaselineError)) throw error;
    const remedy = process.env['DATABASE_URL']
      ? 'Set DATABASE_URL to an empty database.'
      : `Move ${dataFolder} away, or start once with npm start -- --fresh, which deletes it.`;
    throw new Error(`${error.message} ${remedy}`, { cause: error });
  } finally {
    await pool.end();
  }
}

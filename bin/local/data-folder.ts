// The folder with all data of a local run: its secrets, its ports, and the data of its parts.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isLocalRun } from './local-run-process.ts';
import { apiKeyPrefix } from '../../lambda/surfaces/admission/authenticate.ts';

/** Created at the first start and never changed: data that these secrets seal cannot be read with others. */
export interface RunIdentity {
  readonly serviceSecret: string;
  readonly apiKey: string;
  /** Password of the demo user. */
  readonly password: string;
  /** Distinguishes the agents of this run from those of other machines on the same database. */
  readonly supervisor: string;
}

/** The facts that other programs need to use a run. The file is written when the run is ready, removed when it ends. */
export interface ConnectionFile {
  /** Base URL of the REST API, ending in /v1. */
  readonly apiURL: string;
  /** URL for AI clients. */
  readonly mcpURL: string;
  /** URL for GraphQL queries. */
  readonly graphqlURL: string;
  /** Origin of the site, without a path. */
  readonly siteURL: string;
  /** Issuer of access tokens. A local run has one origin for all services. */
  readonly authURL: string;
  readonly rtmpURL: string;
  /** Addresses of the live ingest, over RTMP and SRT. */
  readonly liveURL: string;
  readonly liveSrtURL: string;
  /** URL of the Postgres database. It may hold a password. */
  readonly databaseURL: string;
  readonly apiKey: string;
  /** The user who can sign in on the site's pages. */
  readonly user: { readonly email: string; readonly password: string };
  readonly pid: number;
}

export class DataFolder {
  readonly path: string;
  readonly postgres: string;
  readonly objects: string;
  readonly demoMedia: string;
  /** The folder of the mails that AWS would send. */
  readonly mails: string;
  readonly logFile: string;
  /** File with the state of the stand-in for YouTube. */
  readonly youtubeFile: string;
  readonly masterKeyFile: string;

  private constructor(path: string) {
    this.path = path;
    this.postgres = join(path, 'postgres');
    this.objects = join(path, 'objects');
    this.demoMedia = join(path, 'demo');
    this.mails = join(path, 'mails');
    this.youtubeFile = join(path, 'youtube.json');
    this.logFile = join(path, 'platform.log');
    this.masterKeyFile = join(path, 'master.key');
  }

  /** The folder of a run that another process has open. */
  static at(path: string): DataFolder {
    return new DataFolder(path);
  }

  /**
   * Opens the folder for a new run, and creates it if it is missing.
   * @param options.fresh deletes the data of earlier runs in it
   * @throws if another run uses the folder, if it cannot be used, or if it holds other files, which stay unchanged
   */
  static async open(path: string, { fresh }: { readonly fresh: boolean }): Promise<DataFolder> {
    const folder = new DataFolder(path);
    await folder.#assertOurs();
    const other = await folder.connection().catch(() => null);
    if (other && (await isLocalRun(other.pid))) {
      throw new Error(
        `Another local run uses this data folder: ${other.siteURL} (process ${other.pid}). ` +
          'End it first, or choose another folder with --data.',
      );
    }
    if (fresh) await rm(path, { recursive: true, force: true });
    await makeFolder(path);
    // A killed run leaves the file, with the id of a dead process.
    await folder.removeConnection();
    return folder;
  }

  /** A run fills its folder, and --fresh deletes it. So a folder with other files is refused. */
  async #assertOurs(): Promise<void> {
    const names = await readdir(this.path).catch((error: NodeJS.ErrnoException): string[] => {
      if (error.code === 'ENOENT') return [];
      throw unusable(this.path, error);
    });
    // All files that the set-up (in .local) and a first run that was killed early can leave without an identity.
    const early = new Set(['installer.pid', 'identity.json.part', 'master.key', 'connection.json', 'platform.log']);
    if (names.includes('identity.json') || names.every((name) => early.has(name))) return;
    throw new Error(
      `${this.path} is not the data folder of a local run: it has other files. ` +
        'Name a folder of its own with --data.',
    );
  }

  /** The secrets of the folder. Missing ones are created: all at the first start, new ones after an update. */
  async identity(): Promise<RunIdentity> {
    const made: RunIdentity = {
      serviceSecret: randomBytes(32).toString('base64url'),
      apiKey: apiKeyPrefix + randomBytes(32).toString('base64url'),
      password: randomBytes(12).toString('base64url'),
      supervisor: randomUUID(),
    };
    const identity = { ...made, ...(await this.#read<RunIdentity>('identity.json')) };
    await this.#write('identity.json', identity);
    await writeFile(this.masterKeyFile, randomBytes(32), { mode: 0o600, flag: 'wx' }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      },
    );
    return identity;
  }

  /** Port of the RTMP ingest in the last run, which destinations may name; null before the first run. */
  async lastRtmpPort(): Promise<number | null> {
    return (await this.#read<{ rtmp: number }>('ports.json'))?.rtmp ?? null;
  }

  async saveRtmpPort(rtmp: number): Promise<void> {
    await this.#write('ports.json', { rtmp });
  }

  /** Whether an earlier run has created the demo. It is created once. */
  async isDemoMade(): Promise<boolean> {
    return (await this.#read('demo.json')) !== null;
  }

  async markDemoMade(streamID: string): Promise<void> {
    await this.#write('demo.json', { streamID });
  }

  async writeConnection(connection: ConnectionFile): Promise<void> {
    await this.#write('connection.json', connection);
  }

  /** The connection of the running process that has the folder open; null if its process is dead. */
  async running(): Promise<ConnectionFile | null> {
    const connection = await this.connection();
    return connection !== null && (await isLocalRun(connection.pid)) ? connection : null;
  }

  /** The connection of the run that has the folder open; null if there is none. */
  async connection(): Promise<ConnectionFile | null> {
    return this.#read<ConnectionFile>('connection.json');
  }

  async removeConnection(): Promise<void> {
    await rm(join(this.path, 'connection.json'), { force: true });
  }

  async #read<Content>(name: string): Promise<Content | null> {
    try {
      return JSON.parse(await readFile(join(this.path, name), 'utf8')) as Content;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw new Error(
        `${join(this.path, name)} cannot be read. ` +
          'Delete it, or start with --fresh, which deletes the whole folder.',
        { cause: error },
      );
    }
  }

  /**
   * Writes a file completely or not at all, even if the run is killed meanwhile. Only its owner can read the file,
   * because most files contain secrets.
   */
  async #write(name: string, content: object): Promise<void> {
    const path = join(this.path, name);
    await writeFile(`${path}.part`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    await rename(`${path}.part`, path);
  }
}

/**
 * Creates the folder and its parents, one after the other. Node's own `recursive` never returns if a file system
 * refuses new folders with ENOENT, as /proc does.
 */
async function makeFolder(path: string): Promise<void> {
  if (await stat(path).catch(() => null)) return;
  if (dirname(path) !== path) await makeFolder(dirname(path));
  await mkdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw unusable(path, error);
  });
}

function unusable(path: string, error: NodeJS.ErrnoException): Error {
  return new Error(`${path} cannot be used as the data folder (${error.code}). Name another with --data.`, {
    cause: error,
  });
}

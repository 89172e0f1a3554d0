// The folder in which a local run keeps everything: its secrets, its ports, and where its parts put their data.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { apiKeyPrefix } from '../../lambda/surfaces/authenticate.ts';

/** Made at the first start, kept for ever: what is sealed with them could not be read any more. */
export interface RunIdentity {
  readonly serviceSecret: string;
  readonly apiKey: string;
  /** Of the demo user. */
  readonly password: string;
  /** Tells this run's agents from those of other machines on the same database. */
  readonly supervisor: string;
}

/** What other programs need to use the run; written when it is ready, removed when it ends. */
export interface ConnectionFile {
  /** Base URL of the REST API, ending in /v1. */
  readonly apiURL: string;
  /** Where agents connect. */
  readonly mcpURL: string;
  /** Where front ends ask. */
  readonly graphqlURL: string;
  /** Origin of the page, without a path. */
  readonly siteURL: string;
  /** {auth_url} of the specification: the same origin. */
  readonly authURL: string;
  readonly rtmpURL: string;
  /** Of Postgres; with a password only where `DATABASE_URL` has one. */
  readonly databaseURL: string;
  readonly apiKey: string;
  /** Signs in on the page. */
  readonly user: { readonly email: string; readonly password: string };
  readonly pid: number;
}

export class DataFolder {
  readonly path: string;
  readonly postgres: string;
  readonly objects: string;
  readonly demoMedia: string;
  /** Mails that AWS would send. */
  readonly mails: string;
  readonly masterKeyFile: string;

  private constructor(path: string) {
    this.path = path;
    this.postgres = join(path, 'postgres');
    this.objects = join(path, 'objects');
    this.demoMedia = join(path, 'demo');
    this.mails = join(path, 'mails');
    this.masterKeyFile = join(path, 'master.key');
  }

  /** Of a run that another process has open. */
  static at(path: string): DataFolder {
    return new DataFolder(path);
  }

  /**
   * @param fresh deletes what is there first
   * @throws when another run uses the folder, when it cannot be used, or when it is a folder of something else: nothing of that is touched
   */
  static async open(path: string, fresh: boolean): Promise<DataFolder> {
    const folder = new DataFolder(path);
    await folder.#assertOurs();
    const other = await folder.connection().catch(() => null);
    if (other && (await isLocalRun(other.pid))) {
      throw new Error(
        `A local run with this data folder is at ${other.siteURL} already (process ${other.pid}). End it first, or choose another folder with --data.`,
      );
    }
    if (fresh) await rm(path, { recursive: true, force: true });
    await makeFolder(path);
    // Left by a run that was killed: it would point to nobody.
    await folder.removeConnection();
    return folder;
  }

  /** A run fills the folder, and --fresh deletes it: neither may happen to somebody's other files. */
  async #assertOurs(): Promise<void> {
    const names = await readdir(this.path).catch((error: NodeJS.ErrnoException): string[] => {
      if (error.code === 'ENOENT') return [];
      throw unusable(this.path, error);
    });
    // Set-up notes itself in .local before the first run; a first run that was killed early has left no more than these.
    const early = new Set(['installer.pid', 'identity.json.part', 'master.key', 'connection.json', 'platform.log']);
    if (names.includes('identity.json') || names.every((name) => early.has(name))) return;
    throw new Error(
      `${this.path} does not look like the data folder of a local run: it holds other files. Name a folder of its own with --data.`,
    );
  }

  async identity(): Promise<RunIdentity> {
    const made: RunIdentity = {
      serviceSecret: randomBytes(32).toString('base64url'),
      apiKey: apiKeyPrefix + randomBytes(32).toString('base64url'),
      password: randomBytes(12).toString('base64url'),
      supervisor: randomUUID(),
    };
    // A folder of an earlier version may lack some.
    const identity = { ...made, ...(await this.#read<RunIdentity>('identity.json')) };
    await this.#write('identity.json', identity);
    await writeFile(this.masterKeyFile, randomBytes(32), { mode: 0o600, flag: 'wx' }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      },
    );
    return identity;
  }

  /** Port of the RTMP ingest in the last run, so that destinations which name it can follow it; null before the first. */
  async lastRtmpPort(): Promise<number | null> {
    return (await this.#read<{ rtmp: number }>('ports.json'))?.rtmp ?? null;
  }

  async saveRtmpPort(rtmp: number): Promise<void> {
    await this.#write('ports.json', { rtmp });
  }

  /** Whether the demo was made, or was declined; it is made once. */
  async isDemoMade(): Promise<boolean> {
    return (await this.#read('demo.json')) !== null;
  }

  async markDemoMade(streamID: string): Promise<void> {
    await this.#write('demo.json', { streamID });
  }

  async writeConnection(connection: ConnectionFile): Promise<void> {
    await this.#write('connection.json', connection);
  }

  /** Null while no run is up. */
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
        `${join(this.path, name)} cannot be read. Delete it, or start anew with --fresh, which deletes the whole folder.`,
        { cause: error },
      );
    }
  }

  /** Whole or not at all, whenever the run is killed; readable by its owner only, as most of it is secret. */
  async #write(name: string, content: object): Promise<void> {
    const path = join(this.path, name);
    await writeFile(`${path}.part`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    await rename(`${path}.part`, path);
  }
}

/** Level by level: `recursive` of Node never returns where a file system refuses new folders with ENOENT, as /proc does. */
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

/** Another process may have got the pid of a run that is long over. */
async function isLocalRun(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).includes('local.ts');
  } catch {
    return false;
  }
}

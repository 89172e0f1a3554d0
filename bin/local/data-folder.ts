// The folder in which a local run keeps everything: its secrets, its ports, and where its parts put their data.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apiKeyPrefix } from '../../lambda/surfaces/authenticate.ts';

/** Made at the first start, kept for ever: what is sealed with them could not be read any more. */
export interface RunIdentity {
  readonly serviceSecret: string;
  readonly apiKey: string;
  /** Tells this run's agents from those of other machines on the same database. */
  readonly supervisor: string;
}

/** What other programs need to use the run; written when it is ready, removed when it ends. */
export interface ConnectionFile {
  /** Base URL of the REST API, ending in /v1. */
  readonly apiURL: string;
  /** Origin of the page, without a path. */
  readonly siteURL: string;
  readonly rtmpURL: string;
  readonly apiKey: string;
  readonly pid: number;
}

export interface Ports {
  readonly site: number;
  readonly rtmp: number;
  readonly postgres: number;
}

export class DataFolder {
  readonly path: string;
  readonly postgres: string;
  readonly objects: string;
  readonly demoMedia: string;

  private constructor(path: string) {
    this.path = path;
    this.postgres = join(path, 'postgres');
    this.objects = join(path, 'objects');
    this.demoMedia = join(path, 'demo');
  }

  /**
   * @param fresh deletes what is there first
   * @throws when another run uses the folder, or when a fresh start would delete a folder that no run has made
   */
  static async open(path: string, fresh: boolean): Promise<DataFolder> {
    const folder = new DataFolder(path);
    const other = await folder.#read<ConnectionFile>('connection.json');
    if (other && (await isLocalRun(other.pid))) {
      throw new Error(`A local run with this data folder is at ${other.siteURL} already (process ${other.pid}). End it first, or choose another folder with --data.`);
    }
    if (fresh) await folder.#clear();
    await mkdir(path, { recursive: true });
    // Left by a run that was killed: it would point to nobody.
    await folder.removeConnection();
    return folder;
  }

  async #clear(): Promise<void> {
    const names: string[] = await readdir(this.path).catch(() => []);
    // Set-up notes itself in .local before the first run.
    const isOurs = names.includes('identity.json') || names.every((name) => name === 'installer.pid');
    if (!isOurs) throw new Error(`--fresh deletes ${this.path}, but that does not look like the data folder of a local run. Delete it yourself, or name another with --data.`);
    await rm(this.path, { recursive: true, force: true });
  }

  async identity(): Promise<RunIdentity> {
    const found = await this.#read<RunIdentity>('identity.json');
    if (found) return found;
    const made: RunIdentity = {
      serviceSecret: randomBytes(32).toString('base64url'),
      apiKey: apiKeyPrefix + randomBytes(32).toString('base64url'),
      supervisor: randomUUID(),
    };
    await this.#write('identity.json', made);
    return made;
  }

  /** The ports of the last run, so that destinations which name the RTMP ingest go on working. */
  async lastPorts(): Promise<Partial<Ports>> {
    return (await this.#read<Ports>('ports.json')) ?? {};
  }

  async savePorts(ports: Ports): Promise<void> {
    await this.#write('ports.json', ports);
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

  async removeConnection(): Promise<void> {
    await rm(join(this.path, 'connection.json'), { force: true });
  }

  async #read<Content>(name: string): Promise<Content | null> {
    try {
      return JSON.parse(await readFile(join(this.path, name), 'utf8')) as Content;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw new Error(`${join(this.path, name)} cannot be read. Repair it, or start anew with --fresh.`, { cause: error });
    }
  }

  /** Whole or not at all, whenever the run is killed; readable by its owner only, as most of it is secret. */
  async #write(name: string, content: object): Promise<void> {
    const path = join(this.path, name);
    await writeFile(`${path}.part`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    await rename(`${path}.part`, path);
  }
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

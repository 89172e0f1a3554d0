// Objects of the file object store that arrive in parts: a folder for each, until it is made an object or given up.
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { FileObjects } from './file-objects.ts';
import { assertObjectKey, MultipartLost } from './object-store.ts';
import type { ObjectPart } from './object-store.ts';

/** In the folder of an object that arrives: the media type that the object gets. */
const contentTypeFile = 'content-type';

export class FileMultiparts {
  readonly #folder: string;
  readonly #objects: FileObjects;

  /**
   * @param folder of the store; gets a folder `multiparts`
   * @param objects where an object goes once all of its parts are there
   */
  constructor(folder: string, objects: FileObjects) {
    this.#folder = join(folder, 'multiparts');
    this.#objects = objects;
  }

  /** @returns the id that the other methods know the new object by */
  async create(key: string, contentType: string): Promise<string> {
    const multipartID = randomUUID();
    const path = this.#pathOf(key, multipartID);
    await mkdir(path, { recursive: true });
    await writeFile(join(path, contentTypeFile), contentType);
    return multipartID;
  }

  /** @throws MultipartLost */
  async put(key: string, multipartID: string, partNumber: number, body: Buffer): Promise<ObjectPart> {
    const path = this.#pathOf(key, multipartID);
    // WebCrypto hashes on another thread: this thread may be sending streams, which must not wait.
    const digest = await crypto.subtle.digest('SHA-256', body as Buffer<ArrayBuffer>);
    const part = { partNumber, sizeBytes: body.length, etag: Buffer.from(digest).toString('hex') };
    const unfinished = join(path, randomUUID());
    await writeFile(unfinished, body, { flush: true }).catch(asLost(key));
    const replaced = (await partsIn(path, key)).filter(
      (other) => other.partNumber === partNumber && other.etag !== part.etag,
    );
    await rename(unfinished, join(path, fileOfPart(part))).catch(asLost(key));
    for (const other of replaced) await rm(join(path, fileOfPart(other)), { force: true });
    return part;
  }

  /** By number. @throws MultipartLost */
  async list(key: string, multipartID: string): Promise<ObjectPart[]> {
    return partsIn(this.#pathOf(key, multipartID), key);
  }

  /** @throws MultipartLost */
  async complete(key: string, multipartID: string, parts: readonly ObjectPart[]): Promise<void> {
    const path = this.#pathOf(key, multipartID);
    const there = new Set((await partsIn(path, key)).map(fileOfPart));
    const files = parts.map(fileOfPart);
    if (!files.every((file) => there.has(file))) throw new MultipartLost(key);
    const contentType = await readFile(join(path, contentTypeFile), 'utf8').catch(asLost(key));
    const body = Readable.from(bytesOf(files.map((file) => join(path, file))));
    await this.#objects.write(key, body, contentType).catch(asLost(key));
    await rm(path, { recursive: true, force: true });
  }

  async abort(key: string, multipartID: string): Promise<void> {
    await rm(this.#pathOf(key, multipartID), { recursive: true, force: true });
  }

  /** The folder of one arriving object: its content type, and a file for each part, named by its number and etag. */
  #pathOf(key: string, multipartID: string): string {
    assertObjectKey(key);
    assertObjectKey(multipartID);
    return join(this.#folder, multipartID);
  }
}

function fileOfPart({ partNumber, etag }: ObjectPart): string {
  return `${partNumber}-${etag}`;
}

async function partsIn(path: string, key: string): Promise<ObjectPart[]> {
  const names = await readdir(path).catch(asLost(key));
  const parts: ObjectPart[] = [];
  for (const name of names) {
    const [, partNumber, etag] = /^(\d+)-([0-9a-f]{64})$/.exec(name) ?? [];
    if (!partNumber || !etag) continue;
    const { size } = await stat(join(path, name)).catch(asLost(key));
    parts.push({ partNumber: Number(partNumber), sizeBytes: size, etag });
  }
  return parts.sort((a, b) => a.partNumber - b.partNumber);
}

/** The bytes of several files, one file after the other. */
async function* bytesOf(paths: readonly string[]): AsyncGenerator<Buffer> {
  for (const path of paths) yield* createReadStream(path);
}

/** A handler for errors: where a file or its folder is gone, somebody else has thrown the parts away. */
function asLost(key: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    throw error.code === 'ENOENT' ? new MultipartLost(key, { cause: error }) : error;
  };
}

// Whole objects of the file object store: a file for each key, written elsewhere and then put into place in one step.
import { randomUUID } from 'node:crypto';
import { createWriteStream, mkdirSync } from 'node:fs';
import type { WriteStream } from 'node:fs';
import { link, mkdir, open, opendir, rename, rm, rmdir, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ByteRange } from './byte-range.ts';
import { assertObjectKey, ObjectExists, ObjectNotFound } from './object-store.ts';
import type { ObjectFacts } from './object-store.ts';

/**
 * An object as of its opening, whatever happens to its key later. It holds a file open until its stream ends or `close`
 * is called.
 */
export interface OpenObject {
  readonly facts: ObjectFacts;
  /** Bytes from `start` to `end`, both included. */
  stream(start: number, end: number): Promise<Readable>;
  close(): Promise<void>;
}

/** Moves a finished file to the path of its object. */
type PutInPlace = (file: string, path: string) => Promise<void>;

/**
 * Each file holds the object's bytes, then its content type, padded to this length. One rename changes both at once,
 * and an offset in the file is the offset in the object.
 */
const trailerBytes = 256;

export class FileObjects {
  readonly #objects: string;
  readonly #unfinished: string;

  /** @param folder created if missing; gets a folder `objects`, and `parts` for files under construction */
  constructor(folder: string) {
    this.#objects = join(folder, 'objects');
    this.#unfinished = join(folder, 'parts');
    mkdirSync(this.#unfinished, { recursive: true });
  }

  async open(key: string): Promise<OpenObject | null> {
    const file = await openIfThere(this.#pathOf(key));
    if (!file) return null;
    const sizeBytes = (await file.stat()).size - trailerBytes;
    const { buffer } = await file.read(Buffer.alloc(trailerBytes), 0, trailerBytes, sizeBytes);
    return {
      facts: { sizeBytes, contentType: buffer.toString('latin1').trimEnd() },
      async stream(start, end) {
        if (start <= end) return file.createReadStream({ start, end });
        // The stream of a file always reads at least one byte, so no bytes are a stream of their own.
        await file.close();
        return Readable.from([]);
      },
      close: () => file.close(),
    };
  }

  async head(key: string): Promise<ObjectFacts | null> {
    const object = await this.open(key);
    await object?.close();
    return object?.facts ?? null;
  }

  /** @throws ObjectNotFound */
  async read(key: string, { start, end }: ByteRange = { start: 0, end: Infinity }): Promise<Readable> {
    const object = await this.open(key);
    if (!object) throw new ObjectNotFound(key);
    return object.stream(start, Math.min(end, object.facts.sizeBytes - 1));
  }

  /** Replaces an existing object. */
  async write(key: string, body: Readable | Buffer, contentType: string): Promise<void> {
    await this.#writeThen(rename, key, body, contentType);
  }

  /** @throws ObjectExists if the object exists already, or another write was faster */
  async writeNew(key: string, body: Readable, contentType: string): Promise<void> {
    await this.#writeThen(putInEmptyPlace, key, body, contentType);
  }

  /** Turns the first bytes of a file on the same disk into an object. Replaces an existing one. */
  async adopt(file: string, key: string, { sizeBytes, contentType }: ObjectFacts): Promise<void> {
    const path = this.#pathOf(key);
    const handle = await open(file, 'r+');
    try {
      await handle.truncate(sizeBytes);
      await handle.write(trailerOf(contentType), 0, trailerBytes, sizeBytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await mkdir(dirname(path), { recursive: true });
    await rename(file, path);
  }

  async delete(key: string): Promise<void> {
    await rm(this.#pathOf(key), { force: true });
  }

  /** Deletes the objects with a prefix, a folder, that were written before a time. */
  async deleteBefore(prefix: string, time: Date): Promise<void> {
    await emptyBefore(join(this.#objects, prefix), time);
  }

  /** No key contains '@', so the file of one key never has the name of a folder that another key needs. */
  #pathOf(key: string): string {
    assertObjectKey(key);
    return join(this.#objects, `${key}@object`);
  }

  /** Writes a file outside of the objects' folder, then lets `putInPlace` make it the object in one step. */
  async #writeThen(putInPlace: PutInPlace, key: string, body: Readable | Buffer, contentType: string): Promise<void> {
    const path = this.#pathOf(key);
    const file = join(this.#unfinished, randomUUID());
    const trailer = trailerOf(contentType);
    const written = createWriteStream(file, { flags: 'wx', flush: true });
    try {
      // Nothing may be awaited before the pipeline: a body that fails without a listener ends the process.
      await pipeline(
        Buffer.isBuffer(body) ? Readable.from([body]) : body,
        async function* (chunks: AsyncIterable<Buffer>) {
          yield* chunks;
          yield trailer;
        },
        written,
      );
      await mkdir(dirname(path), { recursive: true });
      await putInPlace(file, path);
    } catch (error) {
      await untilClosed(written);
      await rm(file, { force: true });
      throw error;
    }
  }
}

/** Deletes files that were written before a time, and folders in which nothing changed since. */
async function emptyBefore(folder: string, time: Date): Promise<void> {
  const entries = await opendir(folder).catch(orIfGone(null));
  for await (const entry of entries ?? []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await emptyBefore(path, time);
    const changed = await stat(path).catch(orIfGone(null));
    if (!changed || changed.mtime >= time) continue;
    if (entry.isDirectory()) await rmdir(path).catch(unlessInUse);
    else await rm(path, { force: true });
  }
}

/** A folder that is not empty, or in which a file has just come, stays. */
function unlessInUse(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOTEMPTY' && error.code !== 'ENOENT') throw error;
}

/** Handler for errors: a value in place of a missing file or folder. */
export function orIfGone<Instead>(instead: Instead): (error: NodeJS.ErrnoException) => Instead {
  return (error) => {
    if (error.code === 'ENOENT') return instead;
    throw error;
  };
}

/**
 * Resolves when a file that was being written is closed. A body can fail before its file is open: if the file were
 * removed at once, it would be created afterwards, and stay.
 */
export async function untilClosed(written: WriteStream): Promise<void> {
  if (!written.closed) await new Promise<void>((resolve) => written.once('close', () => resolve()));
}

function trailerOf(contentType: string): Buffer {
  const trailer = Buffer.from(contentType.padEnd(trailerBytes), 'latin1');
  if (trailer.length !== trailerBytes) throw new Error(`a content type has at most ${trailerBytes} characters`);
  return trailer;
}

/** A link, unlike a rename, fails if the file exists already. */
async function putInEmptyPlace(file: string, path: string): Promise<void> {
  await link(file, path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new ObjectExists('the URL was used already: there is an object') : error;
  });
  await rm(file);
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    return await open(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

// Objects of the file object store that arrive in parts: a folder for each, until it is completed or given up.
// All parts are written to their places in one file, so that renaming that file completes an object of any size.
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { MultipartLost, partBytes } from '../../domain/media/upload-parts.ts';
import { orIfGone, untilClosed } from './file-objects.ts';
import type { FileObjects } from './file-objects.ts';
import { assertObjectKey } from './object-store.ts';
import type { MultipartFacts, ObjectPart } from './object-store.ts';
import type { GrantedPart } from './object-urls.ts';

/** Files in the folder of an arriving object: its bytes and its facts. */
const bytesFile = 'bytes';
const factsFile = 'facts.json';

/** Bytes of a part in memory while it is copied to its place. */
const pieceBytes = 1024 ** 2;

/** The received bytes differ from those that a URL was signed for. */
export class PartDiffers extends Error {
  override readonly name = 'PartDiffers';
}

export class FileMultiparts {
  readonly #folder: string;
  readonly #objects: FileObjects;
  /** Pending work on an arriving object, by its folder: one piece at a time. */
  readonly #turns = new Map<string, Promise<void>>();

  /**
   * @param folder folder of the store; gets a folder `multiparts`
   * @param objects receives an object once all of its parts exist
   */
  constructor(folder: string, objects: FileObjects) {
    this.#folder = join(folder, 'multiparts');
    this.#objects = objects;
  }

  /** @returns id of the new object for the other methods */
  async create(key: string, facts: MultipartFacts): Promise<string> {
    const multipartID = randomUUID();
    const path = this.#pathOf(key, multipartID);
    await mkdir(path, { recursive: true });
    await writeFile(join(path, bytesFile), '');
    await writeFile(join(path, factsFile), JSON.stringify(facts));
    return multipartID;
  }

  /** @throws MultipartLost */
  async put(key: string, multipartID: string, partNumber: number, body: Buffer): Promise<ObjectPart> {
    const path = this.#pathOf(key, multipartID);
    // WebCrypto hashes on another thread: this thread may be sending streams, which must not wait.
    const digest = await crypto.subtle.digest('SHA-256', body as Buffer<ArrayBuffer>);
    const stored = { partNumber, sizeBytes: body.length, etag: Buffer.from(digest).toString('hex') };
    const { hasSHA256 } = await factsIn(path, key);
    await this.#store(path, key, stored, () => [body]);
    return { ...stored, sha256: hasSHA256 ? base64Of(stored.etag) : null };
  }

  /**
   * Stores a part as it arrives. An earlier version of it stays until all of the new one has arrived.
   * @throws MultipartLost
   * @throws PartDiffers
   */
  async receive(key: string, part: GrantedPart, body: Readable): Promise<void> {
    const { multipartID, partNumber, sha256 } = part;
    const path = this.#pathOf(key, multipartID);
    const arriving = join(path, randomUUID());
    const hash = createHash('sha256');
    let sizeBytes = 0;
    const written = createWriteStream(arriving, { flags: 'wx' });
    const hashed = async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        sizeBytes += chunk.length;
        yield chunk;
      }
    };
    try {
      // Nothing may be awaited before the pipeline: a body that fails without a listener ends the process.
      await pipeline(body, hashed, written).catch(asLost(key));
      const etag = hash.digest('hex');
      if (sha256 !== null && base64Of(etag) !== sha256)
        throw new PartDiffers('the body is not the one that the URL was signed for');
      await this.#store(path, key, { partNumber, sizeBytes, etag }, () => piecesOf(arriving, key));
    } finally {
      await untilClosed(written);
      await rm(arriving, { force: true });
    }
  }

  /** Ordered by number. @throws MultipartLost */
  async list(key: string, multipartID: string): Promise<ObjectPart[]> {
    const path = this.#pathOf(key, multipartID);
    const { hasSHA256 } = await factsIn(path, key);
    const stored = await partsIn(path, key);
    return stored.map((part) => ({ ...part, sha256: hasSHA256 ? base64Of(part.etag) : null }));
  }

  /** @throws MultipartLost */
  async complete(key: string, multipartID: string, parts: readonly ObjectPart[]): Promise<void> {
    const path = this.#pathOf(key, multipartID);
    await this.#inTurn(path, async () => {
      const { contentType } = await factsIn(path, key);
      const there = new Set((await partsIn(path, key)).map(markerOf));
      if (!parts.every((part) => there.has(markerOf(part)))) throw new MultipartLost(key);
      const inPlace = parts.every(
        ({ partNumber, sizeBytes }, index) =>
          partNumber === index + 1 && (sizeBytes === partBytes || partNumber === parts.length),
      );
      if (!inPlace) throw new TypeError(`the parts of ${key} leave gaps`);
      const sizeBytes = parts.reduce((sum, part) => sum + part.sizeBytes, 0);
      await this.#objects.adopt(join(path, bytesFile), key, { sizeBytes, contentType }).catch(asLost(key));
      await rm(path, { recursive: true, force: true });
    });
  }

  async abort(key: string, multipartID: string): Promise<void> {
    const path = this.#pathOf(key, multipartID);
    await this.#inTurn(path, () => rm(path, { recursive: true, force: true }));
  }

  /** Deletes objects that were begun before a time and never completed. */
  async discardBefore(time: Date): Promise<void> {
    const names = await readdir(this.#folder).catch(orIfGone<string[]>([]));
    for (const path of names.map((name) => join(this.#folder, name))) {
      // The facts are written once, at the begin. If that was cut off, only the folder exists.
      const begun =
        (await stat(join(path, factsFile)).catch(orIfGone(null))) ?? (await stat(path).catch(orIfGone(null)));
      if (begun && begun.mtime < time) await this.#inTurn(path, () => rm(path, { recursive: true, force: true }));
    }
  }

  /**
   * Writes a part to its place. The part counts from its marker on; a replaced one counts until bytes change.
   * @param body called in its turn: many parts may wait for theirs, and need no memory meanwhile
   */
  async #store(path: string, key: string, part: StoredPart, body: () => Pieces): Promise<void> {
    await this.#inTurn(path, async () => {
      const before = (await partsIn(path, key)).filter(({ partNumber }) => partNumber === part.partNumber);
      if (before.some((other) => markerOf(other) === markerOf(part))) return;
      for (const other of before) await rm(join(path, markerOf(other)), { force: true });
      const file = await open(join(path, bytesFile), 'r+').catch(asLost(key));
      try {
        let at = (part.partNumber - 1) * partBytes;
        for await (const piece of body())
          for (let written = 0; written < piece.length;) {
            const { bytesWritten } = await file.write(piece, written, piece.length - written, at);
            written += bytesWritten;
            at += bytesWritten;
          }
        await file.datasync();
      } finally {
        await file.close();
      }
      await writeFile(join(path, markerOf(part)), '').catch(asLost(key));
    });
  }

  /** Waits for all earlier turns. Other processes do not work on the same object. */
  async #inTurn(path: string, turn: () => Promise<void>): Promise<void> {
    const mine = (this.#turns.get(path) ?? Promise.resolve()).then(turn);
    const ended = mine.catch(() => {});
    this.#turns.set(path, ended);
    try {
      await mine;
    } finally {
      if (this.#turns.get(path) === ended) this.#turns.delete(path);
    }
  }

  /** Folder of one arriving object: its bytes, its facts, and an empty file for each complete part. */
  #pathOf(key: string, multipartID: string): string {
    assertObjectKey(key);
    assertObjectKey(multipartID);
    return join(this.#folder, multipartID);
  }
}

/** A part by its marker. */
type StoredPart = Omit<ObjectPart, 'sha256'>;

type Pieces = AsyncIterable<Buffer> | Iterable<Buffer>;

/** Bytes of a file. Each piece is overwritten by the next. @throws MultipartLost */
async function* piecesOf(path: string, key: string): AsyncGenerator<Buffer> {
  const file = await open(path).catch(asLost(key));
  try {
    const piece = Buffer.alloc(pieceBytes);
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, pieceBytes);
      if (bytesRead === 0) return;
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

function markerOf({ partNumber, sizeBytes, etag }: StoredPart): string {
  return `${partNumber}-${sizeBytes}-${etag}`;
}

async function partsIn(path: string, key: string): Promise<StoredPart[]> {
  const names = await readdir(path).catch(asLost(key));
  const parts = names.flatMap((name) => {
    const [, partNumber, sizeBytes, etag] = /^(\d+)-(\d+)-([0-9a-f]{64})$/.exec(name) ?? [];
    return etag === undefined ? [] : [{ partNumber: Number(partNumber), sizeBytes: Number(sizeBytes), etag }];
  });
  return parts.sort((a, b) => a.partNumber - b.partNumber);
}

async function factsIn(path: string, key: string): Promise<MultipartFacts> {
  return JSON.parse(await readFile(join(path, factsFile), 'utf8').catch(asLost(key))) as MultipartFacts;
}

function base64Of(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64');
}

/** Handler for errors: a missing file or folder means that another process discarded the parts. */
function asLost(key: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    throw error.code === 'ENOENT' ? new MultipartLost(key, { cause: error }) : error;
  };
}

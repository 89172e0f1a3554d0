// The object store of one machine: a folder, and signed URLs that serve-objects.ts answers by the same rules as S3.
import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, mkdirSync } from 'node:fs';
import { link, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { assertObjectKey, assertPutLimits, MultipartLost, ObjectExists, ObjectNotFound } from './object-store.ts';
import type { ObjectFacts, ObjectPart, ObjectStore, PutLimits } from './object-store.ts';
import { signTarget, SignedURLRefused, verifyTarget } from './signed-url.ts';

/** What a signed URL allows its bearer to do. */
export type Grant =
  | { readonly method: 'GET'; readonly key: string }
  | {
      readonly method: 'PUT';
      readonly key: string;
      readonly limits: Pick<PutLimits, 'contentType' | 'contentLength' | 'maxBytes'>;
    };

/** An object as it was when it was opened, whatever becomes of its key meanwhile. Ended by `stream`'s end or by `close`. */
export interface OpenObject {
  readonly facts: ObjectFacts;
  /** First and last byte, both included. */
  stream(start: number, end: number): Promise<Readable>;
  close(): Promise<void>;
}

export interface FileObjectStore extends ObjectStore {
  /**
   * @param target path and query of a request, as received
   * @throws SignedURLRefused
   */
  authorize(method: string, target: string): Grant;
  open(key: string): Promise<OpenObject | null>;
  /** @throws ObjectExists if there is one already, or another write was faster */
  writeNew(key: string, body: Readable, facts: { readonly contentType: string }): Promise<void>;
}

export interface FileObjectStoreOptions {
  /** Made when missing; holds `objects` and, of writes not finished, `parts` and `multiparts`. */
  readonly folder: string;
  /** Where `serveObjects` is reached, without a trailing slash, such as `http://127.0.0.1:3000/objects`. */
  readonly baseURL: string;
  /** Any secret text; every process that signs or serves has to have the same. */
  readonly signingKey: string;
  readonly now?: () => Date;
}

/** The content type follows an object's bytes in the same file, so that one rename publishes both and offsets are those of the object. */
const trailerBytes = 256;

export function createFileObjectStore({
  folder,
  baseURL,
  signingKey,
  now = () => new Date(),
}: FileObjectStoreOptions): FileObjectStore {
  const parts = join(folder, 'parts');
  mkdirSync(parts, { recursive: true });
  const basePath = `${new URL(baseURL).pathname.replace(/\/$/, '')}/`;

  // No key contains '@', so the file of a key never stands where another key needs a folder.
  const pathOf = (key: string) => {
    assertObjectKey(key);
    return join(folder, 'objects', `${key}@object`);
  };
  /** The folder of an object that arrives in parts: its content type, and a file for each part, named by its number and etag. */
  const multipartPath = (key: string, multipartID: string) => {
    assertObjectKey(key);
    assertObjectKey(multipartID);
    return join(folder, 'multiparts', multipartID);
  };
  const signedURL = (method: Grant['method'], key: string, parameters: Record<string, string>, expiresAt: Date) => {
    assertObjectKey(key);
    const target = new URL(`${baseURL}/${key}?${new URLSearchParams(parameters).toString()}`);
    return target.origin + signTarget(signingKey, method, target, expiresAt);
  };
  // Whole seconds, as S3 signs them.
  const expiryAfter = (seconds: number) => new Date((Math.floor(now().getTime() / 1000) + seconds) * 1000);

  /** Writes the bytes beside the objects, then makes them the object with one step. */
  const publish = async (
    key: string,
    body: Readable | Buffer,
    contentType: string,
    step: (part: string, path: string) => Promise<void>,
  ) => {
    const path = pathOf(key);
    const part = join(parts, randomUUID());
    const trailer = Buffer.from(contentType.padEnd(trailerBytes), 'latin1');
    if (trailer.length !== trailerBytes) throw new Error(`a content type has at most ${trailerBytes} characters`);
    try {
      // Nothing is awaited before this: a stream that failed meanwhile would have had nobody to tell.
      await pipeline(
        Buffer.isBuffer(body) ? Readable.from([body]) : body,
        async function* (chunks: AsyncIterable<Buffer>) {
          yield* chunks;
          yield trailer;
        },
        createWriteStream(part, { flags: 'wx', flush: true }),
      );
      await mkdir(dirname(path), { recursive: true });
      await step(part, path);
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  };

  const store: FileObjectStore = {
    async presignPut(key, limits) {
      assertPutLimits(limits);
      const { contentType, contentLength, maxBytes } = limits;
      const expiresAt = expiryAfter(limits.expiresInSeconds);
      const parameters = {
        contentType,
        ...(contentLength === undefined ? {} : { contentLength: String(contentLength) }),
        maxBytes: String(maxBytes),
      };
      return {
        url: signedURL('PUT', key, parameters, expiresAt),
        headers: { 'content-type': contentType, 'if-none-match': '*' },
        expiresAt,
      };
    },

    async presignGet(key, { expiresInSeconds }) {
      return signedURL('GET', key, {}, expiryAfter(expiresInSeconds));
    },

    authorize(method, target) {
      const signed = verifyTarget(signingKey, method, target, now());
      const path = target.slice(0, target.indexOf('?'));
      const key = path.slice(basePath.length);
      if (!path.startsWith(basePath)) throw new SignedURLRefused('signature_mismatch');
      if (method === 'GET') return { method, key };
      const contentLength = signed.get('contentLength');
      const limits = { contentType: signed.get('contentType') ?? '', maxBytes: Number(signed.get('maxBytes')) };
      return {
        method: 'PUT',
        key,
        limits: contentLength === null ? limits : { ...limits, contentLength: Number(contentLength) },
      };
    },

    async open(key) {
      const file = await open(pathOf(key)).catch(ignoreMissing);
      if (!file) return null;
      const sizeBytes = (await file.stat()).size - trailerBytes;
      const { buffer } = await file.read(Buffer.alloc(trailerBytes), 0, trailerBytes, sizeBytes);
      return {
        facts: { sizeBytes, contentType: buffer.toString('latin1').trimEnd() },
        async stream(start, end) {
          if (start <= end) return file.createReadStream({ start, end });
          // A file stream cannot be told to read nothing.
          await file.close();
          return Readable.from([]);
        },
        close: () => file.close(),
      };
    },

    async head(key) {
      const object = await store.open(key);
      await object?.close();
      return object?.facts ?? null;
    },

    async read(key, { start, end } = { start: 0, end: Infinity }) {
      const object = await store.open(key);
      if (!object) throw new ObjectNotFound(key);
      return object.stream(start, Math.min(end, object.facts.sizeBytes - 1));
    },

    write: (key, body, { contentType }) => publish(key, body, contentType, rename),

    // A link, unlike a rename, fails where there is something.
    writeNew: (key, body, { contentType }) =>
      publish(key, body, contentType, async (part, path) => {
        await link(part, path).catch((error: NodeJS.ErrnoException) => {
          throw error.code === 'EEXIST' ? new ObjectExists('the URL was used already: there is an object') : error;
        });
        await rm(part);
      }),

    async delete(key) {
      await rm(pathOf(key), { force: true });
    },

    async createMultipart(key, { contentType }) {
      const multipartID = randomUUID();
      const path = multipartPath(key, multipartID);
      await mkdir(path, { recursive: true });
      await writeFile(join(path, contentTypeFile), contentType);
      return multipartID;
    },

    async putPart(key, multipartID, partNumber, body) {
      const path = multipartPath(key, multipartID);
      // On another thread: streams are sent by this one.
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
    },

    async listParts(key, multipartID) {
      return partsIn(multipartPath(key, multipartID), key);
    },

    async completeMultipart(key, multipartID, parts) {
      const path = multipartPath(key, multipartID);
      const there = new Set((await partsIn(path, key)).map(fileOfPart));
      const files = parts.map(fileOfPart);
      if (!files.every((file) => there.has(file))) throw new MultipartLost(key);
      const contentType = await readFile(join(path, contentTypeFile), 'utf8').catch(asLost(key));
      const body = Readable.from(
        (async function* () {
          for (const file of files) yield* createReadStream(join(path, file));
        })(),
      );
      await store.write(key, body, { contentType }).catch(asLost(key));
      await rm(path, { recursive: true, force: true });
    },

    async abortMultipart(key, multipartID) {
      await rm(multipartPath(key, multipartID), { recursive: true, force: true });
    },
  };
  return store;
}

const contentTypeFile = 'content-type';

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

/** The folder, or a part in it, was thrown away by somebody else. */
function asLost(key: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    throw error.code === 'ENOENT' ? new MultipartLost(key, { cause: error }) : error;
  };
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

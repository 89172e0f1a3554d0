// Object store of one machine: a folder, and signed URLs that serve-objects.ts answers by the same rules as S3.
import type { Readable } from 'node:stream';
import { expiringObjects, partsKeptDays } from '../../domain/media/object-keys.ts';
import { DiskRoom } from './disk-room.ts';
import { FileMultiparts } from './file-multiparts.ts';
import { FileObjects } from './file-objects.ts';
import type { OpenObject } from './file-objects.ts';
import type { ObjectStore } from './object-store.ts';
import { ObjectURLs } from './object-urls.ts';
import type { Grant, GrantedPart } from './object-urls.ts';

const dayMs = 86_400_000;

/** The port, whose writes throw `StorageFull`, and the methods for the server behind its signed URLs. */
export interface FileObjectStore extends ObjectStore {
  /**
   * @param target path and query of a request, as received
   * @throws SignedURLRefused
   */
  authorize(method: string, target: string): Grant;
  open(key: string): Promise<OpenObject | null>;
  /** @throws StorageFull if the disk has no room for so many bytes now */
  assertRoom(bytes: number): Promise<void>;
  /** @throws ObjectExists if the object exists already, or another write was faster */
  writeNew(
    key: string,
    body: Readable,
    facts: { readonly contentType: string; readonly contentLength: number },
  ): Promise<void>;
  /**
   * Stores a part as it arrives.
   * @throws MultipartLost, PartDiffers
   */
  receivePart(key: string, part: GrantedPart, body: Readable): Promise<void>;
  /** Deletes `expiringObjects` and parts of `partsKeptDays`, as lifecycle rules do on S3. */
  discardExpired(): Promise<void>;
}

export interface FileObjectStoreOptions {
  /** Created if missing. Holds `objects` and, for unfinished writes, `parts` and `multiparts`. */
  readonly folder: string;
  /** Address of `serveObjects` without a trailing slash, such as `http://127.0.0.1:3000/objects`. */
  readonly baseURL: string;
  /** Any secret text; all processes that sign or serve share it. */
  readonly signingKey: string;
  readonly now?: () => Date;
}

export function createFileObjectStore(options: FileObjectStoreOptions): FileObjectStore {
  const { folder, baseURL, signingKey, now = () => new Date() } = options;
  const objects = new FileObjects(folder);
  const room = new DiskRoom(folder);
  const multiparts = new FileMultiparts(folder, objects);
  const urls = new ObjectURLs({ baseURL, signingKey, now });
  return {
    // Asynchronous, as the port is: a refusal of the key or the limits rejects instead of being thrown.
    presignPut: async (key, limits) => urls.forPut(key, limits),
    presignGet: async (key, options) => urls.forGet(key, options),
    authorize: (method, target) => urls.authorize(method, target),

    open: (key) => objects.open(key),
    assertRoom: (bytes) => room.assert(bytes),
    head: (key) => objects.head(key),
    read: (key, range) => objects.read(key, range),
    write: async (key, body, { contentType }) => {
      if (!Buffer.isBuffer(body)) return objects.write(key, room.within(body), contentType);
      using _room = await room.take(body.length);
      await objects.write(key, body, contentType);
    },
    writeNew: (key, body, { contentType, contentLength }) =>
      objects.writeNew(key, room.within(body, contentLength), contentType),
    delete: (key) => objects.delete(key),

    createMultipart: (key, facts) => multiparts.create(key, facts),
    presignPart: async (key, multipartID, limits) => urls.forPart(key, multipartID, limits),
    receivePart: (key, part, body) => multiparts.receive(key, part, room.within(body, part.contentLength)),
    discardExpired: async () => {
      const daysAgo = (days: number) => new Date(now().getTime() - days * dayMs);
      await multiparts.discardBefore(daysAgo(partsKeptDays));
      for (const { prefix, keptDays } of expiringObjects) await objects.deleteBefore(prefix, daysAgo(keptDays));
    },
    putPart: async (key, multipartID, partNumber, body) => {
      using _room = await room.take(body.length);
      return multiparts.put(key, multipartID, partNumber, body);
    },
    listParts: (key, multipartID) => multiparts.list(key, multipartID),
    completeMultipart: (key, multipartID, parts) => multiparts.complete(key, multipartID, parts),
    abortMultipart: (key, multipartID) => multiparts.abort(key, multipartID),
  };
}

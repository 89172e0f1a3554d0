// The object store of one machine: a folder, and signed URLs that serve-objects.ts answers by the same rules as S3.
import type { Readable } from 'node:stream';
import { partsKeptDays } from '../../domain/media/object-keys.ts';
import { FileMultiparts } from './file-multiparts.ts';
import { FileObjects } from './file-objects.ts';
import type { OpenObject } from './file-objects.ts';
import type { ObjectStore } from './object-store.ts';
import { ObjectURLs } from './object-urls.ts';
import type { Grant, GrantedPart } from './object-urls.ts';

const dayMs = 86_400_000;

/** The port, and what a server needs that answers its signed URLs. */
export interface FileObjectStore extends ObjectStore {
  /**
   * @param target path and query of a request, as received
   * @throws SignedURLRefused
   */
  authorize(method: string, target: string): Grant;
  open(key: string): Promise<OpenObject | null>;
  /** @throws ObjectExists if there is an object already, or another write was faster */
  writeNew(key: string, body: Readable, facts: { readonly contentType: string }): Promise<void>;
  /**
   * Stores a part as it comes.
   * @throws MultipartLost, PartDiffers
   */
  receivePart(key: string, part: GrantedPart, body: Readable): Promise<void>;
  /** Deletes the parts that nobody has completed within `partsKeptDays`, as a lifecycle rule does on S3. */
  discardOldParts(): Promise<void>;
}

export interface FileObjectStoreOptions {
  /** Made when missing. Holds `objects` and, of writes that are not finished, `parts` and `multiparts`. */
  readonly folder: string;
  /** Where `serveObjects` is reached, without a trailing slash, such as `http://127.0.0.1:3000/objects`. */
  readonly baseURL: string;
  /** Any secret text; every process that signs or serves has to have the same. */
  readonly signingKey: string;
  readonly now?: () => Date;
}

export function createFileObjectStore(options: FileObjectStoreOptions): FileObjectStore {
  const { folder, baseURL, signingKey, now = () => new Date() } = options;
  const objects = new FileObjects(folder);
  const multiparts = new FileMultiparts(folder, objects);
  const urls = new ObjectURLs({ baseURL, signingKey, now });
  return {
    // Asynchronous, as the port is: what the key or the limits are refused for rejects instead of being thrown.
    presignPut: async (key, limits) => urls.forPut(key, limits),
    presignGet: async (key, options) => urls.forGet(key, options),
    authorize: (method, target) => urls.authorize(method, target),

    open: (key) => objects.open(key),
    head: (key) => objects.head(key),
    read: (key, range) => objects.read(key, range),
    write: (key, body, { contentType }) => objects.write(key, body, contentType),
    writeNew: (key, body, { contentType }) => objects.writeNew(key, body, contentType),
    delete: (key) => objects.delete(key),

    createMultipart: (key, facts) => multiparts.create(key, facts),
    presignPart: async (key, multipartID, limits) => urls.forPart(key, multipartID, limits),
    receivePart: (key, part, body) => multiparts.receive(key, part, body),
    discardOldParts: () => multiparts.discardBefore(new Date(now().getTime() - partsKeptDays * dayMs)),
    putPart: (key, multipartID, partNumber, body) => multiparts.put(key, multipartID, partNumber, body),
    listParts: (key, multipartID) => multiparts.list(key, multipartID),
    completeMultipart: (key, multipartID, parts) => multiparts.complete(key, multipartID, parts),
    abortMultipart: (key, multipartID) => multiparts.abort(key, multipartID),
  };
}

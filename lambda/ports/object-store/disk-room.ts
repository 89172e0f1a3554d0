// The room on the disk of the file object store. Objects leave a part of the disk to the database and to logs.
import { statfs } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** Bytes that objects leave free. */
const keptFreeBytes = 1024 ** 3;
/** The share of a small disk that objects leave free instead. */
const keptFreeShare = 0.2;

/** The disk has no room for the bytes. */
export class StorageFull extends Error {
  override readonly name = 'StorageFull';
  constructor() {
    super('the disk of the platform has no room for it: delete uploads or make room, then send it again');
  }
}

export class DiskRoom {
  readonly #folder: string;
  #promisedBytes = 0;

  /** @param folder of the disk */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Takes room for bytes that arrive. Bytes count twice from their arrival to the end: the disk has less room, too.
   * @returns the room, which ends when it is disposed
   * @throws StorageFull
   */
  async take(bytes: number): Promise<Disposable> {
    const { bsize, blocks, bavail } = await statfs(this.#folder);
    const kept = Math.min(keptFreeBytes, blocks * bsize * keptFreeShare);
    if (bavail * bsize - this.#promisedBytes - bytes < kept) throw new StorageFull();
    this.#promisedBytes += bytes;
    return { [Symbol.dispose]: () => void (this.#promisedBytes -= bytes) };
  }

  /** The same bytes as long as there is room for them. The stream fails with StorageFull. */
  within(body: Readable): Readable {
    const take = (bytes: number) => this.take(bytes);
    const within = async function* (chunks: AsyncIterable<Buffer>) {
      using rooms = new DisposableStack();
      for await (const chunk of chunks) {
        rooms.use(await take(chunk.length));
        yield chunk;
      }
    };
    // The types of Node do not know that the result is readable.
    return body.compose(within) as Readable;
  }
}

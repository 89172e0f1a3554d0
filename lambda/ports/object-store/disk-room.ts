// The room on the disk of the file object store. Objects leave a part of the disk to the database and to logs.
import { statfs } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** Bytes that objects leave free. */
const keptFreeBytes = 1024 ** 3;
/** The share of a small disk that objects leave free instead. */
const keptFreeShare = 0.2;
/** Most room that is taken ahead for bytes that are announced. */
const aheadBytes = 64 * 1024 ** 2;

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

  /** @throws StorageFull if there is no room for so many bytes now */
  async assert(bytes: number): Promise<void> {
    using _room = await this.take(bytes);
  }

  /**
   * The same bytes as long as there is room for them. Room is taken ahead for as many as have arrived, so one who
   * sends little keeps little from others. The stream fails with StorageFull.
   * @param expectedBytes as many as will come; 0: unknown
   */
  within(body: Readable, expectedBytes = 0): Readable {
    const take = (bytes: number) => this.take(bytes);
    const within = async function* (chunks: AsyncIterable<Buffer>) {
      let [room, left, arrived]: [Disposable | null, number, number] = [null, 0, 0];
      try {
        for await (const chunk of chunks) {
          if (chunk.length > left) {
            room?.[Symbol.dispose]();
            room = null;
            left = Math.max(chunk.length, Math.min(aheadBytes, arrived, expectedBytes - arrived));
            room = await take(left);
          }
          left -= chunk.length;
          arrived += chunk.length;
          yield chunk;
        }
      } finally {
        room?.[Symbol.dispose]();
      }
    };
    // The types of Node do not know that the result is readable.
    return body.compose(within) as Readable;
  }
}

// The room on the disk of the file object store. Uploads leave a part of the disk to the database and to logs.
import { statfs } from 'node:fs/promises';

/** Bytes that uploads leave free. */
const keptFreeBytes = 1024 ** 3;
/** The share of a small disk that uploads leave free instead. */
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
}

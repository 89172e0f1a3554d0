// Collects bytes into the parts of an object, in memory for at most two: one fills while the other is stored.
import { partBytes } from '../domain/media/upload-parts.ts';
import type { ObjectPart, ObjectStore } from '../ports/object-store/object-store.ts';

export interface PartTarget {
  readonly objects: ObjectStore;
  readonly objectKey: string;
  readonly multipartID: string;
}

/**
 * First size of the buffer, which doubles whenever it is full. Most files are smaller than a part, and V8 runs a full
 * garbage collection for every few parts that are allocated.
 */
const firstBytes = 256 * 1024;

export class PartWriter {
  readonly #target: PartTarget;
  readonly #parts: ObjectPart[];
  #filling: Buffer = Buffer.allocUnsafe(firstBytes);
  #spare: Buffer | null = null;
  #filled = 0;
  #storing: Promise<void> = Promise.resolve();
  /** The number of parts whose storing has begun. */
  #begun: number;

  /** @param parts the stored parts, from the first on, each of `partBytes` bytes */
  constructor(target: PartTarget, parts: readonly ObjectPart[]) {
    this.#target = target;
    this.#parts = [...parts];
    this.#begun = parts.length;
  }

  /** Bytes written so far, stored or in memory. */
  get bytes(): number {
    return this.#begun * partBytes + this.#filled;
  }

  async write(chunk: Buffer): Promise<void> {
    for (let from = 0; from < chunk.length;) {
      const copied = chunk.copy(this.#filling, this.#filled, from);
      this.#filled += copied;
      from += copied;
      if (this.#filled === partBytes) await this.#store();
      else if (this.#filled === this.#filling.length) this.#grow();
    }
  }

  #grow(): void {
    const grown = Buffer.allocUnsafe(Math.min(2 * this.#filling.length, partBytes));
    this.#filling.copy(grown);
    this.#filling = grown;
  }

  /** Stores the rest and completes the object. */
  async complete(): Promise<void> {
    if (this.#filled > 0) await this.#store();
    await this.#storing;
    const { objects, objectKey, multipartID } = this.#target;
    await objects.completeMultipart(objectKey, multipartID, this.#parts);
  }

  /** Waits for the part that is being stored, whether it succeeds or fails. */
  async idle(): Promise<void> {
    await this.#storing.catch(() => {});
  }

  async #store(): Promise<void> {
    await this.#storing;
    const { objects, objectKey, multipartID } = this.#target;
    const body = this.#filling.subarray(0, this.#filled);
    this.#begun += 1;
    const partNumber = this.#begun;
    [this.#filling, this.#spare] = [this.#spare ?? Buffer.allocUnsafe(firstBytes), this.#filling];
    this.#filled = 0;
    this.#storing = objects
      .putPart(objectKey, multipartID, partNumber, body)
      .then((part) => void this.#parts.push(part));
    // The next call awaits this promise and throws its error. Until then the error has no handler.
    this.#storing.catch(() => {});
  }
}

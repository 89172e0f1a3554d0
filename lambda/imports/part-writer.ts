// Collects bytes into the parts of an object, in the memory of two at most: one fills while the other is stored.
import { partBytes } from '../domain/media/upload-parts.ts';
import type { ObjectPart, ObjectStore } from '../ports/object-store/object-store.ts';

export interface PartTarget {
  readonly objects: ObjectStore;
  readonly objectKey: string;
  readonly multipartID: string;
}

/**
 * Memory for so much is taken at first, and for twice as much whenever that is full. Most files have less than a part,
 * and V8 collects all garbage of the process for every few parts that it has to make room for.
 */
const firstBytes = 256 * 1024;

export class PartWriter {
  readonly #target: PartTarget;
  readonly #parts: ObjectPart[];
  #filling: Buffer = Buffer.allocUnsafe(firstBytes);
  #spare: Buffer | null = null;
  #filled = 0;
  #storing: Promise<void> = Promise.resolve();
  /** How many parts were handed over to be stored. */
  #begun: number;

  /** @param parts those that are stored already, from the first on, each of `partBytes` bytes */
  constructor(target: PartTarget, parts: readonly ObjectPart[]) {
    this.#target = target;
    this.#parts = [...parts];
    this.#begun = parts.length;
  }

  get multipartID(): string {
    return this.#target.multipartID;
  }

  /** How many bytes were taken so far, whether they are stored or in memory. */
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

  /** Stores what is left and makes the object. */
  async complete(): Promise<void> {
    if (this.#filled > 0) await this.#store();
    await this.#storing;
    const { objects, objectKey, multipartID } = this.#target;
    await objects.completeMultipart(objectKey, multipartID, this.#parts);
  }

  /** Waits for the part that is being stored, whether that succeeds or fails. */
  async settle(): Promise<void> {
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
    // The next call awaits this promise and throws its error. Until then nobody handles the error.
    this.#storing.catch(() => {});
  }
}

// Collects bytes into the parts of an object: one part fills while the one before is stored, so two parts are all the memory it takes.
import { partBytes } from '../ports/object-store/object-store.ts';
import type { ObjectPart, ObjectStore } from '../ports/object-store/object-store.ts';

export interface PartTarget {
  readonly objects: ObjectStore;
  readonly objectKey: string;
  readonly multipartID: string;
}

export class PartWriter {
  readonly #target: PartTarget;
  readonly #parts: ObjectPart[];
  #filling = Buffer.allocUnsafe(partBytes);
  #spare = Buffer.allocUnsafe(partBytes);
  #filled = 0;
  #storing: Promise<void> = Promise.resolve();
  /** Parts handed over to be stored. */
  #begun: number;

  /** @param parts that are stored already, all of `partBytes`, from the first on */
  constructor(target: PartTarget, parts: readonly ObjectPart[]) {
    this.#target = target;
    this.#parts = [...parts];
    this.#begun = parts.length;
  }

  get multipartID(): string {
    return this.#target.multipartID;
  }

  /** Taken so far: stored, or in memory. */
  get bytes(): number {
    return this.#begun * partBytes + this.#filled;
  }

  async write(chunk: Buffer): Promise<void> {
    for (let from = 0; from < chunk.length;) {
      const copied = chunk.copy(this.#filling, this.#filled, from);
      this.#filled += copied;
      from += copied;
      if (this.#filled === partBytes) await this.#store();
    }
  }

  /** Stores what is left and makes the object. */
  async complete(): Promise<void> {
    if (this.#filled > 0) await this.#store();
    await this.#storing;
    const { objects, objectKey, multipartID } = this.#target;
    await objects.completeMultipart(objectKey, multipartID, this.#parts);
  }

  /** Waits for what is under way, whatever becomes of it. */
  async settle(): Promise<void> {
    await this.#storing.catch(() => {});
  }

  async #store(): Promise<void> {
    await this.#storing;
    const { objects, objectKey, multipartID } = this.#target;
    const body = this.#filling.subarray(0, this.#filled);
    const partNumber = (this.#begun += 1);
    [this.#filling, this.#spare] = [this.#spare, this.#filling];
    this.#filled = 0;
    this.#storing = objects
      .putPart(objectKey, multipartID, partNumber, body)
      .then((part) => void this.#parts.push(part));
    // Told by the next step; until then nobody waits for it.
    this.#storing.catch(() => {});
  }
}

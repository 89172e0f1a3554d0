// Segments as they are read: in blocks, each checked once and shared by all streams of the agent that play it, within a bound.
import { LRUCache } from 'lru-cache';
import { buffer } from 'node:stream/consumers';
import type { ObjectStore } from '../../ports/object-store/object-store.ts';
import { assertBlock, blockBytes, maxHeaderBytes, readSegmentHeader, SegmentDamaged } from './segment-format.ts';
import type { SegmentHeader } from './segment-format.ts';
import { mediaChunkSize } from '../rtmp/message.ts';

export interface SegmentStoreOptions {
  readonly objects: Pick<ObjectStore, 'read'>;
  /** What the blocks kept may take together. What is being sent at the moment is besides. */
  readonly maxCachedBytes: number;
}

/** What takes longer is given up; whoever waited for it asks again. */
const readTimeoutMs = 10_000;
/** About 10 kB each. */
const maxCachedHeaders = 2000;

export class SegmentStore {
  readonly #objects: Pick<ObjectStore, 'read'>;
  readonly #headers = new LRUCache<string, Promise<SegmentHeader>>({ max: maxCachedHeaders });
  readonly #blocks: LRUCache<string, Promise<Buffer>>;

  constructor({ objects, maxCachedBytes }: SegmentStoreOptions) {
    this.#objects = objects;
    this.#blocks = new LRUCache({ maxSize: maxCachedBytes, maxEntrySize: blockBytes });
  }

  /** @throws {SegmentDamaged}; {ObjectNotFound}; what the object store throws */
  header(key: string): Promise<SegmentHeader> {
    return remembered(this.#headers, key, {}, async () => {
      const header = readSegmentHeader(await this.#read(key, 0, maxHeaderBytes));
      if (header.chunkSize !== mediaChunkSize) throw new SegmentDamaged('a segment for another chunk size');
      return header;
    });
  }

  /** Block `block` of a segment's media: `blockBytes`, the last one less. @throws as `header` does */
  block(key: string, header: SegmentHeader, block: number): Promise<Buffer> {
    const start = block * blockBytes;
    const size = Math.min(blockBytes, header.mediaBytes - start);
    // By its content: a segment that was made anew has other blocks.
    return remembered(this.#blocks, `${key}#${block} ${header.blockChecksums[block]}`, { size }, async () => {
      const bytes = await this.#read(key, header.mediaStart + start, size);
      try {
        assertBlock(header, block, bytes);
      } catch (error) {
        // It may have been made anew since its header was read.
        this.forget(key);
        throw error;
      }
      return bytes;
    });
  }

  /** Reads a segment's header anew when it is asked for next. */
  forget(key: string): void {
    this.#headers.delete(key);
  }

  async #read(key: string, start: number, size: number): Promise<Buffer> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error('the object store did not answer in time')), readTimeoutMs);
    try {
      return await Promise.race([this.#objects.read(key, { start, end: start + size - 1 }).then(buffer), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** What was read or is being read; whoever asks first reads. Failures are not remembered. */
function remembered<Value extends object>(
  cache: LRUCache<string, Promise<Value>>,
  key: string,
  options: LRUCache.SetOptions<string, Promise<Value>, unknown>,
  read: () => Promise<Value>,
): Promise<Value> {
  const known = cache.get(key);
  if (known) return known;
  const reading = read();
  cache.set(key, reading, options);
  reading.catch(() => cache.get(key) === reading && cache.delete(key));
  return reading;
}

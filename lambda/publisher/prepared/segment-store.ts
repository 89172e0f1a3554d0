// Reads segments in blocks. Each block is checked once, and shared by all streams of the agent that play it.
import { LRUCache } from 'lru-cache';
import { buffer } from 'node:stream/consumers';
import type { ObjectStore } from '../../ports/object-store/object-store.ts';
import { assertBlock, blockBytes, maxHeaderBytes, readSegmentHeader, SegmentDamaged } from './segment-format.ts';
import type { SegmentHeader } from './segment-format.ts';
import { mediaChunkSize } from '../rtmp/message.ts';

export interface SegmentStoreOptions {
  readonly objects: Pick<ObjectStore, 'read'>;
  /** Memory that the cached blocks may take. Blocks that are being sent may take more. */
  readonly maxCachedBytes: number;
}

/** Timeout of a read. The streams that waited for it retry. */
const readTimeoutMs = 10_000;
/** A header takes about 10 kB. */
const maxCachedHeaders = 2000;

export class SegmentStore {
  readonly #objects: Pick<ObjectStore, 'read'>;
  readonly #headers = new LRUCache<string, Promise<SegmentHeader>>({ max: maxCachedHeaders });
  readonly #blocks: LRUCache<string, Promise<Buffer>>;

  constructor({ objects, maxCachedBytes }: SegmentStoreOptions) {
    this.#objects = objects;
    this.#blocks = new LRUCache({ maxSize: maxCachedBytes, maxEntrySize: blockBytes });
  }

  /** The header of a segment. @throws {SegmentDamaged}; {ObjectNotFound}; any error of the object store */
  header(key: string): Promise<SegmentHeader> {
    return remembered(this.#headers, key, {}, async () => {
      const header = readSegmentHeader(await this.#read(key, 0, maxHeaderBytes));
      if (header.chunkSize !== mediaChunkSize) throw new SegmentDamaged('a segment for another chunk size');
      return header;
    });
  }

  /** Block `block` of a segment's media: `blockBytes` bytes, fewer in the last one. @throws the errors of `header` */
  block(key: string, header: SegmentHeader, block: number): Promise<Buffer> {
    const start = block * blockBytes;
    const size = Math.min(blockBytes, header.mediaBytes - start);
    // The checksum is part of the cache key, since a segment that was prepared again has other blocks.
    const name = `${key}#${block} ${header.blockChecksums[block]}`;
    return remembered(this.#blocks, name, { size }, async () => {
      const bytes = await this.#read(key, header.mediaStart + start, size);
      try {
        assertBlock(header, block, bytes);
      } catch (error) {
        // The segment may have been prepared again since its header was read.
        this.forget(key);
        throw error;
      }
      return bytes;
    });
  }

  /** Drops a segment's header from the cache, so that the next call reads it again. */
  forget(key: string): void {
    this.#headers.delete(key);
  }

  async #read(key: string, start: number, size: number): Promise<Buffer> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error('the object store did not answer in time')), readTimeoutMs);
    try {
      const reading = this.#objects.read(key, { start, end: start + size - 1 }).then(buffer);
      return await Promise.race([reading, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The cached value, or the pending read of it. The first caller starts the read. Failures are not cached. */
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

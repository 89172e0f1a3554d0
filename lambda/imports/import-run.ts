// One import, from a link to an object: it resumes after interruptions, retries, and gives up in the end.
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../log.ts';
import type { ClaimedImport, SourceVersion } from '../data/sources/imports.ts';
import { MultipartLost, partBytes } from '../domain/media/upload-parts.ts';
import type { ObjectStore } from '../ports/object-store/object-store.ts';
import { ImportError } from './import-error.ts';
import { StorageFull } from '../ports/object-store/disk-room.ts';
import { openSource } from './open-source.ts';
import type { Link, OpenSource, SourceOptions } from './open-source.ts';
import { PartWriter } from './part-writer.ts';
import { readSource } from './read-source.ts';

export interface ImportRunOptions {
  readonly claim: ClaimedImport;
  readonly objects: ObjectStore;
  readonly source: SourceOptions;
  /** Opens a source that is not a link; null: the link is opened. */
  readonly open: (() => Promise<OpenSource>) | null;
  /** Creates the link of the import. Called for each attempt, as a link may expire. */
  readonly link: () => Promise<Link>;
  /**
   * Called before the first part, to record the multipart upload and the source.
   * @throws when the import is no longer this worker's
   */
  readonly begin: (multipartID: string, source: OpenSource) => Promise<void>;
  readonly steadyClock: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Log;
}

/** Longest wait that a source can ask for, as other imports need the slot. */
const maxRetryAfterMs = 300_000;

export class ImportRun {
  readonly #options: ImportRunOptions;
  #multipartID: string | null;
  #version: SourceVersion | null;
  #mostBytes: number | null = null;
  #writer: PartWriter | null = null;
  #bytesReceived = 0;
  /** The number of whole parts that were stored before this worker continued. */
  #partsBefore = 0;

  constructor(options: ImportRunOptions) {
    this.#options = options;
    this.#multipartID = options.claim.multipart_id;
    this.#version = options.claim.source_version;
  }

  get bytesReceived(): number {
    return this.#bytesReceived;
  }

  /** Whether another worker can continue after the parts that are stored. */
  get isResumable(): boolean {
    return this.#version !== null && this.#version.validator !== null;
  }

  /** Whether a part was stored by this worker, or is being stored. */
  get hasGained(): boolean {
    return Math.floor(this.#bytesReceived / partBytes) > this.#partsBefore;
  }

  /**
   * Fetches the file. Resolves with the size of the object once it is complete.
   * @throws {ImportError} when the import has failed for good; the signal's reason when aborted
   */
  async fetch(signal: AbortSignal): Promise<number> {
    const tooLate = AbortSignal.timeout(Math.max(0, Math.round(this.#options.claim.seconds_left * 1000)));
    try {
      return await this.#fetchWithRetries(AbortSignal.any([signal, tooLate]));
    } catch (error) {
      signal.throwIfAborted();
      throw tooLate.aborted ? new ImportError('took_too_long') : error;
    } finally {
      await this.#writer?.idle();
    }
  }

  /** Discards the stored parts. */
  async abandon(): Promise<void> {
    const multipartID = this.#multipartID;
    this.#multipartID = null;
    if (multipartID !== null) await this.#options.objects.abortMultipart(this.#options.claim.object_key, multipartID);
  }

  async #fetchWithRetries(signal: AbortSignal): Promise<number> {
    const { claim, source, log } = this.#options;
    let failures = 0;
    let furthest = 0;
    for (;;) {
      try {
        return await this.#fetchOnce(signal);
      } catch (error) {
        signal.throwIfAborted();
        const failure = error instanceof ImportError ? error : ownFailure(error);
        if (failure !== error) await this.#forgetWriter();
        if (this.#bytesReceived > furthest) failures = 0;
        furthest = Math.max(furthest, this.#bytesReceived);
        failures += 1;
        if (!failure.retriable || failures >= source.limits.maxFailures) throw failure;
        log('import_interrupted', {
          uploadID: claim.upload_id,
          code: failure.code,
          failures,
          bytesReceived: this.#bytesReceived,
          cause: failure.cause,
        });
        await delay(this.#delayMs(failures, failure.retryAfterMs), undefined, { signal });
      }
    }
  }

  #delayMs(failures: number, retryAfterMs: number): number {
    const { source, random } = this.#options;
    const { firstDelayMs, maxDelayMs } = source.limits;
    const backoffMs = Math.min(maxDelayMs, firstDelayMs * 2 ** (failures - 1));
    return Math.max(backoffMs * (0.5 + random() / 2), Math.min(retryAfterMs, maxRetryAfterMs));
  }

  async #fetchOnce(signal: AbortSignal): Promise<number> {
    const { claim, objects } = this.#options;
    // The previous worker may have died after it had completed the object.
    const object = await objects.head(claim.object_key);
    if (object !== null) {
      this.#bytesReceived = object.sizeBytes;
      return object.sizeBytes;
    }
    this.#writer ??= await this.#resume();
    const isWhole = this.#writer !== null && this.#writer.bytes === this.#version?.sizeBytes;
    if (!isWhole) await this.#fetchRest(signal);
    await this.#writer!.complete();
    return this.#bytesReceived;
  }

  /** Fetches the rest of the file, or all of it if the source cannot resume. */
  async #fetchRest(signal: AbortSignal): Promise<void> {
    const { source: sourceOptions, steadyClock } = this.#options;
    const offset = this.#writer?.bytes ?? 0;
    const resume = this.#version && offset > 0 ? { offset, version: this.#version } : null;
    const source = this.#options.open
      ? await this.#options.open()
      : await openSource(await this.#link(signal), resume, sourceOptions, signal);
    try {
      const writer = source.offset > 0 && this.#writer ? this.#writer : await this.#restart(source);
      await this.#copy(readSource(source.body, sourceOptions.limits, steadyClock), writer);
      if (writer.bytes === 0) throw new ImportError('empty');
      if (source.version.sizeBytes !== null && writer.bytes !== source.version.sizeBytes)
        throw new ImportError('cut_off');
    } finally {
      source.body.destroy();
    }
  }

  /** Creates the link, unless the signal aborts first. */
  async #link(signal: AbortSignal): Promise<Link> {
    signal.throwIfAborted();
    const aborted = Promise.withResolvers<never>();
    const onAbort = () => aborted.reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    const link = Promise.race([this.#options.link(), aborted.promise]);
    return link.finally(() => signal.removeEventListener('abort', onAbort));
  }

  async #copy(bytes: AsyncIterable<Buffer>, writer: PartWriter): Promise<void> {
    const { maxBytes: mostBytes, maxBytesUnannounced } = this.#options.source.limits;
    const unannounced = this.#mostBytes ?? maxBytesUnannounced;
    const maxBytes = this.#version?.sizeBytes === null ? Math.min(mostBytes, unannounced) : mostBytes;
    for await (const chunk of bytes) {
      if (writer.bytes === 0 && looksLikePage(chunk)) throw new ImportError('web_page');
      if (writer.bytes + chunk.length > maxBytes)
        throw new ImportError('too_large', { seen: `The file has more than ${maxBytes} bytes.` });
      await writer.write(chunk);
      this.#bytesReceived = writer.bytes;
    }
  }

  /** Drops the writer. After a part could not be stored, only the store knows the stored parts. */
  async #forgetWriter(): Promise<void> {
    await this.#writer?.idle();
    this.#writer = null;
  }

  /** A writer that continues after the stored parts; null if there is nothing to resume. */
  async #resume(): Promise<PartWriter | null> {
    if (this.#multipartID === null || !this.#version?.validator) return null;
    const { claim, objects } = this.#options;
    const target = { objects, objectKey: claim.object_key, multipartID: this.#multipartID };
    try {
      const stored = await objects.listParts(target.objectKey, target.multipartID);
      const gap = stored.findIndex((part, index) => part.partNumber !== index + 1 || part.sizeBytes !== partBytes);
      const writer = new PartWriter(target, gap < 0 ? stored : stored.slice(0, gap));
      this.#bytesReceived = writer.bytes;
      this.#partsBefore = writer.bytes / partBytes;
      return writer;
    } catch (error) {
      if (error instanceof MultipartLost) return null;
      throw error;
    }
  }

  /** Begins a new multipart upload, so that late parts of another worker never get into the object. */
  async #restart(source: OpenSource): Promise<PartWriter> {
    const { claim, objects, begin } = this.#options;
    const objectKey = claim.object_key;
    await this.#forgetWriter();
    await this.abandon();
    this.#bytesReceived = 0;
    this.#partsBefore = 0;
    const multipartID = await objects.createMultipart(objectKey, { contentType: source.mimeType });
    try {
      await begin(multipartID, source);
    } catch (error) {
      await objects.abortMultipart(objectKey, multipartID);
      throw error;
    }
    this.#version = source.version;
    this.#mostBytes = source.mostBytes ?? null;
    this.#multipartID = multipartID;
    this.#writer = new PartWriter({ objects, objectKey, multipartID }, []);
    return this.#writer;
  }
}

/** Whether a file begins like a web page. Some servers send pages with the requested type, or with none. */
function looksLikePage(beginning: Buffer): boolean {
  return /^\uFEFF?\s*<(?:!doctype html|html)\b/i.test(beginning.toString('utf8', 0, 512));
}

/** A failure of the platform. A part that was not stored is lost. */
function ownFailure(cause: unknown): ImportError {
  return new ImportError(cause instanceof StorageFull ? 'storage_full' : 'not_imported', { cause });
}

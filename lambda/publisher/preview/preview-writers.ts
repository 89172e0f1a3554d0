// Writes the media of an agent's encoders in pieces while a user watches the preview.
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../data/database.ts';
import type { LookedAtReplica } from '../../data/fleet/previews.ts';
import { previewKey } from '../../domain/media/object-keys.ts';
import type { Log } from '../../log.ts';
import type { ObjectStore } from '../../ports/object-store/object-store.ts';
import { encoderKeyOf } from '../encoded/shared-encoder.ts';
import type { EncoderView, SharedEncoders } from '../encoded/shared-encoder.ts';
import { EncodedPieces } from './encoded-pieces.ts';
import type { CutPiece } from './encoded-pieces.ts';

export interface PreviewWritersOptions {
  readonly data: Pick<Database, 'previews'>;
  readonly objects: Pick<ObjectStore, 'write' | 'delete'>;
  readonly encoders: Pick<SharedEncoders, 'watch'>;
  readonly log: Log;
}

/** Pieces that may wait to be written. Further ones are dropped. */
const mostUnwritten = 3;
/** Pieces to keep. Players read no older ones. */
const keptPieces = 20;
/** Most time to wait for deletions at the end: the store may not answer, and the agent has streams to hand over. */
const mostEndingSeconds = 3;
const contentType = 'video/mp4';

export class PreviewWriters {
  readonly #options: PreviewWritersOptions;
  readonly #byReplica = new Map<string, PreviewWriter>();
  /** Replicas that are no longer followed, until their pieces are deleted. */
  readonly #ending = new Map<string, Promise<void>>();

  constructor(options: PreviewWritersOptions) {
    this.#options = options;
  }

  get areAny(): boolean {
    return this.#byReplica.size > 0;
  }

  /**
   * Writes pieces of these replicas from now on, and of no others, whose pieces are deleted meanwhile. A replica whose
   * pieces are still being deleted is skipped: its next pieces may have the same keys.
   */
  follow(lookedAt: readonly LookedAtReplica[]): void {
    const wanted = new Set(lookedAt.map(({ replicaID }) => replicaID));
    for (const [replicaID, writer] of this.#byReplica) {
      if (wanted.has(replicaID)) continue;
      this.#byReplica.delete(replicaID);
      this.#ending.set(
        replicaID,
        writer.end().finally(() => this.#ending.delete(replicaID)),
      );
    }
    for (const looked of lookedAt) {
      const { replicaID } = looked;
      if (!this.#byReplica.has(replicaID) && !this.#ending.has(replicaID))
        this.#byReplica.set(replicaID, new PreviewWriter(this.#options, looked));
    }
  }

  /** Follows no replica. Resolves when all pieces are deleted. @throws if the store takes too long */
  async stop(): Promise<void> {
    this.follow([]);
    const waiting = new AbortController();
    const tooLate = delay(mostEndingSeconds * 1000, true, { signal: waiting.signal }).catch(() => false);
    const isLate = await Promise.race([Promise.all(this.#ending.values()), tooLate]);
    waiting.abort();
    if (isLate === true) throw new Error(`The pieces of ${this.#ending.size} previews are not deleted yet.`);
  }
}

class PreviewWriter {
  readonly #options: PreviewWritersOptions;
  readonly #lookedAt: LookedAtReplica;
  readonly #unwatch: () => void;
  #view: EncoderView | null = null;
  #pieces: EncodedPieces | null = null;
  readonly #written: string[] = [];
  readonly #headers = new Map<Buffer, string>();
  #unwritten = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: PreviewWritersOptions, lookedAt: LookedAtReplica) {
    this.#options = options;
    this.#lookedAt = lookedAt;
    this.#unwatch = options.encoders.watch(
      encoderKeyOf(lookedAt.streamID, lookedAt.role),
      (given, sequenceHeader, view) => {
        if (this.#view !== view) this.#pieces = new EncodedPieces(view);
        this.#view = view;
        const piece = this.#pieces!.add(given, sequenceHeader);
        if (piece === null || this.#unwritten >= mostUnwritten) return;
        this.#unwritten++;
        this.#writing = this.#writing.then(() => this.#write(piece)).finally(() => this.#unwritten--);
      },
    );
  }

  /** Stops, and deletes its pieces. Never throws. */
  async end(): Promise<void> {
    this.#unwatch();
    await this.#writing;
    for (const key of this.#written) await this.#delete(key);
  }

  async #write({ bytes, header, frame, frameCount }: CutPiece): Promise<void> {
    const { data, objects, log } = this.#options;
    const { streamID, replicaID } = this.#lookedAt;
    const key = previewKey(`${streamID}/${replicaID}`, `${frame}.m4s`);
    try {
      const headerKey = this.#headers.get(header) ?? (await this.#writeHeader(header));
      await objects.write(key, bytes, { contentType });
      this.#written.push(key);
      await data.previews.add(streamID, replicaID, { key, headerKey, frame, frameCount });
      while (this.#written.length > keptPieces) await this.#delete(this.#written.shift()!);
    } catch (error) {
      log('preview_not_written', { streamID, error: String(error) });
    }
  }

  /** Headers are small, and nearly all pieces share one, so the store's expiry deletes them. */
  async #writeHeader(header: Buffer): Promise<string> {
    const { streamID, replicaID } = this.#lookedAt;
    const name = createHash('sha256').update(header).digest('hex').slice(0, 16);
    const key = previewKey(`${streamID}/${replicaID}`, `${name}.mp4`);
    await this.#options.objects.write(key, header, { contentType });
    this.#headers.clear();
    this.#headers.set(header, key);
    return key;
  }

  async #delete(key: string): Promise<void> {
    await this.#options.objects.delete(key).catch((error: unknown) => {
      this.#options.log('preview_not_deleted', { key, error: String(error) });
    });
  }
}

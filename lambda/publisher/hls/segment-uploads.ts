// Uploads segments in their order, each after a playlist that names it, and says what the destination has taken.
import { setTimeout } from 'node:timers/promises';
import { hlsFileURL } from '../../domain/destinations/ways/hls.ts';
import { DestinationError } from '../destination/destination-error.ts';
import type { DestinationErrorCode } from '../destination/destination-error.ts';
import type { ListedSegment } from './media-playlist.ts';
import { mediaPlaylist } from './media-playlist.ts';
import type { Upload, UploadConnection } from './upload-connection.ts';

/** A playlist has so many segments that were taken already, in case one before it was lost. */
const takenInPlaylist = 2;
/** YouTube takes no playlist with more segments that it has not got. */
const mostOutstanding = 5;
const firstRetryMs = 250;
const longestRetryMs = 2000;
const playlistName = 'live.m3u8';
const contentTypes = { playlist: 'application/vnd.apple.mpegurl', segment: 'video/mp2t' } as const;

export interface Segment extends ListedSegment {
  readonly packets: readonly Buffer[];
  /** How many bytes of media were given with the last byte of this segment. */
  readonly mediaEnd: number;
}

export interface SegmentUploadsOptions {
  readonly connection: Pick<UploadConnection, 'put'>;
  readonly url: string;
  readonly streamKey: string;
  /** Asked before every file. When it answers false, nothing more is sent. */
  readonly maySend: () => boolean;
}

export class SegmentUploads {
  /** Rejects when the destination refuses a file, and resolves when there may be no more sending. */
  readonly ended: Promise<void>;
  readonly #options: SegmentUploadsOptions;
  readonly #outstanding: Segment[] = [];
  #taken: ListedSegment[] = [];
  #mediaTaken = 0;
  #added = Promise.withResolvers<void>();
  #emptied = Promise.withResolvers<void>();

  constructor(options: SegmentUploadsOptions, signal: AbortSignal) {
    this.#options = options;
    this.ended = this.#run(signal);
  }

  /** How many bytes of media the destination has said that it took. */
  get mediaTaken(): number {
    return this.#mediaTaken;
  }

  add(segment: Segment): void {
    this.#outstanding.push(segment);
    this.#added.resolve();
  }

  /** Resolves once all segments were taken. */
  async allTaken(): Promise<void> {
    while (this.#outstanding.length > 0) await this.#emptied.promise;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    while (!signal.aborted && this.#options.maySend()) {
      const [segment] = this.#outstanding;
      if (!segment) {
        await Promise.race([this.#added.promise, aborted]);
        this.#added = Promise.withResolvers();
        continue;
      }
      const listed = [...this.#taken, ...this.#outstanding.slice(0, mostOutstanding)];
      await this.#put(playlistName, contentTypes.playlist, [Buffer.from(mediaPlaylist(listed))], signal);
      await this.#put(segment.name, contentTypes.segment, segment.packets, signal);
      if (signal.aborted) return;
      this.#outstanding.shift();
      const { number, name, durationSeconds, mediaEnd } = segment;
      this.#taken = [...this.#taken, { number, name, durationSeconds }].slice(-takenInPlaylist);
      this.#mediaTaken = mediaEnd;
      if (this.#outstanding.length > 0) continue;
      this.#emptied.resolve();
      this.#emptied = Promise.withResolvers();
    }
  }

  /** Uploads a file, again and again while the destination cannot take it for the moment. */
  async #put(name: string, contentType: string, body: readonly Buffer[], signal: AbortSignal): Promise<void> {
    const { connection, url, streamKey, maySend } = this.#options;
    const upload: Upload = { url: hlsFileURL(url, streamKey, name), contentType, body };
    for (let retryMs = firstRetryMs; !signal.aborted && maySend(); retryMs = Math.min(2 * retryMs, longestRetryMs)) {
      const status = await connection.put(upload, signal).catch((error: unknown) => {
        if (!isPassing(error)) throw error;
        return null;
      });
      if (status !== null && status >= 200 && status < 300) return;
      const refusal = status === null ? null : refusalOf(status);
      if (refusal) throw new DestinationError(refusal);
      await setTimeout(retryMs, undefined, { signal }).catch(() => {});
    }
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof DestinationError && error.code === 'connection_lost';
}

/** What an answer means that is no success; null for one after which the file is sent again. */
function refusalOf(status: number): DestinationErrorCode | null {
  if (status === 401 || status === 403) return 'key_refused';
  if (status >= 300 && status < 400) return 'redirected';
  return status >= 500 || status === 429 || status === 408 ? null : 'upload_refused';
}

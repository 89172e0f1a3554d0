// Uploads segments in their order, each after a playlist that names it, and counts the bytes that were taken.
// A segment is repeated only after its playlist was accepted once more. Decision D292.
import { setTimeout } from 'node:timers/promises';
import { hlsFileURL } from '../../domain/destinations/ways/hls.ts';
import { DestinationError } from '../destination/destination-error.ts';
import type { DestinationErrorCode } from '../destination/destination-error.ts';
import type { ListedSegment } from './media-playlist.ts';
import { mediaPlaylist } from './media-playlist.ts';
import type { Upload, UploadConnection } from './upload-connection.ts';

/** Segments in a playlist that were already taken, in case an earlier playlist was lost. */
const takenInPlaylist = 2;
/** YouTube refuses a playlist with more segments that it has not received. */
const mostOutstanding = 5;
/** A destination that takes its first segment this often and does not accept it gets no more over this connection. */
const mostUnaccepted = 2;
const firstRetryMs = 250;
const longestRetryMs = 2000;
const playlistName = 'live.m3u8';
const contentTypes = { playlist: 'application/vnd.apple.mpegurl', segment: 'video/mp2t' } as const;

export interface Segment extends ListedSegment {
  readonly packets: readonly Buffer[];
  /** Bytes of media sent up to the end of this segment. */
  readonly mediaEnd: number;
}

export interface SegmentUploadsOptions {
  readonly connection: Pick<UploadConnection, 'put'>;
  readonly url: string;
  readonly streamKey: string;
  /** Called before every file. If it returns false, nothing more is sent. */
  readonly maySend: () => boolean;
  /** Called at the end if media was sent, at least in part, and the destination has accepted nothing of it. */
  readonly onUnaccepted?: (() => void) | undefined;
}

export class SegmentUploads {
  /** Rejects if the destination refuses a file. Resolves when sending has to end: on abort, or by `maySend`. */
  readonly ended: Promise<void>;
  readonly #options: SegmentUploadsOptions;
  readonly #outstanding: Segment[] = [];
  #taken: ListedSegment[] = [];
  #mediaTaken = 0;
  /** How often the first outstanding segment was sent. */
  #sentTimes = 0;
  #added = Promise.withResolvers<void>();
  #emptied = Promise.withResolvers<void>();

  constructor(options: SegmentUploadsOptions, signal: AbortSignal) {
    this.#options = options;
    this.ended = this.#run(signal).finally(() => {
      if (this.#mediaTaken === 0 && this.#sentTimes > 0) options.onUnaccepted?.();
    });
  }

  /** Bytes of media that the destination has accepted. */
  get mediaTaken(): number {
    return this.#mediaTaken;
  }

  add(segment: Segment): void {
    this.#outstanding.push(segment);
    this.#added.resolve();
  }

  /** Resolves once all segments are uploaded. */
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
      const isAccepted = await this.#putListed(segment, signal);
      if (!isAccepted) return;
      this.#sentTimes = 0;
      this.#outstanding.shift();
      const { number, name, durationSeconds, mediaEnd } = segment;
      this.#taken = [...this.#taken, { number, name, durationSeconds }].slice(-takenInPlaylist);
      this.#mediaTaken = mediaEnd;
      if (this.#outstanding.length > 0) continue;
      this.#emptied.resolve();
      this.#emptied = Promise.withResolvers();
    }
  }

  /**
   * Uploads a segment after a playlist that lists it, and both again after errors that may pass. A server that accepts
   * nothing, only playlists ask whether it is back.
   * @returns whether the segment was accepted; false: sending has to end
   */
  async #putListed(segment: Segment, signal: AbortSignal): Promise<boolean> {
    const { playlist: playlistType, segment: segmentType } = contentTypes;
    for (let retryMs = firstRetryMs; this.#maySend(signal); retryMs = Math.min(2 * retryMs, longestRetryMs)) {
      const listed = [...this.#taken, ...this.#outstanding.slice(0, mostOutstanding)];
      const isListed = await this.#put(playlistName, playlistType, [Buffer.from(mediaPlaylist(listed))], signal);
      if (isListed && this.#maySend(signal)) {
        this.#sentTimes++;
        if (await this.#put(segment.name, segmentType, segment.packets, signal)) return true;
        // One that has accepted media before is paid for, and may have a fault of seconds.
        const isUnaccepting = this.#mediaTaken === 0 && this.#sentTimes >= mostUnaccepted;
        if (isUnaccepting && !signal.aborted) throw new DestinationError('upload_unaccepted');
      }
      const waitMs = this.#mediaTaken === 0 && this.#sentTimes > 0 ? longestRetryMs : retryMs;
      await setTimeout(waitMs, undefined, { signal }).catch(() => {});
    }
    return false;
  }

  #maySend(signal: AbortSignal): boolean {
    return !signal.aborted && this.#options.maySend();
  }

  /** Uploads a file once. @returns whether it was accepted; false after an error that may pass */
  async #put(name: string, contentType: string, body: readonly Buffer[], signal: AbortSignal): Promise<boolean> {
    const { connection, url, streamKey } = this.#options;
    const upload: Upload = { url: hlsFileURL(url, streamKey, name), contentType, body };
    const status = await connection.put(upload, signal).catch((error: unknown) => {
      if (!isPassing(error)) throw error;
      return null;
    });
    if (status === null) return false;
    if (status >= 200 && status < 300) return true;
    const refusal = refusalOf(status);
    if (refusal) throw new DestinationError(refusal);
    return false;
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof DestinationError && error.code === 'connection_lost';
}

/** The meaning of an answer without success; null if the upload is retried. */
function refusalOf(status: number): DestinationErrorCode | null {
  if (status === 401 || status === 403) return 'key_refused';
  if (status >= 300 && status < 400) return 'redirected';
  return status >= 500 || status === 429 || status === 408 ? null : 'upload_refused';
}

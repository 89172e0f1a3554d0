// Inspects contents one after the other, a piece at a time, while nothing more urgent needs the machine.
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { databaseOn, inTransaction } from '../../data/database.ts';
import type { ClaimedInspection, InspectionProgress } from '../../data/media/inspections.ts';
import { contentFacts } from '../../data/media/uploads.ts';
import type { Upload } from '../../data/media/uploads.ts';
import { pictureKey } from '../../domain/media/content-pictures.ts';
import { findingsOf } from '../../domain/media/findings.ts';
import { loudnessOf } from '../../domain/playout/loudness.ts';
import { nothingMeasured, overlapSeconds } from '../../domain/media/measurements.ts';
import type { Log } from '../../log.ts';
import { applyLoudness } from '../../orchestration/playout/apply-probe-result.ts';
import { createWakeUp } from '../../ports/command-queue/wake-up.ts';
import type { ObjectStore } from '../../ports/object-store/object-store.ts';
import type { MediaTools } from '../media/media-tools.ts';
import type { Source } from '../media/structure.ts';
import { makePictures } from './make-pictures.ts';
import { measurePiece, nextFrom } from './measure-piece.ts';
import type { PieceTimes } from './measure-piece.ts';

export interface InspectorOptions {
  readonly pool: Pool;
  readonly objects: Pick<ObjectStore, 'presignGet' | 'write'>;
  readonly tools: MediaTools;
  readonly log: Log;
  /** The stage's factor for limits: see domain/shared/limits.ts. */
  readonly limitFactor: number;
  /** The time limits of a piece; for tests. */
  readonly pieceTimes?: PieceTimes;
}

/** The time limits of a piece. A content that waits for its turn waits for one piece of each agent. */
const usualPieceTimes: PieceTimes = { usualMs: 20_000, longestMs: 200_000 };
const picturesTimeoutMs = 90_000;
const sourceURLSeconds = 900;
/** How often an idle agent looks for work, and how often it checks whether its work must give way. */
const idleMs = 10_000;
const lookEveryMs = 1000;
/** The delay and the number of attempts after failures by our fault. */
const triedAgainAfterSeconds = 60;
const mostAttempts = 4;
/** Most time that ffmpeg may take for a content: 48 hours of 1080p30 take about ten. */
const mostToolSeconds = 12 * 3600;
const contentType = 'image/jpeg';

export class Inspector {
  readonly #options: InspectorOptions;
  readonly #wakeUp = createWakeUp();

  constructor(options: InspectorOptions) {
    this.#options = options;
  }

  /** Looks for work now. Call it when there may be a content to inspect. */
  wake(): void {
    this.#wakeUp.ring();
  }

  /** Works until the signal aborts. @param isLeaving whether the agent has more urgent work */
  async run(isLeaving: () => boolean, signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.wake(), { once: true });
    while (!signal.aborted) {
      const hasWorked = !isLeaving() && (await this.#workOnce(isLeaving, signal));
      if (!hasWorked && !signal.aborted) await this.#wakeUp.wait(idleMs);
    }
  }

  /** Inspects one piece. Never throws. @returns whether there was work */
  async #workOnce(isLeaving: () => boolean, signal: AbortSignal): Promise<boolean> {
    const givingWay = new AbortController();
    const looking = setInterval(() => isLeaving() && givingWay.abort(), lookEveryMs);
    try {
      return await inspectNext(this.#options, AbortSignal.any([signal, givingWay.signal]));
    } catch (error) {
      this.#options.log('inspector_hindered', { error: String(error) });
      await delay(lookEveryMs, undefined, { signal }).catch(() => {});
      return false;
    } finally {
      clearInterval(looking);
    }
  }
}

/** Inspects the next piece of the content whose turn it is. @returns false if there is none */
export async function inspectNext(options: InspectorOptions, signal: AbortSignal): Promise<boolean> {
  const { inspections, uploads } = databaseOn(options.pool);
  const claimed = await inspections.claim();
  if (!claimed) return false;
  try {
    const upload = await uploads.anyWithContent(claimed.content_hash);
    // The content has no upload any more. It becomes an orphan and will be deleted.
    if (!upload) await inspections.release(claimed, triedAgainAfterSeconds, false);
    else await inspect(options, claimed, upload, signal);
  } catch (error) {
    const { content_hash: contentHash, attempts } = claimed;
    if (!signal.aborted) options.log('content_not_inspected', { contentHash, attempts, error: String(error) });
    await inspections.release(claimed, signal.aborted ? 0 : triedAgainAfterSeconds, !signal.aborted);
  }
  return true;
}

async function inspect(
  options: InspectorOptions,
  claimed: ClaimedInspection,
  upload: Upload,
  signal: AbortSignal,
): Promise<void> {
  const { pool, objects, tools, log, limitFactor } = options;
  const isGivenUp = claimed.attempts > mostAttempts || claimed.tool_seconds > mostToolSeconds;
  const sourceURL = await objects.presignGet(upload.object_key, { expiresInSeconds: sourceURLSeconds });
  const source: Source = { tools, sourceURL, signal };
  if (claimed.pictures === null && !isGivenUp) await addPictures(options, claimed, upload, source);
  const progress = isGivenUp
    ? { ...claimed, toolSeconds: 0, isCompleted: true }
    : await progressOf(claimed, upload, source, options.pieceTimes ?? usualPieceTimes);
  const isRecorded = await inTransaction(pool, (data) => data.inspections.advance(claimed, progress));
  if (progress.isCompleted && isRecorded) {
    const { share, findings } = progress;
    log('content_inspected', { contentHash: claimed.content_hash, share, findings: findings.length });
    await applyLoudness(pool, claimed.content_hash, limitFactor);
  }
}

async function addPictures(
  { pool, objects }: InspectorOptions,
  claimed: ClaimedInspection,
  upload: Upload,
  source: Source,
): Promise<void> {
  const { kind, durationSeconds, dynamicRange, reading } = contentFacts(upload);
  const { width, height } = upload;
  const size = width === null || height === null ? null : { width, height };
  const artworkStream = upload.file_tags?.artworkStream ?? null;
  const content = { kind, durationSeconds, size, dynamicRange, reading, artworkStream };
  const {
    thumbnail = null,
    storyboard = null,
    artwork = null,
  } = await makePictures(source, content, picturesTimeoutMs);
  const made = Object.entries({ thumbnail, storyboard, artwork }) as ['thumbnail', Buffer | null][];
  for (const [name, picture] of made) {
    if (picture) await objects.write(pictureKey(claimed.content_hash, name), picture, { contentType });
  }
  const has = { hasThumbnail: thumbnail !== null, hasStoryboard: storyboard !== null, hasArtwork: artwork !== null };
  await databaseOn(pool).inspections.recordPictures(claimed, has);
}

/** Measures a piece. An image is completed at once, as there is nothing to measure in it. */
export async function progressOf(
  { measurements }: Pick<ClaimedInspection, 'measurements'>,
  upload: Pick<Upload, 'framerate' | 'width' | 'height' | 'size_bytes'> & Parameters<typeof contentFacts>[0],
  source: Source,
  times: PieceTimes,
): Promise<InspectionProgress> {
  const { kind, durationSeconds, hasAudio: hasSound, reading } = contentFacts(upload);
  const { framerate, width, height, size_bytes: sizeBytes, video_codec: videoCodec } = upload;
  if (kind === 'image' || durationSeconds === null)
    return { share: 1, findings: [], loudness: null, measurements: null, toolSeconds: 0, isCompleted: true };
  const hasPictures = kind === 'video';
  const isClip = reading?.fromSeconds !== undefined;
  const tracks = { hasPictures, hasSound, framerate, reading, ...(isClip && { endSeconds: durationSeconds }) };
  const beganMs = performance.now();
  const { measured, reached } = await measurePiece(source, tracks, measurements ?? nothingMeasured, times);
  const isWhole = reached === 'end';
  const loudness = hasSound ? loudnessOf(measured.momentary, measured.shortTerm, measured.truePeak) : null;
  const size = hasPictures && width !== null && height !== null ? { width, height } : null;
  const facts = { durationSeconds, size, hasSound, sizeBytes, videoCodec, reading };
  const seen = (nextFrom(measured, tracks) + overlapSeconds) / durationSeconds;
  return {
    share: isWhole ? 1 : Math.min(0.99, seen),
    findings: findingsOf(measured, facts, loudness, isWhole),
    loudness,
    measurements: measured,
    toolSeconds: (performance.now() - beganMs) / 1000,
    isCompleted: reached !== 'more',
  };
}

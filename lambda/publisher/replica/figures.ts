// The measurements of a replica while it publishes: the figures of get_stream_stats.
import type { StreamStats } from '../../data/streams/streams.ts';
import { fromOrigin } from '../../domain/playout/play-out.ts';
import type { ItemOccurrence } from '../../domain/playout/play-out.ts';
import { AiredFrames } from './aired-frames.ts';

interface Sample {
  readonly atMs: number;
  readonly bytes: number;
  readonly frames: number;
}

/** Rates are averages over at least this time, once there are samples that old. */
const rateWindowMs = 5000;

/** The first frames of a connection are at most this old. */
const reachableSeconds = 4;

/** Totals of all replicas of this process since it began, for its metrics. */
export const sentByProcess = { frames: 0, droppedFrames: 0, bytes: 0, connections: 0 };

export class Figures {
  readonly aired = new AiredFrames();
  #framesSent = 0;
  #bytesSent = 0;
  #droppedFrames = 0;
  #connections = 0;
  #position: { occurrence: ItemOccurrence; frame: number } | null = null;
  #samples: Sample[] = [];
  /** The minimum since the last sample; null while nothing is encoded. */
  #secondsInHand: number | null = null;
  #lateFrames = 0;
  #isConnected = false;

  /**
   * A connection begins with `startFrame`. The frames between it and the last one sent are lost.
   * @param isPlanned whether the connection replaces one whose time was over, and so does not count as a reconnect
   */
  connected(startFrame: number, isPlanned: boolean): void {
    if (this.#position) this.skipped(Math.max(0, startFrame - this.#position.frame - 1));
    if (!isPlanned) this.#connections++;
    sentByProcess.connections++;
    this.#samples = [];
    this.#lateFrames = 0;
    this.#isConnected = true;
  }

  /** The connection has ended. Frames due from now on are lost unless the next connection begins within seconds. */
  disconnected(): void {
    this.#isConnected = false;
  }

  /** Counts frames that were due and are not sent. */
  skipped(frames: number): void {
    this.#droppedFrames += frames;
    sentByProcess.droppedFrames += frames;
  }

  /** Records the seconds of media that are encoded and not due yet. Negative: media is sent this late. */
  inHand(seconds: number): void {
    this.#secondsInHand = Math.min(this.#secondsInHand ?? seconds, seconds);
  }

  /** Records the number of frames that are due and not sent yet. */
  late(frames: number): void {
    this.#lateFrames = frames;
  }

  sent(bytes: number): void {
    this.#bytesSent += bytes;
    sentByProcess.bytes += bytes;
  }

  /**
   * @param frame the last frame sent
   * @param count the number of frames sent
   * @param soundStandIn the upload whose sound was sent in place of the sound track's item; null if none
   */
  frameSent(frame: number, occurrence: ItemOccurrence, count = 1, soundStandIn: string | null = null): void {
    this.#framesSent += count;
    sentByProcess.frames += count;
    this.#position = { frame, occurrence };
    this.aired.sent(frame, occurrence, count, soundStandIn);
  }

  /**
   * The current figures. Call it every few seconds, as rates are measured between calls.
   * @param nowMs now, by any steady clock
   * @param sampledAt now, by the database's clock
   * @param dueFrame the frame of the run that is due now; null if unknown
   */
  sample(nowMs: number, sampledAt: Date, framesPerSecond: number, dueFrame: number | null = null): StreamStats {
    const lostFrames = this.#lostFrames(dueFrame, framesPerSecond);
    this.#samples.push({ atMs: nowMs, bytes: this.#bytesSent, frames: this.#framesSent });
    while (this.#samples.length > 1 && this.#samples[1]!.atMs <= nowMs - rateWindowMs) this.#samples.shift();
    const first = this.#samples[0]!;
    const inHand = this.#secondsInHand;
    this.#secondsInHand = null;
    const elapsedSeconds = (nowMs - first.atMs) / 1000;
    const rate = (amount: number) => (elapsedSeconds > 0 ? amount / elapsedSeconds : 0);
    return {
      bitrateKbps: Math.round(rate((this.#bytesSent - first.bytes) * 8) / 1000),
      framesPerSecond: Math.round(rate(this.#framesSent - first.frames) * 10) / 10,
      framesSent: this.#framesSent,
      bytesSent: this.#bytesSent,
      droppedFrames: this.#droppedFrames + lostFrames,
      lateFrames: this.#isConnected ? this.#lateFrames : 0,
      reconnects: Math.max(0, this.#connections - 1),
      loopCount: this.#position?.occurrence.lap ?? 0,
      currentItem: this.#currentItem(framesPerSecond),
      secondsInHand: inHand === null ? null : Math.round(inHand * 100) / 100,
      aired: [...this.aired.stretches],
      sampledAt: sampledAt.toISOString(),
    };
  }

  /** Frames that no later connection sends: those due since the last one ended, except the last few. */
  #lostFrames(dueFrame: number | null, framesPerSecond: number): number {
    if (this.#isConnected || !this.#position || dueFrame === null) return 0;
    return Math.max(0, Math.floor(dueFrame - this.#position.frame - reachableSeconds * framesPerSecond));
  }

  #currentItem(framesPerSecond: number): StreamStats['currentItem'] {
    if (!this.#position || this.#position.occurrence.sessionID !== undefined) return null;
    const { frame, occurrence } = this.#position;
    return {
      playlistID: occurrence.playlistID,
      itemID: occurrence.item.itemID,
      uploadID: occurrence.item.uploadID,
      positionSeconds: Math.round(((frame - fromOrigin(occurrence).startFrame) / framesPerSecond) * 100) / 100,
    };
  }
}

// Cuts a transport stream into segments of HLS. Each segment begins with a keyframe.
import { readVideoTag } from '../ffmpeg/video-tag.ts';
import type { MediaMessage } from '../rtmp/message.ts';
import type { TransportMuxer } from '../transport-stream/transport-muxer.ts';

/** A segment ends before the first keyframe after this time, so it lasts less than three seconds. */
const shortestMs = 1000;

export interface CutSegment {
  readonly packets: readonly Buffer[];
  readonly durationSeconds: number;
}

export class SegmentCutter {
  readonly #muxer: TransportMuxer;
  #packets: Buffer[] = [];
  #beganMs: number | null = null;
  #lastMs = 0;

  constructor(muxer: TransportMuxer) {
    this.#muxer = muxer;
  }

  /** Adds a message. @returns the segment that ends before this message; null if none does */
  add(message: MediaMessage): CutSegment | null {
    const cut = this.#isCutBefore(message) ? this.end(message.timestampMs) : null;
    if (isPicture(message)) {
      this.#beganMs ??= message.timestampMs;
      this.#lastMs = message.timestampMs;
    }
    this.#packets.push(...this.#muxer.write(message));
    return cut;
  }

  /** Ends the present segment. @returns null for a segment without a picture */
  end(endMs = this.#lastMs): CutSegment | null {
    const packets = [...this.#packets, ...this.#muxer.flush()];
    const beganMs = this.#beganMs;
    this.#packets = [];
    this.#beganMs = null;
    return beganMs === null ? null : { packets, durationSeconds: (endMs - beganMs) / 1000 };
  }

  #isCutBefore(message: MediaMessage): boolean {
    if (this.#beganMs === null || message.timestampMs - this.#beganMs < shortestMs) return false;
    return isPicture(message) && readVideoTag(message.payload).isKeyframe;
  }
}

function isPicture({ type, payload }: MediaMessage): boolean {
  return type === 'video' && readVideoTag(payload).content === 'picture';
}

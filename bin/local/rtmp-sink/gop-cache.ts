// The first data for a new viewer: the headers, and all tags since the last keyframe.
import type { BodyFacts } from './flv-body.ts';

/** An FLV tag on its way from a publisher to viewers. */
export interface LiveTag {
  readonly kind: 'video' | 'audio' | 'data';
  readonly content: BodyFacts['content'];
  /** The whole tag, shared by all viewers. */
  readonly bytes: Buffer;
}

/** A longer GOP is not kept. Two seconds of the highest bitrate that the platform sends, 35 Mbit/s, are 9 MB. */
const maxGopBytes = 16 * 1024 * 1024;

export class GopCache {
  #metadata: Buffer | null = null;
  #videoHeader: Buffer | null = null;
  #audioHeader: Buffer | null = null;
  #gop: Buffer[] = [];
  #gopBytes = 0;

  add({ kind, content, bytes }: LiveTag): void {
    if (kind === 'data') this.#metadata = bytes;
    else if (kind === 'audio' && content === 'sequence header') this.#audioHeader = bytes;
    else if (kind === 'video' && content === 'sequence header') {
      this.#videoHeader = bytes;
      this.#forgetGop();
    } else {
      if (content === 'keyframe') this.#forgetGop();
      if (content === 'keyframe' || this.startsWithPicture) this.#append(bytes);
    }
  }

  /** Whether `opening` ends with pictures, so that live frames can follow it. */
  get startsWithPicture(): boolean {
    return this.#gop.length > 0;
  }

  /** Metadata, sequence headers, and audio and video since the last keyframe. */
  opening(): Buffer[] {
    return [this.#metadata, this.#videoHeader, this.#audioHeader, ...this.#gop].filter((bytes) => bytes !== null);
  }

  #append(bytes: Buffer): void {
    this.#gop.push(bytes);
    this.#gopBytes += bytes.length;
    if (this.#gopBytes > maxGopBytes) this.#forgetGop();
  }

  #forgetGop(): void {
    this.#gop = [];
    this.#gopBytes = 0;
  }
}

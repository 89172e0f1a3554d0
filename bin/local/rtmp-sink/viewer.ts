// One HTTP-FLV viewer of a channel.
import type { ServerResponse } from 'node:http';
import type { LiveTag } from './gop-cache.ts';

/** The most bytes that may wait for a viewer, in addition to those at its start. */
const maxQueuedBytes = 8 * 1024 * 1024;

export interface ViewerOptions {
  /** The start of the file. */
  readonly opening: Buffer;
  /** Whether to skip video until the next keyframe, because the opening ends without a picture. */
  readonly waitsForKeyframe: boolean;
}

export class Viewer {
  readonly #response: ServerResponse;
  readonly #openingBytes: number;
  #waitsForKeyframe: boolean;

  constructor(response: ServerResponse, { opening, waitsForKeyframe }: ViewerOptions) {
    this.#response = response;
    this.#openingBytes = opening.length;
    this.#waitsForKeyframe = waitsForKeyframe;
    response.writeHead(200, { 'content-type': 'video/x-flv', 'cache-control': 'no-store' });
    response.write(opening);
  }

  /** Sends a tag. A viewer that does not read is disconnected, because tags would queue up without limit. */
  send({ kind, content, bytes }: LiveTag): void {
    if (content === 'keyframe') this.#waitsForKeyframe = false;
    if (this.#waitsForKeyframe && kind === 'video' && content === 'frame') return;
    if (this.#response.writableLength > this.#openingBytes + maxQueuedBytes) this.#response.destroy();
    else this.#response.write(bytes);
  }

  end(): void {
    this.#response.end();
  }
}

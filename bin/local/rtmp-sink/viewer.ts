// One HTTP-FLV viewer of a channel.
import type { ServerResponse } from 'node:http';
import type { LiveTag } from './gop-cache.ts';

/** How many bytes may wait for a viewer, beside those that it was given when it joined. */
const maxQueuedBytes = 8 * 1024 * 1024;

export interface ViewerOptions {
  /** The start of the file. */
  readonly opening: Buffer;
  /** Whether to leave out video until the next keyframe: the opening has no picture that frames could follow. */
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

  /** Sends a tag. A viewer that does not read is dropped, since tags would wait for it without end. */
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

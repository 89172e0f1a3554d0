// One HTTP-FLV viewer of a channel.
import type { ServerResponse } from 'node:http';
import type { LiveTag } from './gop-cache.ts';

/** What a viewer may be behind, on top of what it was given when it joined. */
const maxQueuedBytes = 8 * 1024 * 1024;

export class Viewer {
  readonly #response: ServerResponse;
  readonly #openingBytes: number;
  #waitsForKeyframe: boolean;

  /** @param opening the start of the file @param waitsForKeyframe when the opening has no pictures that live video could follow */
  constructor(response: ServerResponse, opening: Buffer, waitsForKeyframe: boolean) {
    this.#response = response;
    this.#openingBytes = opening.length;
    this.#waitsForKeyframe = waitsForKeyframe;
    response.writeHead(200, { 'content-type': 'video/x-flv', 'cache-control': 'no-store' });
    response.write(opening);
  }

  /** Drops the viewer instead of queueing without end when it does not read. */
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

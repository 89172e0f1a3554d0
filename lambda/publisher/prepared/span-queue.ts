// The spans of a track that were read ahead of their sending.
import type { Span } from './span.ts';
import type { TrackReader } from './track-reader.ts';

export class SpanQueue {
  readonly #reader: TrackReader;
  readonly #aheadGroups: number;
  readonly #onFailure: (error: unknown) => void;
  #spans: Span[] = [];
  /** The next group to send, of the first span. */
  #next = 0;
  #filling: Promise<void> | null = null;
  #closed = false;

  /** @param aheadGroups how many groups to read ahead @param onFailure nothing more comes */
  constructor(reader: TrackReader, aheadGroups: number, onFailure: (error: unknown) => void) {
    this.#reader = reader;
    this.#aheadGroups = aheadGroups;
    this.#onFailure = onFailure;
  }

  /** The first span, if it is there, and its next group. */
  get head(): { readonly span: Span; readonly next: number } | null {
    const [span] = this.#spans;
    return span ? { span, next: this.#next } : null;
  }

  /** Whether there is less than was to be read ahead. */
  get isLow(): boolean {
    return this.#waiting() < this.#aheadGroups;
  }

  /** Says that the groups of the first span before `next` were sent. */
  advance(next: number): void {
    this.#next = next;
    if (next < this.#spans[0]!.end) return;
    this.#spans.shift();
    this.#next = this.#spans[0]?.first ?? 0;
  }

  /** Drops what is there; the reader drops what it is reading. For pictures, see TrackReader. */
  skipTo(frame: number): void {
    this.#reader.skipTo(frame);
    this.#spans = [];
  }

  /** Adds a span that was read already. */
  push(span: Span): void {
    if (this.#spans.push(span) === 1) this.#next = span.first;
  }

  /** Reads one span after the other until enough is there; never rejects. */
  fill(): Promise<void> {
    this.#filling ??= this.#read().finally(() => (this.#filling = null));
    return this.#filling;
  }

  close(): void {
    this.#closed = true;
  }

  async #read(): Promise<void> {
    try {
      while (!this.#closed && this.isLow) {
        this.push(await this.#reader.next());
      }
    } catch (error) {
      if (!this.#closed) this.#onFailure(error);
    }
  }

  #waiting(): number {
    return this.#spans.reduce((sum, { first, end }) => sum + end - first, 0);
  }
}

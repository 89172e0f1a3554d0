// The queue of a track's spans, which are read ahead of their sending.
import type { Span } from './span.ts';
import type { TrackReader } from './track-reader.ts';

export class SpanQueue {
  readonly #reader: TrackReader;
  readonly #aheadGroups: number;
  readonly #onFailure: (error: unknown) => void;
  #spans: Span[] = [];
  /** The next group of the first span to send. */
  #next = 0;
  #filling: Promise<void> | null = null;
  #closed = false;

  /** @param aheadGroups the number of groups to read ahead @param onFailure called when reading fails for good */
  constructor(reader: TrackReader, aheadGroups: number, onFailure: (error: unknown) => void) {
    this.#reader = reader;
    this.#aheadGroups = aheadGroups;
    this.#onFailure = onFailure;
  }

  /** The first span and its next group; null if none is read. */
  get head(): { readonly span: Span; readonly next: number } | null {
    const [span] = this.#spans;
    return span ? { span, next: this.#next } : null;
  }

  /** Whether more groups should be read ahead. */
  get isLow(): boolean {
    return this.#waiting() < this.#aheadGroups;
  }

  /** Marks the groups of the first span before `next` as sent. */
  advance(next: number): void {
    this.#next = next;
    if (next < this.#spans[0]!.end) return;
    this.#spans.shift();
    this.#next = this.#spans[0]?.first ?? 0;
  }

  /** Continues at another frame, like TrackReader.skipTo. Drops the spans that are read or being read. */
  skipTo(frame: number): void {
    this.#reader.skipTo(frame);
    this.#spans = [];
  }

  /** Adds a span that has been read. */
  push(span: Span): void {
    if (this.#spans.push(span) === 1) this.#next = span.first;
  }

  /** Reads spans until enough groups are ahead; never rejects. */
  fill(): Promise<void> {
    this.#filling ??= this.#read().finally(() => (this.#filling = null));
    return this.#filling;
  }

  close(): void {
    this.#closed = true;
  }

  async #read(): Promise<void> {
    try {
      while (!this.#closed && this.isLow) this.push(await this.#reader.next());
    } catch (error) {
      if (!this.#closed) this.#onFailure(error);
    }
  }

  #waiting(): number {
    return this.#spans.reduce((sum, { first, end }) => sum + end - first, 0);
  }
}

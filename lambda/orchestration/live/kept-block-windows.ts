// The times of blocks that name live inputs, kept for an hour: an ingest asks for them every second.
import type { Database } from '../../data/database.ts';
import { blockWindowsOf, keptMs } from '../../domain/live/block-windows.ts';
import type { Stretch } from '../../domain/live/take-windows.ts';

/** Inputs whose times are kept: more than an ingest has sessions. */
const mostKept = 100;

/** An input of a stream. */
interface NamedInput {
  readonly id: string;
  readonly stream_id: string;
  /** From `receivingInWindows`. */
  readonly published: string | null;
}

interface Kept {
  readonly published: string;
  readonly atMs: number;
  readonly windows: readonly Stretch[];
}

export class KeptBlockWindows {
  /** By the id of the input. */
  readonly #kept = new Map<string, Kept>();

  async of(data: Database, input: NamedInput, now: Date): Promise<readonly Stretch[]> {
    const { id, published } = input;
    if (published === null) return [];
    const known = this.#kept.get(id);
    const atMs = now.getTime();
    if (known?.published === published && atMs - known.atMs < keptMs) return known.windows;
    const programmes = await data.programmes.ofStreams([input.stream_id]);
    const rules = programmes.map(({ live }) => live);
    const windows = await blockWindowsOf(input, rules, now);
    this.#kept.delete(id);
    this.#kept.set(id, { published, atMs, windows });
    if (this.#kept.size > mostKept) this.#kept.delete(this.#kept.keys().next().value!);
    return windows;
  }
}

// The times of blocks that name live inputs, kept for an hour: an ingest asks for them every second.
import type { Database } from '../../data/database.ts';
import { blockWindowsOf, keptMs } from '../../domain/live/block-windows.ts';
import type { OpenWindow } from '../../domain/live/take-windows.ts';

/** Inputs whose times are kept. */
const mostKept = 1000;

/** An input of a stream. */
interface NamedInput {
  readonly id: string;
  readonly stream_id: string;
  /** From `receivingInWindows`. */
  readonly published: string | null;
}

export class KeptBlockWindows {
  readonly #kept = new Map<string, { readonly atMs: number; readonly windows: readonly OpenWindow[] }>();

  async of(data: Database, input: NamedInput, now: Date): Promise<readonly OpenWindow[]> {
    if (input.published === null) return [];
    const key = `${input.id} ${input.published}`;
    const known = this.#kept.get(key);
    if (known && now.getTime() - known.atMs < keptMs) return known.windows;
    const programmes = await data.programmes.ofStreams([input.stream_id]);
    const rules = programmes.map(({ live }) => live);
    const windows = await blockWindowsOf(input, rules, now);
    this.#kept.delete(key);
    this.#kept.set(key, { atMs: now.getTime(), windows });
    if (this.#kept.size > mostKept) this.#kept.delete(this.#kept.keys().next().value!);
    return windows;
  }
}

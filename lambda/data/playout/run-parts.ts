// Reads the entries of a run part by part, as a list on the air may have many large copies.
import type { RunPart, RunTime } from './timelines.ts';

/** A part of a run with its beginning: rows that began before it are those of the part before. */
export interface ReadPart extends RunPart {
  readonly fromSeconds: number;
  readonly isFirst: boolean;
}

/** The parts of a run between two times, in order. @param read reads the first entries in force during a time */
export async function* partsOf(
  read: (time: RunTime) => Promise<RunPart>,
  { fromSeconds, toSeconds }: RunTime,
): AsyncGenerator<ReadPart, void> {
  for (let atSeconds = fromSeconds; ;) {
    const part = await read({ fromSeconds: atSeconds, toSeconds });
    yield { ...part, fromSeconds: atSeconds, isFirst: atSeconds === fromSeconds };
    if (part.untilSeconds >= toSeconds) return;
    atSeconds = part.untilSeconds;
  }
}

// The segments of a preview, from either backend.
import type { Pool } from 'pg';
import type { Log } from '../log.ts';
import type { ObjectStore } from '../ports/object-store/object-store.ts';

export interface PreviewOptions {
  readonly pool: Pool;
  readonly objects: ObjectStore;
  readonly log: Log;
}

/** Consecutive segments. */
export interface PieceList {
  /** The number of the first segment. Segments keep their numbers. */
  readonly first: number;
  readonly pieces: readonly ListedPiece[];
}

export interface ListedPiece {
  /** Null if the segment is missing. */
  readonly key: string | null;
  /** The key of the initialization segment; null if the segment is missing. */
  readonly headerKey: string | null;
  readonly startsAt: Date;
  readonly seconds: number;
}

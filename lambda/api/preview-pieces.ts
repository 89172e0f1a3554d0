// The pieces of a preview, wherever they come from.
import type { Pool } from 'pg';
import type { Log } from '../log.ts';
import type { ObjectStore } from '../ports/object-store/object-store.ts';

export interface PreviewOptions {
  readonly pool: Pool;
  readonly objects: ObjectStore;
  readonly log: Log;
}

/** Pieces that follow each other. */
export interface PieceList {
  /** The number of the first one. A piece keeps its number. */
  readonly first: number;
  readonly pieces: readonly ListedPiece[];
}

export interface ListedPiece {
  /** Null: it is missing. */
  readonly key: string | null;
  /** Of what comes before all pieces like it. */
  readonly headerKey: string | null;
  readonly startsAt: Date;
  readonly seconds: number;
}

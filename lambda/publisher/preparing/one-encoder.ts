// Keeps a rendition to one kind of encoder: others give other parameter sets, which a live stream should not change.
import type { Pool } from 'pg';
import { databaseOn } from '../../data/database.ts';
import type { Log } from '../../log.ts';

export interface Encoding {
  readonly contentHash: string;
  readonly format: string;
  /** The kind of encoder that made the segments there are; null where it was not noted, or for sound. */
  readonly made: string | null;
  /** The kind that this worker has; null for sound. */
  readonly kind: string | null;
}

/**
 * Whether a worker goes on with a rendition. `later`: a worker of the right kind should come. `anew`: there is none any
 * more, so the rendition now begins again with this worker's kind.
 */
export async function goesOn(
  { pool, log }: { readonly pool: Pool; readonly log: Log },
  { contentHash, format, made, kind }: Encoding,
): Promise<'now' | 'later' | 'anew'> {
  if (made === null || kind === null || made === kind) return 'now';
  const { renditionEncoders } = databaseOn(pool);
  if (!(await renditionEncoders.miss(contentHash, format, made))) return 'later';
  const begun = await renditionEncoders.beginAnew(contentHash, format, { from: made, to: kind });
  if (!begun) return 'later';
  log('rendition_begun_anew', { contentHash, format, encoder: kind, insteadOf: made });
  return 'anew';
}

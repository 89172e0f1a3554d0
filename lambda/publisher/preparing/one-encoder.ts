// Keeps a rendition to one kind of encoder. Another kind has other parameter sets, which must not change on the air.
// Decision D112.
import type { Pool } from 'pg';
import { databaseOn } from '../../data/database.ts';
import type { Log } from '../../log.ts';

export interface Encoding {
  readonly contentHash: string;
  readonly format: string;
  /** The kind of encoder that made the existing segments; null if it was not recorded, or for sound. */
  readonly made: string | null;
  /** The kind of this worker's encoder; null for sound. */
  readonly kind: string | null;
}

/**
 * Decides whether a worker may make segments of a rendition. `later`: a worker with the right kind of encoder should do
 * it. `restarted`: no such worker exists any more, so the rendition was restarted with this worker's kind.
 */
export async function checkEncoder(
  { pool, log }: { readonly pool: Pool; readonly log: Log },
  { contentHash, format, made, kind }: Encoding,
): Promise<'now' | 'later' | 'restarted'> {
  if (made === null || kind === null || made === kind) return 'now';
  const { renditionEncoders } = databaseOn(pool);
  if (!(await renditionEncoders.recordMissing(contentHash, format, made))) return 'later';
  const begun = await renditionEncoders.restart(contentHash, format, { from: made, to: kind });
  if (!begun) return 'later';
  log('rendition_begun_anew', { contentHash, format, encoder: kind, insteadOf: made });
  return 'restarted';
}

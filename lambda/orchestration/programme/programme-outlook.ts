// The warnings of the published programmes of a stream.
import type { Database } from '../../data/database.ts';
import type { PlaylistKind } from '../../domain/playout/playlist-words.ts';
import { outlookOf } from '../../domain/programme/outlook.ts';
import type { Warning } from '../../domain/programme/outlook.ts';
import type { PlannedStart } from './plan-start.ts';
import { loadSources } from './programme-sources.ts';

/** By the track that a programme plans. */
export type ProgrammeWarnings = ReadonlyMap<PlaylistKind, readonly Warning[]>;

export async function warningsOf(
  data: Database,
  starts: readonly Pick<PlannedStart, 'programme'>[],
  now: Date,
): Promise<ProgrammeWarnings> {
  const found = new Map<PlaylistKind, readonly Warning[]>();
  for (const { programme } of starts) {
    const rules = { ...programme.live, seed: programme.seed };
    const collections = await loadSources(data, programme.user_id, programme.kind, rules);
    found.set(programme.kind, await outlookOf(rules, collections, now.getTime()));
  }
  return found;
}

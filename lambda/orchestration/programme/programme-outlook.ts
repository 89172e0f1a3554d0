// The warnings of the published programmes of a stream.
import type { Database } from '../../data/database.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { StoredRules } from '../../data/programme/programmes.ts';
import type { PlaylistKind } from '../../domain/playout/playlist-words.ts';
import type { NextTurn } from '../../domain/programme/block-times.ts';
import { liveWarnings, outlookOf } from '../../domain/programme/outlook.ts';
import type { Warning } from '../../domain/programme/outlook.ts';
import type { PlannedStart } from './plan-start.ts';
import { budgetOf, inTurns } from './planning-turns.ts';
import { loadSources } from './programme-sources.ts';

/** By the track that a programme plans. */
export type ProgrammeWarnings = ReadonlyMap<PlaylistKind, readonly Warning[]>;

export async function warningsOf(
  data: Database,
  stream: Stream,
  starts: readonly Pick<PlannedStart, 'programme'>[],
  now: Date,
): Promise<ProgrammeWarnings> {
  const found = new Map<PlaylistKind, readonly Warning[]>();
  for (const { programme } of starts) {
    const rules = { ...programme.live, seed: programme.seed };
    const collections = await loadSources(data, programme.user_id, programme.kind, rules);
    const judge = (nextTurn: NextTurn) => outlookOf(rules, collections, now.getTime(), nextTurn);
    const warnings = await inTurns(budgetOf(data), judge);
    found.set(programme.kind, [...(await warningsOfInputs(data, stream, programme.live)), ...warnings]);
  }
  return found;
}

async function warningsOfInputs(
  data: Database,
  { id, user_id: userID, stream_backend: backend }: Stream,
  rules: StoredRules,
): Promise<readonly Warning[]> {
  if (rules.blocks.every(({ liveInputID }) => liveInputID === undefined)) return [];
  const inputs = await data.liveInputs.list(userID, id);
  return liveWarnings(rules, {
    inputIDs: new Set(inputs.map((input) => input.id)),
    isPrepared: backend === 'manifest',
  });
}

// Requests the preparation of planned items. Until they are prepared, others play in their place.
import type { Database } from '../../data/database.ts';
import type { Programme } from '../../data/programme/programmes.ts';
import type { Track } from '../../data/playout/timelines.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { itemsPlayed } from '../../domain/playout/play-out.ts';
import type { TimelineEntry } from '../../domain/playout/play-out.ts';
import type { PictureFormat } from '../../domain/playout/rendition.ts';
import { wordsOf } from '../../domain/shared/limits.ts';
import { itemsInFormat, recordToPrepare } from '../media/preparation-limit.ts';
import { requestPreparation } from '../media/prepare-media.ts';
import { saveDrawingsOfList } from './prepared-looks.ts';

export interface EntriesToPrepare {
  readonly stream: Stream;
  readonly track: Track;
  readonly entries: readonly Pick<TimelineEntry, 'snapshot'>[];
  /** The format of the run, or of a start now. */
  readonly format: PictureFormat;
  readonly limitFactor: number;
}

/** @returns the limit that prevents the preparation, as a failure of the plan; null: none */
export async function prepareEntries(
  data: Database,
  { stream, track, entries, format, limitFactor }: EntriesToPrepare,
): Promise<Programme['plan_failure']> {
  if (stream.stream_backend !== 'manifest') return null;
  const items = entries.flatMap(({ snapshot }) => itemsPlayed(snapshot));
  const wanted = { userID: stream.user_id, wanted: itemsInFormat(items, track === 'audio' ? 'sound' : format) };
  const [reached] = await recordToPrepare(data, limitFactor, [wanted]);
  if (reached) return { code: 'limit_reached', detail: wordsOf(reached) };
  for (const { snapshot } of entries) await saveDrawingsOfList(data, snapshot);
  await requestPreparation(data, { track, items, format }, { retries: 'never' });
  return null;
}

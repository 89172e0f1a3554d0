// The items of a stream as guides show them: an item with breaks is one, from its beginning to its end.
import type { Database } from '../../data/database.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { onAirRows } from './on-air-rows.ts';
import type { OnAirQuery, OnAirRow } from './on-air-rows.ts';

/** The most rows that are read for the items of a guide. */
const mostRows = 2000;

/** As `onAirRows`, with the parts of an item and the breaks between them as one row. */
export async function wholeItems(data: Database, stream: Stream, query: OnAirQuery): Promise<OnAirRow[]> {
  for (let { count } = query; ; count = Math.min(mostRows, 4 * count)) {
    const rows = await onAirRows(data, stream, { ...query, count });
    const isAll = rows.length < count || count === mostRows;
    const items = joinedParts(isAll ? rows : completeItems(rows));
    if (isAll || items.length >= query.count) return items.slice(0, query.count);
  }
}

/** The rows up to the last one behind which no item is to be continued. */
function completeItems(rows: readonly OnAirRow[]): readonly OnAirRow[] {
  let isOpen = true;
  const isComplete = rows.map(({ occurrence: { planned, part } }) => {
    if (planned?.kind !== 'insert') isOpen = (part?.untilSeconds ?? null) !== null;
    return !isOpen;
  });
  return rows.slice(0, isComplete.lastIndexOf(true) + 1);
}

function joinedParts(rows: readonly OnAirRow[]): OnAirRow[] {
  const items: OnAirRow[] = [];
  for (const row of rows) {
    if (!row.occurrence.skippedFrames) {
      items.push(row);
      continue;
    }
    while (items.at(-1)?.occurrence.planned?.kind === 'insert') items.pop();
    const first = items.pop();
    items.push(first ? { ...first, endAt: row.endAt } : { ...row, startAt: row.itemStartAt });
  }
  return items;
}

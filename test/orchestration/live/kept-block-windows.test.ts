// The kept times of blocks that name a live input: an ingest computes them once for each published version.
import { expect, it } from 'vitest';
import type { Database } from '../../../lambda/data/database.ts';
import { KeptBlockWindows } from '../../../lambda/orchestration/live/kept-block-windows.ts';
import { block } from '../../domain/programme/programmes.ts';

it('loads rules once in an hour, and at once when they are published', async () => {
  let [loads, at] = [0, '20:00'];
  const ofStreams = async () => {
    loads++;
    const hours = { rule: 'FREQ=DAILY', firstDay: '2030-01-01', lastDay: null, at, minutes: 60 };
    return [{ live: { timeZone: 'UTC', blocks: [block('show', { hours, liveInputID: 'studio' })] } }];
  };
  const data = { programmes: { ofStreams } } as unknown as Database;
  const windows = new KeptBlockWindows();
  const evening = Date.UTC(2030, 0, 4, 20);
  const beginnings = async (published: string, ms: number) => {
    const found = await windows.of(data, { id: 'studio', stream_id: 'one', published }, new Date(ms));
    return found.map(({ fromMs }) => fromMs);
  };
  for (let second = 0; second < 60; second++) expect(await beginnings('1', evening + second * 1000)).toContain(evening);
  expect(loads).toBe(1);
  at = '21:00';
  expect(await beginnings('2', evening)).not.toContain(evening);
  expect(loads).toBe(2);
  await beginnings('2', evening + 3_600_000);
  expect(loads).toBe(3);
});

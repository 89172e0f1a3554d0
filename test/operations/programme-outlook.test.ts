// Readiness of a stream with a programme: warnings of its published rules, which keep it from no start.
import { expect, it } from 'vitest';
import { actorsOn } from '../support/actors.ts';
import { pretendProbed, testService } from '../support/service.ts';

const service = testService();
const { call, create, readyStream } = actorsOn(service);
const dayMs = 86_400_000;

async function clip(folder: string, more: object = {}): Promise<void> {
  const { body } = await call('POST', '/uploads', { name: folder, mimeType: 'video/mp4', folder });
  await pretendProbed(service, body.id, { durationSeconds: 200 });
  expect((await call('PATCH', `/uploads/${body.id}`, more)).status).toBe(200);
}

const collectionOf = (folder: string) => create('/collections', { name: folder, kind: 'video', source: { folder } });

it('warns of rules with nothing to play and of distances that cannot be kept, once they are published', async () => {
  const streamID = await readyStream({ videoUploadObjectID: null });
  const expiresAt = new Date(Date.now() + 5 * dayMs).toISOString();
  for (let index = 0; index < 3; index++) await clip('Songs', { artist: 'Solo' });
  await clip('Spots', { availability: { until: expiresAt } });
  const [songs, spots, none] = [await collectionOf('Songs'), await collectionOf('Spots'), await collectionOf('None')];
  const programmeID = await create('/programmes', { streamID, timeZone: 'UTC' });
  // Far from now: a block that is on and has nothing to play is a gap.
  const at = new Date(Date.now() + dayMs / 2).toISOString().replace(/^.*T(\d\d).*$/u, '$1:00');
  const hours = { rule: 'FREQ=DAILY', at, minutes: 60 };
  const rules = {
    blocks: [
      { id: 'music', name: 'Music', steps: [{ id: 'songs', collectionID: songs }] },
      { id: 'noon', name: 'Noon', ...hours, priority: 60, steps: [{ id: 'none', collectionID: none }] },
      { id: 'late', name: 'Lunch', ...hours, steps: [{ id: 'songs', collectionID: songs }] },
    ],
    inserts: [{ id: 'spot', name: 'Spot', collectionID: spots, everyItems: 3 }],
    separation: [{ by: 'artist', items: 2 }],
    insertSecondsPerHour: 300,
  };
  expect(await call('PATCH', `/programmes/${programmeID}`, rules)).toMatchObject({ status: 200 });
  await call('POST', `/programmes/${programmeID}/publish`);
  const { body } = await call('GET', `/streams/${streamID}/readiness`);
  const stated = body.issues.map(({ code, error, path, stage }: Record<string, string>) => [code, error, path, stage]);
  const issue = (code: string, error: RegExp | string) => [
    code,
    expect.stringMatching(error),
    'PROGRAMME',
    'PREPARATION',
  ];
  expect(stated).toEqual([
    issue('overlap_shadowed', /^Block “Lunch” is never on in the next 8 days/),
    issue('collection_empty', /^Block “Noon” has nothing/),
    issue('runs_empty', `^Insert “Spot” has nothing more to play from ${expiresAt} on`),
    issue('rule_unmeetable', /the artist “Solo” is 100 % of its items, and 2 items apart allows 3\d(\.\d)? %/),
  ]);
  expect(body.ready).toBe(true);
  expect(await call('POST', `/streams/${streamID}/start`)).toMatchObject({ status: 200 });
});

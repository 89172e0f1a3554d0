// An AI client that knows only the list of tools programmes a channel by five sentences of a user.
import { expect, it } from 'vitest';
import { LiteralAIClient } from '../../support/literal-ai-client.ts';
import { testMcp } from '../../support/mcp.ts';
import { pretendProbed, testService } from '../../support/service.ts';
import type { TestUser } from '../../support/service.ts';

const service = testService();
const mcp = testMcp(service, 'all');

async function fill(user: TestUser, folder: string, count: number, durationSeconds: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const name = `${folder} ${index}`;
    const { body } = await user.call('POST', '/uploads', { name, mimeType: 'video/mp4', folder });
    await pretendProbed(service, body.id, { durationSeconds });
    await user.call('PATCH', `/uploads/${body.id}`, { artist: `Artist ${index % 4}` });
  }
}

async function clientOf(user: TestUser): Promise<LiteralAIClient> {
  return LiteralAIClient.with({
    listTools: async () => (await mcp.request(user, 'tools/list')).tools,
    callTool: (name, args) => mcp.callTool(user, name, args),
  });
}

/** The facts of a collection of a folder. */
const collectionOf = (folder: string, order: string) => ({ name: folder, kind: 'video', source: { folder }, order });

// “Play the songs day and night. An artist pauses for two songs. A jingle comes after each third song. At seven on
// weekdays there is news for ten minutes, on the second. Fillers close the gaps.”
const music = { id: 'music', name: 'Music', steps: [{ id: 'songs', collectionID: 'col 4' }] };
const news = {
  id: 'news',
  name: 'News',
  rule: 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR',
  at: '07:00',
  minutes: 10,
  starts: 'hard',
  ends: 'fill',
  steps: [{ id: 'bulletin', collectionID: 'col 1' }],
};
const programme = {
  timeZone: 'Europe/Berlin',
  blocks: [music, news],
  separation: [{ by: 'artist', items: 2, strength: 'must' }],
  inserts: [{ id: 'jingle', name: 'Jingle', collectionID: 'col 2', everyItems: 3 }],
  filler: { collectionID: 'col 3' },
};

it('a channel is programmed, simulated, compared and published by what the tools say of themselves', async () => {
  const user = await service.user();
  for (const [folder, count, seconds] of [
    ['Songs', 12, 200],
    ['News', 3, 180],
    ['Jingles', 2, 10],
    ['Fillers', 6, 17],
  ] as const)
    await fill(user, folder, count, seconds);
  const client = await clientOf(user);
  client.learn((await user.call('POST', '/streams', { name: 'Radio', framerate: 'f_30' })).body.id);
  await client.do('create collection', collectionOf('News', 'sequential'));
  await client.do('create collection', collectionOf('Jingles', 'sequential'));
  await client.do('create collection', collectionOf('Fillers', 'shuffle'));
  // A slip of the client, and the correction that the error asks for.
  const slip = { ...programme, blocks: [music, { ...news, at: '7 o’clock' }] };
  const refused = client.do('create programme', { ...collectionOf('Songs', 'shuffle'), ...slip });
  await expect(refused).rejects.toThrow(/"path":"\/blocks\/1\/at"/);
  await client.do('change programme', programme);
  await client.do('simulate programme');
  const comparison = await client.do('compare programme');
  await client.do('publish programme');

  expect(comparison).toMatchObject({ changedRules: ['blocks/music', 'blocks/news', 'inserts/jingle'] });
  expect(client.transcript.map((line) => line.split(' ')[0])).toEqual([
    ...Array.from({ length: 3 }, () => ['create_collection', 'list_collection_uploads']).flat(),
    'create_programme',
    'create_collection',
    'list_collection_uploads',
    'update_programme',
    'update_programme',
    'simulate_programme',
    'compare_programme',
    'publish_programme',
    'get_stream_timeline',
  ]);
  const [{ id, liveVersion }] = (await user.call('GET', '/programmes')).body.data;
  expect(liveVersion).toBeGreaterThan(0);
  // Monday, 3 August 2026, in summer time.
  const { body } = await user.call('GET', `/programmes/${id}/simulation?from=2026-08-02T22:00:00Z&days=1&rows=1000`);
  expect(body.issues).toEqual([]);
  const first = body.rows.find(({ blockID }: { blockID: string }) => blockID === 'news');
  expect(first).toMatchObject({ startAt: '2026-08-03T05:00:00.000Z', kind: 'item', blockID: 'news' });
});

// Relations: resources include the ones that they name, in few statements, and only those of the user.
import { beforeAll, describe, expect, it } from 'vitest';
import { databaseOn } from '../../../lambda/data/database.ts';
import { recordStatements } from '../../migrate/statement-recording.ts';
import { graphqlOn } from '../../support/graphql.ts';
import type { GraphqlAnswer } from '../../support/graphql.ts';
import { testService } from '../../support/service.ts';
import type { TestUser } from '../../support/service.ts';

const service = testService();
const { ask } = graphqlOn(service);
let user: TestUser;
let other: TestUser;
const count = 100;
/** The default settings of a stream. */
const unset = {
  agent_mode_enabled: null,
  run_backup_stream: null,
  audio_upload_id: null,
  quality: null,
  framerate: null,
  video_codec: null,
  stream_backend: null,
  stream_destination: null,
  stream_duration_seconds: 0,
  managed_settings_id: null,
  sealed_stream_key: null,
  schedule_start_at: null,
  schedule_end_at: null,
  sound: null,
  look: null,
} as const;

/** Creates a hundred streams, each with a destination and two playlists. The video playlist has an upload. */
async function makeStreams(owner: TestUser): Promise<void> {
  const { destinations, playlists, streams, uploads } = databaseOn(service.pool());
  const named = (kind: string, index: number) => `${kind}_${owner.id}_${index}`;
  for (let index = 0; index < count; index++) {
    const [destination, video, audio, upload] = [
      named('dst', index),
      named('ply', 2 * index),
      named('ply', 2 * index + 1),
      named('upl', index),
    ];
    const common = { userID: owner.id, name: `${index}` };
    await destinations.insert({
      id: destination,
      userID: owner.id,
      settings: {
        name: `${index}`,
        url: 'rtmp://example.com/live',
        backup_url: null,
        sealed_stream_key: Buffer.from('x'),
        srt_latency_ms: null,
        srt_stream_id: null,
        sealed_srt_passphrase: null,
      },
    });
    await uploads.insert({
      ...common,
      id: upload,
      mimeType: 'video/mp4',
      type: 'video',
      objectKey: upload,
      declaredSizeBytes: null,
      expectedBytes: 0,
    });
    const streamID = named('str', index);
    await streams.insert(streamID, owner.id, {
      ...unset,
      name: `${index}`,
      video_upload_id: upload,
      destination_id: destination,
      playlist_ids: [video, audio],
      prepared_playlist_ids: [video],
    });
    const draft = { mode: 'sequential', items: [{ id: 'itm_1', uploadID: upload }] } as const;
    await playlists.insert({ ...common, id: video, streamID, kind: 'video', draft });
    await playlists.insert({ ...common, id: audio, streamID, kind: 'audio', draft: { mode: 'shuffle', items: [] } });
  }
}

beforeAll(async () => {
  [user, other] = [await service.user(), await service.user()];
  await makeStreams(user);
  // The first use of a key is recorded: that statement must not be counted.
  await ask(user, '{ getMe { id } }');
});

/** Sends a query, and records its statements, without those that admit the request. */
async function counted(
  query: string,
  variables: object = {},
): Promise<GraphqlAnswer & { statements: string[]; admission: string[] }> {
  const recording = recordStatements();
  const answer = await ask(user, query, variables);
  const texts = recording.stop().map(([, text]) => text.trim());
  const admits = (text: string) => /from api_keys|count_work|update api_keys/.test(text);
  return { ...answer, statements: texts.filter((text) => !admits(text)), admission: texts.filter(admits) };
}

describe('a hundred streams', () => {
  it('with their destinations and playlists take 3 statements, and 2 to admit the request', async () => {
    const { body, statements, admission } = await counted(`{
      listStreams(first: 100) {
        nodes { id name state destination { name rtmpURL } playlists { name kind publishStatus } }
      }
    }`);
    const { nodes } = body.data.listStreams;
    expect(nodes).toHaveLength(count);
    expect(nodes[0]).toEqual({
      id: `str_${user.id}_99`,
      name: '99',
      state: 'draft',
      destination: { name: '99', rtmpURL: 'rtmp://example.com/live' },
      playlists: [
        { name: '99', kind: 'video', publishStatus: 'IDLE' },
        { name: '99', kind: 'audio', publishStatus: 'IDLE' },
      ],
    });
    expect(statements).toHaveLength(3);
    expect(admission).toHaveLength(2);
  });

  it('with their outputs and the destinations of these take 4 statements', async () => {
    const { body, statements } = await counted(`{
      listStreams(first: 100) { nodes { outputs { isFirst state destination { name } } } }
    }`);
    const { nodes } = body.data.listStreams;
    expect(nodes[0].outputs).toEqual([{ isFirst: true, state: 'idle', destination: { name: '99' } }]);
    expect(statements).toHaveLength(4);
  });

  it('with the items of their playlists take 5 statements', async () => {
    const { body, statements } = await counted(`{
      listStreams(first: 100) {
        nodes { name destination { name } playlists { name draft { items { id uploadID durationSeconds } } } }
      }
    }`);
    expect(body.data.listStreams.nodes[7].playlists[0].draft.items).toEqual([
      { id: 'itm_1', uploadID: `upl_${user.id}_92`, durationSeconds: null },
    ]);
    expect(statements).toHaveLength(5);
  });

  it('with everything that they name take as many statements as one stream', async () => {
    const query = `query($first: Int) {
      listStreams(first: $first) { nodes {
        replicas { state } transitions { cause } destination { name } videoUpload { name } audioUpload { name }
        preparedPlaylists { name } playlists { stream { name } draft { items { upload { name } } } live { version } }
      } }
    }`;
    const all = await counted(query, { first: 100 });
    expect(all.body.errors).toBeUndefined();
    expect(all.body.data.listStreams.nodes[0]).toMatchObject({
      videoUpload: { name: '99' },
      audioUpload: null,
      preparedPlaylists: [{ name: '99' }],
      playlists: [{ stream: { name: '99' }, draft: { items: [{ upload: { name: '99' } }] } }, {}],
    });
    const one = await counted(query, { first: 1 });
    expect(all.statements).toEqual(one.statements);
    // Streams with their replicas and transitions take three statements; destinations and uploads one each; playlists
    // with the number of their items two; the uploads of those items one; the streams of those playlists three again.
    expect(all.statements).toHaveLength(11);
  });
});

/** Makes a stream name these resources, even those of other users. */
const nameInStream = (streamID: string, named: { destination: string; playlist: string; upload: string }) =>
  service
    .pool()
    .query('update streams set destination_id = $1, playlist_ids = $2, video_upload_id = $3 where id = $4', [
      named.destination,
      [named.playlist],
      named.upload,
      streamID,
    ]);

/** A query of the resources that a stream names. */
const namedByStream = `query($id: ID!) {
  getStream(id: $id) { playlistIDs destinationID destination { id } videoUpload { id } playlists { id } }
}`;

describe('a resource that a stream names', () => {
  it('and that does not exist is null, or missing from a list', async () => {
    const { body: stream } = await user.call('POST', '/streams', {});
    const { body: playlist } = await user.call('POST', '/playlists', {
      streamID: stream.id,
      kind: 'video',
      mode: 'shuffle',
    });
    await user.call('DELETE', `/playlists/${playlist.id}`);
    const { body } = await ask(user, namedByStream, { id: stream.id });
    expect(body).toEqual({
      data: {
        getStream: {
          playlistIDs: [playlist.id],
          destinationID: null,
          destination: null,
          videoUpload: null,
          playlists: [],
        },
      },
    });
  });

  it('and that belongs to another user is null, or missing from a list, even if its id is stored', async () => {
    const { body: stream } = await other.call('POST', '/streams', {});
    const theirs = { destination: `dst_${user.id}_1`, playlist: `ply_${user.id}_2`, upload: `upl_${user.id}_1` };
    await nameInStream(stream.id, theirs);
    const { body } = await ask(other, namedByStream, { id: stream.id });
    expect(body).toEqual({
      data: {
        getStream: {
          playlistIDs: [theirs.playlist],
          destinationID: theirs.destination,
          destination: null,
          videoUpload: null,
          playlists: [],
        },
      },
    });
  });
});

describe('changes', () => {
  it('are seen by later changes of the same request', async () => {
    const [id, destination] = [`str_${user.id}_3`, `dst_${user.id}_3`];
    const { body } = await ask(
      user,
      `mutation($id: ID!, $destination: ID!) {
        before: updateStream(id: $id, name: "a") { destination { name } }
        updateDestination(id: $destination, name: "renamed") { name }
        after: updateStream(id: $id, name: "b") { name destination { name } }
      }`,
      { id, destination },
    );
    expect(body.data).toEqual({
      before: { destination: { name: '3' } },
      updateDestination: { name: 'renamed' },
      after: { name: 'b', destination: { name: 'renamed' } },
    });
  });
});

describe('pages', () => {
  it('follow each other by endCursor, and hold every node once', async () => {
    const query = `query($after: String) {
      listPlaylists(first: 60, after: $after) {
        nodes { id } edges { cursor node { id } } pageInfo { hasNextPage endCursor }
      }
    }`;
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const { body } = await ask(user, query, { after: after ?? undefined });
      const { nodes, edges, pageInfo } = body.data.listPlaylists;
      expect(edges.map(({ node }: { node: unknown }) => node)).toEqual(nodes);
      expect(edges.at(-1).cursor).toBe(pageInfo.endCursor);
      expect(pageInfo.hasNextPage).toBe(pageInfo.endCursor !== null);
      seen.push(...nodes.map(({ id }: { id: string }) => id));
      after = pageInfo.endCursor;
    } while (after !== null);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toHaveLength(2 * count);
  });
});

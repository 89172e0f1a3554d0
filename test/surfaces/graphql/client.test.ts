// A front end's client: over HTTP as in the local run, and over API Gateway's events to the bundled function.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getRequestListener } from '@hono/node-server';
import { cacheExchange, Client, fetchExchange, gql } from '@urql/core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createPostgresCommandQueue } from '../../../lambda/ports/command-queue/postgres-command-queue.ts';
import { bundledGraphql } from '../../support/bundled-graphql.ts';
import { graphqlOn, graphqlURL } from '../../support/graphql.ts';
import { pretendProbed, testService, testSettings } from '../../support/service.ts';
import type { TestUser } from '../../support/service.ts';
import { testPlatforms } from '../../support/platforms.ts';

const service = testService();
const { handler } = graphqlOn(service);
let user: TestUser;
beforeAll(async () => {
  user = await service.user();
});

const clientAt = (url: string, apiKey: string, send: typeof fetch = fetch) =>
  new Client({
    url,
    exchanges: [cacheExchange, fetchExchange],
    preferGetMethod: false,
    fetchOptions: { headers: { 'X-API-Key': apiKey } },
    fetch: send,
  });

const streamParts = gql`
  fragment StreamParts on Stream {
    id name state destination { name } playlists { draft { items { upload { name } } } }
  }
`;
const createUpload = gql`
  mutation($name: String!, $key: String) {
    createUpload(name: $name, mimeType: "video/mp4", idempotencyKey: $key) { id }
  }
`;
const createDestination = gql`
  mutation {
    createDestination(name: "ingest", rtmpURL: "rtmp://127.0.0.1/live", streamKey: "a-stream-key") { id }
  }
`;
const createStream = gql`
  mutation($destinationID: ID) {
    createStream(name: "loop", destinationID: $destinationID) { ...StreamParts }
  }
  ${streamParts}
`;
const createPlaylist = gql`
  mutation($streamID: ID!) { createPlaylist(streamID: $streamID, kind: video, mode: sequential) { id } }
`;
const edit = gql`
  mutation($id: ID!, $operations: [PlaylistOperationInput!]!) {
    applyPlaylistOperations(id: $id, operations: $operations) { version }
  }
`;
const start = gql`
  mutation($id: ID!) { startStream(id: $id) { ...StreamParts } }
  ${streamParts}
`;
const list = gql`
  query($first: Int, $after: String) {
    listStreams(first: $first, after: $after) { nodes { ...StreamParts } pageInfo { endCursor } }
  }
  ${streamParts}
`;

/** Uploads a file and starts a stream with it, as a page would. @returns the state of the stream */
async function putLive(client: Client): Promise<string> {
  // oxlint-disable-next-line typescript/no-explicit-any -- other tests check its schema
  const mutate = async (document: ReturnType<typeof gql>, variables: object): Promise<any> => {
    const { data, error } = await client.mutation(document, variables).toPromise();
    expect(error).toBeUndefined();
    return Object.values(data as object)[0];
  };
  const clip = { name: 'clip.mp4', key: randomUUID() };
  const upload = await mutate(createUpload, clip);
  expect((await mutate(createUpload, clip)).id).toBe(upload.id);
  await pretendProbed(service, upload.id);
  const destination = await mutate(createDestination, {});
  const stream = await mutate(createStream, { destinationID: destination.id });
  const playlist = await mutate(createPlaylist, { streamID: stream.id });
  expect(await mutate(edit, { id: playlist.id, operations: [{ add: { uploadID: upload.id } }] })).toMatchObject({
    version: 2,
  });
  const started = await mutate(start, { id: stream.id });
  expect(started).toMatchObject({
    state: 'activating',
    destination: { name: 'ingest' },
    playlists: [{ draft: { items: [{ upload: { name: 'clip.mp4' } }] } }],
  });
  const { data } = await client.query(list, { first: 1 }).toPromise();
  expect(data.listStreams.nodes).toEqual([started]);
  return data.listStreams.nodes[0].state;
}

/** The errors that a client gets for a refused start. */
async function refusals(client: Client): Promise<unknown> {
  const { data, error } = await client.mutation(start, { id: 'nothing' }).toPromise();
  expect(data).toEqual({ startStream: null });
  return error!.graphQLErrors.map(({ message, path, extensions }) => [message, path, extensions['code']]);
}

const refused = [['There is no such stream.', ['startStream'], 'not_found']];

describe('a client over HTTP', () => {
  let url: string;
  beforeAll(async () => {
    const server = createServer(
      (request, response) => void getRequestListener((received) => handler()(received, '192.0.2.1'))(request, response),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
    return () => {
      server.closeAllConnections();
      server.close();
    };
  });

  it('puts a file live', async () => expect(await putLive(clientAt(url, user.apiKey))).toBe('activating'));
  it('learns why a start is refused', async () => expect(await refusals(clientAt(url, user.apiKey))).toEqual(refused));

  it('can be written as the README says', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'front-end-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const root = join(import.meta.dirname, '../../..');
    const [, script] = /```js\n(.*?)```/s.exec(
      await readFile(join(root, 'lambda/surfaces/graphql/README.md'), 'utf8'),
    )!;
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await mkdir(join(folder, '.local'));
    await writeFile(join(folder, '.local/connection.json'), JSON.stringify({ graphqlURL: url, apiKey: user.apiKey }));
    await writeFile(join(folder, 'streams.mjs'), script!);
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['streams.mjs'], { cwd: folder });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/name: 'Mine',\s+state: 'draft'/);
  });

  it('learns that a key is wrong', async () => {
    const { error } = await clientAt(url, 'lss_wrong').query(list, {}).toPromise();
    expect([error!.response.status, error!.graphQLErrors[0]!.extensions['code']]).toEqual([401, 'unauthenticated']);
  });
});

describe('a client of the bundled function', () => {
  let client: Client;
  beforeAll(async () => {
    const { pool, log, ...rest } = service.service();
    const connections = {
      ...rest,
      platforms: testPlatforms(),
      pool,
      queue: createPostgresCommandQueue({ pool, log }),
      origin: new URL(graphqlURL).origin,
    };
    const bundled = (await bundledGraphql())(connections, testSettings, log);
    client = clientAt(graphqlURL, user.apiKey, (input, init) => bundled(new Request(input, init), '192.0.2.1'));
  });

  it('puts a file live', async () => expect(await putLive(client)).toBe('activating'));
  it('learns why a start is refused', async () => expect(await refusals(client)).toEqual(refused));
});

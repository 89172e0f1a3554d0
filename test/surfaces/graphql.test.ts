// The GraphQL surface.
import { beforeAll, describe, expect, it } from 'vitest';
import { testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';
import { graphqlOn } from '../support/graphql.ts';

const service = testService();
const { ask } = graphqlOn(service);
let user: TestUser;
beforeAll(async () => {
  user = await service.user();
});

describe('x', () => {
  it('works', async () => {
    console.log(JSON.stringify((await ask(user, '{ getMe { id defaults { quality } } listStreams(first: 2) { nodes { id } pageInfo { hasNextPage endCursor } } }'))));
    const made = await ask(user, 'mutation($n: String, $q: Quality) { createStream(name: $n, quality: $q) { id name quality state destination { id } playlists { id } } }', { n: 'x', q: 'q_720p' });
    console.log(JSON.stringify(made));
    console.log(JSON.stringify(await ask(user, 'mutation($n: String, $q: Quality) { createStream(name: $n, quality: $q) { id  } }', { n: 5, q: 'best' })));
    console.log(JSON.stringify(await ask(user, '{ getStream(id: "nothing") { id } }')));
    console.log(JSON.stringify(await ask(user, '{ getStrem(id: "nothing") { id } ')));
    console.log(JSON.stringify(await ask(user, '{ getStrem(id: "nothing") { id } }')));
    console.log(JSON.stringify(await ask(user, 'mutation($ops: [PlaylistOperationInput!]!) { applyPlaylistOperations(id: "x", operations: $ops) { id } }', { ops: [{ add: { uploadID: 5 , index: 'x'} }, { clear: true }, {}, {remove: {itemID: ''}}] })));
    console.log(JSON.stringify(await ask(user, '{ listStreams(first: 1000) { nodes { id } } }')));
    console.log(JSON.stringify(await ask(null, '{ getStatus { status } __schema { queryType { name } } }')));
    console.log(JSON.stringify(await ask(null, '{ getMe { id } }')));
  });
});

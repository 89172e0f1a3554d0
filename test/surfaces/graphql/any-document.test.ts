// Faults in a query or its variables are the client's: no document makes the server fail.
import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { problemCodes } from '../../../lambda/operations/problem-kinds.ts';
import { graphqlOn } from '../../support/graphql.ts';
import { testService } from '../../support/service.ts';
import type { TestUser } from '../../support/service.ts';

const service = testService();
const { ask } = graphqlOn(service);
let user: TestUser;
beforeAll(async () => {
  user = await service.user();
});

/** The number of tried documents: two thousand in the long suite. */
const documents = process.env['SUITE'] === 'long' ? 2000 : 100;

/** Correct documents, as their tokens. */
const written = [
  `query Q($first: Int = 5, $after: String, $is: Boolean = true) {
    a: listStreams(first: $first, after: $after) {
      nodes { ...S playlists @include(if: $is) { draft { items { upload { name } } } } }
      edges { cursor node { id } }
      pageInfo { endCursor }
    }
  }
  fragment S on Stream { id state destination { name } }`,
  `mutation($id: ID!, $ops: [PlaylistOperationInput!]!) {
    applyPlaylistOperations(id: $id, operations: $ops, idempotencyKey: "k") { version draft { mode } }
    deletePlaylist(id: $id)
  }`,
  `mutation {
    createStream(name: "x", quality: q_720p, streamDuration: 3) { id quality ... on Stream { transitions { at } } }
  }`,
  `{
    getUsageAnalytics(from: "2026-01-01T00:00:00Z", granularity: month) { data { start } totals { bytesSent } }
    getBillingOverview { billing { creditsLeft } }
    __type(name: "Stream") { fields { name } }
  }`,
].map((text) => [...text.match(/"[^"]*"|\.\.\.|\w+|\S/g)!]);
const tokens = [
  ...new Set(written.flat()),
  '$',
  '@skip(if: true)',
  '1e999',
  '-0',
  '"\\u0000"',
  '"""',
  'null',
  'subscription',
  '__typename',
  '# x\n',
  '\u0000',
  '\ud800',
];

/** One of the documents with up to two places changed. */
const document = fc.constantFrom(...written).chain((original) => {
  const change = fc.record({
    at: fc.nat(original.length),
    removed: fc.nat(2),
    added: fc.array(fc.constantFrom(...tokens), { maxLength: 2 }),
  });
  return fc.array(change, { maxLength: 2 }).map((changes) => {
    let text = original as readonly string[];
    for (const { at, removed, added } of changes) text = text.toSpliced(at, removed, ...added);
    return text.join(' ');
  });
});
const value = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    0,
    -1,
    5,
    1.5,
    true,
    '',
    'x',
    '\u0000',
    [],
    [null],
    [{ clear: true }],
    [{ clear: false }],
    [{ add: {}, clear: true }],
    [{ remove: 5 }],
    [[]],
    {},
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
const faultsOfOurs = new Set(['internal_error', 'upstream_unavailable']);
const variables = fc.record({ id: value, ops: value, first: value, after: value, is: value }, { requiredKeys: [] });

test(`${documents} documents end in data, or in problems that are registered`, { timeout: 120_000 }, async () => {
  let answered = 0;
  const right = fc.constant({ id: 'nothing', ops: [{ clear: true }] });
  await fc.assert(
    fc.asyncProperty(document, fc.oneof(right, variables), async (query, given) => {
      const { status, body } = await ask(user, query, given);
      const errors: { extensions: { code: string } }[] = body.errors ?? [];
      const codes = errors.map(({ extensions }) => extensions.code);
      expect(codes.filter((code) => !Object.hasOwn(problemCodes, code) || faultsOfOurs.has(code))).toEqual([]);
      expect(status === 200 || codes.length > 0).toBe(true);
      if (body.data) answered += 1;
    }),
    { numRuns: documents },
  );
  // Documents that are all refused before their execution would prove little.
  expect(answered).toBeGreaterThan(documents / 20);
});

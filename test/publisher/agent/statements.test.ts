// The statements that an agent sends each minute, as publisher/README.md lists them.
import { expect, it, onTestFinished } from 'vitest';
import { AgentLease } from '../../../lambda/publisher/agent/agent-lease.ts';
import type { AgentReplicas } from '../../../lambda/publisher/agent/agent-replicas.ts';
import { Chores } from '../../../lambda/publisher/agent/chores.ts';
import type { ChoresOptions } from '../../../lambda/publisher/agent/chores.ts';
import { KnownPeers } from '../../../lambda/publisher/agent/peers.ts';
import { TimelineRevisions } from '../../../lambda/publisher/agent/timeline-revisions.ts';
import { recordStatements } from '../../migrate/statement-recording.ts';
import { actorsOn, startOptions, statsWith } from '../../support/actors.ts';
import { testService } from '../../support/service.ts';

const service = testService();
const { data, register } = actorsOn(service);

const renewals = 60;
/** A renewal is begun a second after the last one, so a little later each time. */
const renewEveryMs = 1001;
const start = Date.UTC(2030, 0, 1);
/** Words that only the statement of this name has. */
const words = {
  renewal: 'renewed as',
  'addresses of agents': 'peer_url',
  'revisions of timelines': 'timeline_revision >',
  figures: 'agent_figures',
  'points of series': 'stream_series',
};

/** Replicas that are on air, as far as chores see them. */
function replicasOnAir(count: number) {
  const ids = Array.from({ length: count }, (_, index) => `rep_${index}`);
  const replicas: Pick<AgentReplicas, 'haveAnyToRecord' | 'sampleFigures'> & { readonly byID: object } = {
    byID: new Map(ids.map((id) => [id, { series: { streamID: id, outputID: '' } }])),
    haveAnyToRecord: false,
    sampleFigures: (now) =>
      ids.map((replicaID) => ({
        replicaID,
        epoch: 1,
        stats: statsWith({ sampledAt: now.toISOString(), framesSent: 1, framesPerSecond: 30 }),
      })),
  };
  return replicas as unknown as AgentReplicas;
}

/** An agent with so many replicas on air. @returns the work of one of its seconds */
async function agentWith(count: number): Promise<() => Promise<void>> {
  const agentID = 'agent';
  await register(agentID);
  let nowMs = 0;
  const steadyClock = () => nowMs;
  const nothing = () => {};
  const pool = service.pool();
  const lease = new AgentLease({
    agentID,
    pool,
    steadyClock,
    peerURLs: () => [],
    load: () => ({ usedShare: 0, behindReason: null }),
    mediaShare: () => (count > 0 ? 0 : null),
    countsUnfunded: () => true,
    onRenewed: nothing,
    onLost: nothing,
    onCutOff: nothing,
  });
  onTestFinished(() => lease.close());
  let followed = Promise.withResolvers<void>();
  const chores = new Chores({
    agentID,
    pool,
    data: data(),
    queue: { relay: async () => 0 } as unknown as ChoresOptions['queue'],
    replicas: replicasOnAir(count),
    claims: { areAnyUnknown: false } as ChoresOptions['claims'],
    peers: new KnownPeers({ load: () => data().agents.peerURLs(agentID), ownPort: () => null, steadyClock }),
    revisions: new TimelineRevisions({
      read: async () => new Map((await data().replicas.changedOf(agentID, [])).map(({ id }) => [id, 0])),
      steadyClock,
    }),
    // The last chore that is due.
    previews: { areAny: true, follow: () => followed.resolve() } as unknown as ChoresOptions['previews'],
    startOptions,
    steadyClock,
    onHindered: (chore, error) => followed.reject(new Error(chore, { cause: error })),
  });
  return async () => {
    followed = Promise.withResolvers();
    const renewal = await lease.renew();
    chores.begin({ renewal, databaseClock: () => new Date(start + nowMs) });
    await followed.promise;
    nowMs += renewEveryMs;
  };
}

it.each([
  [0, { renewal: 60, 'addresses of agents': 20 }],
  [50, { renewal: 60, 'addresses of agents': 20, 'revisions of timelines': 20, figures: 60, 'points of series': 2 }],
  [200, { renewal: 60, 'addresses of agents': 20, 'revisions of timelines': 20, figures: 12, 'points of series': 2 }],
])('an agent with %i replicas on air sends a minute what publisher/README.md says', async (count, expected) => {
  const doSecond = await agentWith(count);
  for (let second = 0; second < renewals; second++) await doSecond();
  const recording = recordStatements();
  for (let second = 0; second < renewals; second++) await doSecond();
  const names = recording.stop().map(([, text]) => {
    const name = Object.entries(words).find(([, word]) => text.includes(word))?.[0];
    return name ?? text;
  });
  const counts = Map.groupBy(names, (name) => name)
    .entries()
    .map(([name, { length }]) => [name, length] as const);
  expect(Object.fromEntries(counts)).toEqual(expected);
});

// Recovers replicas from dead agents, and from agents that released them.
// Replicas are dealt out to other agents or wait to be claimed; replicas that were to end have ended.
import type { Pool } from 'pg';
import { databaseOn } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import type { ReplicaFigures } from '../../data/fleet/figures.ts';
import type { KeptFigures } from '../../data/streams/kept-figures.ts';
import { newID } from '../../data/shared/new-id.ts';
import type { Place } from '../../data/shared/places.ts';
import type { Claim, Replica } from '../../data/fleet/replicas.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { StateReason } from '../../domain/streams/stream-words.ts';
import type { Dealer } from '../../domain/fleet/dealing.ts';
import { dealOut } from './deal-out.ts';
import type { Deal } from './deal-out.ts';
import { inSets } from '../shared/in-sets.ts';
import { Losses } from './losses.ts';
import { meterStreams } from '../billing/meter.ts';
import { reconcileOutputs } from '../destinations/reconcile-outputs.ts';
import { finishStops } from '../streams/stop-stream.ts';
import type { Locked } from '../../data/shared/locked.ts';

const handedOver = { code: 'handed_over', detail: 'Another publisher takes this stream over.' };
const agentLost = { code: 'agent_lost', detail: 'The publisher of this stream stopped working; another takes over.' };

/**
 * The most streams that one transaction recovers. Larger sets hardly save more, and all their streams stay locked until
 * the last one is recovered.
 */
const setSize = 250;

const nothingDealt: Deal = { dealt: [], areAnyLeft: true, loads: new Map() };

/**
 * Declares agents dead whose lease is over, and recovers their replicas, many streams in a transaction. Any number of
 * processes may call this at once; a few do the work. If one dies, the next one continues.
 * @param agentID the agent that calls, which is dealt nothing, as it is busy; null: none
 * @returns the number of recovered streams
 * @throws the first failure, after every other stream was recovered
 */
export async function recoverReplicas(pool: Pool, agentID: string | null = null): Promise<number> {
  const { agents, places } = databaseOn(pool);
  await agents.declareExpiredDead();
  const holder = agentID ?? newID('rec', new Date());
  const losses = new Losses(agentID);
  let place: Place | null = null;
  try {
    return await inSets(
      pool,
      setSize,
      async (data, except, count) => {
        place = await data.places.keep('recovery', holder);
        return place === null ? [] : losses.lockSome(data, place, except, count);
      },
      async (data, streams) => recoverStreams(data, streams, await losses.dealer(data, place!)),
    );
  } finally {
    if (place !== null) {
      await agents.deleteDead();
      await places.leave('recovery', holder);
    }
  }
}

/** A replica that its agent no longer sends, with its last figures. */
export interface ReleasedReplica {
  readonly streamID: string;
  readonly claim: Claim;
  readonly figures: ReplicaFigures;
}

/** Releases replicas that their agent no longer sends, so that other agents can claim them at once. */
export async function releaseReplicas(data: Database, released: readonly ReleasedReplica[]): Promise<void> {
  const streams = await data.streams.lockMany(released.map(({ streamID }) => streamID));
  await data.figures.keepAll(released.map(({ claim, figures }) => ({ ...figures, agentID: claim.agent_id! })));
  const freed = await data.replicas.releaseAll(released.map(({ claim }) => claim));
  const freedStreams = new Set(freed.map(({ stream_id: streamID }) => streamID));
  await wakeAgentsFor(
    data,
    freed.filter(({ wanted }) => wanted !== 'ended'),
  );
  await applyLoss(
    data,
    streams.filter(({ id }) => freedStreams.has(id)),
    handedOver,
  );
}

/** @param dealer null: the replicas wait to be claimed */
async function recoverStreams(
  data: Database,
  streams: readonly Locked<Stream>[],
  dealer: Dealer | null,
): Promise<void> {
  const ids = streams.map(({ id }) => id);
  const { dealt, areAnyLeft, loads } = dealer === null ? nothingDealt : await dealOut(data, streams, dealer);
  const left = areAnyLeft ? await data.replicaLosses.releaseOfDeadAgents(ids) : [];
  await wakeAgentsFor(
    data,
    left.filter(({ wanted }) => wanted !== 'ended'),
  );
  const freed = [...dealt, ...left];
  const said = await data.figures.writtenOf(freed);
  await data.figures.recordAired(
    freed.flatMap(({ id: replicaID, held_epoch: epoch }) => {
      const stats = said.get(replicaID);
      return stats === undefined ? [] : [{ replicaID, epoch, stats }];
    }),
  );
  const ofOutputs = freed.flatMap(({ id, output_id: outputID }) => {
    const stats = outputID === null ? undefined : said.get(id);
    return stats === undefined ? [] : [[id, stats] as const];
  });
  await data.figures.keepNewerOfOutputs(new Map(ofOutputs));
  await applyLoss(data, streams, agentLost, keptOfFirst(freed, said));
  // Last, as agents that renew their leases wait for these rows until the transaction ends.
  if (loads.size > 0) await data.replicaLosses.addLoads(loads);
}

/** The figures that the rows of streams keep: those of the replicas of their first outputs, by the id of the stream. */
function keptOfFirst(freed: readonly Replica[], said: ReadonlyMap<string, string>): Map<string, KeptFigures> {
  const kept = new Map<string, KeptFigures>();
  for (const { id, stream_id: streamID, output_id: outputID, role } of freed) {
    const stats = said.get(id);
    if (outputID !== null || stats === undefined) continue;
    kept.set(streamID, { ...(kept.get(streamID) ?? { primary: null, backup: null }), [role]: stats });
  }
  return kept;
}

/** Wakes the agents that may claim these replicas, with one command per queue. */
export async function wakeAgentsFor(
  data: Database,
  waiting: readonly Pick<Replica, 'stream_id' | 'backend'>[],
): Promise<void> {
  const oneOfEach = new Map(waiting.map(({ stream_id: streamID, backend }) => [backend, streamID]));
  for (const [backend, streamID] of oneOfEach)
    await data.outbox.send({ queue: `publish-${backend}`, body: { streamID } });
}

/**
 * Moves and meters streams after a loss of replicas.
 * @param said figures that are not in the rows of the streams yet
 */
async function applyLoss(
  data: Database,
  streams: readonly Locked<Stream>[],
  reason: StateReason,
  said: ReadonlyMap<string, KeptFigures> = new Map(),
): Promise<void> {
  if (streams.length === 0) return;
  const replicas = await data.replicas.ofStreams(streams.map(({ id }) => id));
  const live = new Set(replicas.filter(({ state }) => state === 'live').map(({ stream_id: streamID }) => streamID));
  const moved = await data.streamMoves.moveAll(
    streams
      .filter(({ id }) => !live.has(id))
      .map((stream) => ({ stream, cause: 'media_interrupted', reason, figures: said.get(stream.id) })),
  );
  await data.figures.keepNewer(new Map([...said].filter(([id]) => !moved.has(id))));
  const at = await data.now();
  await meterStreams(
    data,
    streams.map((stream) => ({ stream, at })),
    { areFiguresKept: true },
  );
  const ended = new Set(replicas.filter(({ state }) => state === 'ended').map(({ stream_id: streamID }) => streamID));
  await finishStops(data, streams);
  for (const stream of streams) if (ended.has(stream.id)) await reconcileOutputs(data, stream, at);
}

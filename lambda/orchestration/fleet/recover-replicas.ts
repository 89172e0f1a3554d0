// Takes replicas from agents that died, and from those that released them.
// Those that are still wanted are dealt out to other agents, or wait to be claimed; the others have ended.
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
import { finishStopping } from '../streams/stop-stream.ts';
import type { Locked } from '../../data/shared/locked.ts';

const handedOver = { code: 'handed_over', detail: 'Another publisher takes this stream over.' };
const agentLost = { code: 'agent_lost', detail: 'The publisher of this stream stopped working; another takes over.' };

/**
 * So many streams are recovered in one transaction. More would hardly cost less each, and all wait for the last: their
 * locks are held, and no agent can claim them.
 */
const setSize = 250;

const nothingDealt: Deal = { dealt: [], areAnyLeft: true, loads: new Map() };

/**
 * Declares agents dead whose lease is over, and takes their replicas from them, many streams in a transaction. Any
 * number of processes may call this at once; a few do the work, and the others leave it to them. Where one dies half
 * way, the next one does the rest.
 * @param agentID the agent that calls, which is dealt nothing, as it has enough to do
 * @returns how many streams were affected
 * @throws the first failure, once every other stream was recovered
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

/** A replica that its agent sends no more, with the last figures that the agent measured. */
export interface ReleasedReplica {
  readonly streamID: string;
  readonly claim: Claim;
  readonly figures: ReplicaFigures;
}

/** Releases replicas that their agent sends no more, so that other agents can take them at once. */
export async function releaseReplicas(data: Database, released: readonly ReleasedReplica[]): Promise<void> {
  const streams = await data.streams.lockMany(released.map(({ streamID }) => streamID));
  await data.figures.keepAll(released.map(({ claim, figures }) => ({ ...figures, agentID: claim.agent_id! })));
  const freed = await data.replicas.releaseAll(released.map(({ claim }) => claim));
  const freedStreams = new Set(freed.map(({ stream_id: streamID }) => streamID));
  await wakeAgentsFor(
    data,
    freed.filter(({ wanted }) => wanted !== 'ended'),
  );
  await settleLoss(
    data,
    streams.filter(({ id }) => freedStreams.has(id)),
    handedOver,
  );
}

/** @param dealer null: what is wanted waits for agents to claim it */
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
  await settleLoss(data, streams, agentLost, keptOfFirst(freed, said));
  // At last, as agents that renew their leases wait for these rows until the end of the transaction.
  if (loads.size > 0) await data.replicaLosses.addLoads(loads);
}

/** What the rows of streams keep of what was said of the replicas of their first outputs, by the id of the stream. */
function keptOfFirst(freed: readonly Replica[], said: ReadonlyMap<string, string>): Map<string, KeptFigures> {
  const kept = new Map<string, KeptFigures>();
  for (const { id, stream_id: streamID, output_id: outputID, role } of freed) {
    const stats = said.get(id);
    if (outputID !== null || stats === undefined) continue;
    kept.set(streamID, { ...(kept.get(streamID) ?? { primary: null, backup: null }), [role]: stats });
  }
  return kept;
}

/** Wakes agents up that may take these replicas: one command for each queue, as it only wakes. */
export async function wakeAgentsFor(
  data: Database,
  waiting: readonly Pick<Replica, 'stream_id' | 'backend'>[],
): Promise<void> {
  const oneOfEach = new Map(waiting.map(({ stream_id: streamID, backend }) => [backend, streamID]));
  for (const [backend, streamID] of oneOfEach)
    await data.outbox.send({ queue: `publish-${backend}`, body: { streamID } });
}

/** @param said figures that the rows of the streams do not have yet */
async function settleLoss(
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
  for (const stream of streams) {
    await finishStopping(data, stream);
    if (ended.has(stream.id)) await reconcileOutputs(data, stream, at);
  }
}

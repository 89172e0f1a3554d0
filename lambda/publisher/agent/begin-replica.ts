// Begins to publish a claimed replica: connects it to the database, and to the resources that an agent's streams share.
import type { Database } from '../../data/database.ts';
import { costOfReplica } from '../../data/fleet/replica-costs.ts';
import type { Replica } from '../../data/fleet/replicas.ts';
import { shareOf } from '../../domain/fleet/capacity.ts';
import type { EncoderPace } from '../encoded/encoder-pace.ts';
import type { SharedEncoders } from '../encoded/shared-encoder.ts';
import { SegmentStore } from '../prepared/segment-store.ts';
import { SendSchedule } from '../prepared/send-schedule.ts';
import { ConnectionTurns } from '../replica/connection-turns.ts';
import { HeldReplica } from '../replica/held-replica.ts';
import type { Report } from '../replica/latest-report.ts';
import type { GrownSharesOptions } from './grown-shares.ts';
import { releaseBatch } from './hand-over.ts';
import { loadPublishPlan } from './load-publish-plan.ts';
import type { PublishPlanOptions } from './load-publish-plan.ts';
import { DeliveryMeter } from '../rtmp/delivery-meter.ts';
import type { PublishOptions } from '../destination/publisher.ts';
import { TlsSessions } from '../destination/tls-sessions.ts';
import type { AgentOptions } from './agent-options.ts';
import type { BeginReplica } from './agent-replicas.ts';
import type { ReplicaClaims } from './replica-claims.ts';
import { ReportWriter } from './report-writer.ts';
import { firstEpoch, StartTrace } from './start-trace.ts';
import { SharedTimelines } from './shared-timelines.ts';
import type { TimelineRevisions } from './timeline-revisions.ts';

/** A server whose hook decides about a key may answer after many seconds. Other senders wait for it. */
const connectTimeoutMs = 30_000;
/** Bytes of prepared media in the cache of all streams: the next seconds of about 250 streams at 6 Mbit/s. */
const maxCachedBytes = 512 * 1024 * 1024;

export interface BeginReplicaOptions extends AgentOptions {
  readonly data: Database;
  readonly revisions: Pick<TimelineRevisions, 'of'>;
  readonly pace: EncoderPace;
  readonly encoders: SharedEncoders;
  /** Whether the agent may send. Asked before every write to a destination. */
  readonly maySend: () => boolean;
  readonly makeRoom: ReplicaClaims['makeRoom'];
  readonly takePart: GrownSharesOptions['takePart'];
  readonly heldCosts: PublishPlanOptions['heldCosts'];
  /** When the agent stopped sending for a while, by the steady clock; null: never. */
  readonly silentSinceMs: () => number | null;
}

/** The number of the agent's database connections that may write reports of starts at the same time. */
const startsWrittenAtOnce = 3;

/** Creates the resources that all streams of one agent share. @returns the function that begins a replica with them */
export function replicaBeginner(options: BeginReplicaOptions): BeginReplica {
  const { agentID, pool, data, objects, settings, steadyClock, log, maySend, makeRoom, takePart } = options;
  const turns = new ConnectionTurns();
  const timelines = new SharedTimelines(options.revisions);
  const prepared = {
    store: new SegmentStore({ objects, maxCachedBytes }),
    schedule: new SendSchedule(steadyClock),
  };
  const client: PublishOptions = {
    allowPrivateAddresses: settings.allowPrivateAddresses,
    connectTimeoutMs,
    meter: new DeliveryMeter(),
    tlsSessions: new TlsSessions(),
    maySend,
  };

  const millisecondsSinceAnchor = async (streamID: string) => {
    const { anchored_at: anchoredAt, now } = await data.streams.anchor(streamID);
    return now.getTime() - anchoredAt.getTime();
  };

  // Reports of starts do not wait for those of replicas that the agent takes over at the same time.
  const startReports = new ReportWriter(pool, { needsPlace: false, mostAtOnce: startsWrittenAtOnce });
  const reports = new ReportWriter(pool, { needsPlace: true, mostAtOnce: 1 });
  /** Reports carry the time of the observation by the database's clock, and the figures at the time of writing. */
  const writeReport = ({ observedAtMs, ...report }: Report, userID: string, held: HeldReplica) => {
    const { streamID, claim } = held;
    return (claim.epoch === firstEpoch ? startReports : reports).write({
      streamID,
      userID,
      asOf: (databaseNow) => {
        const now = new Date(databaseNow.getTime() - (steadyClock() - observedAtMs));
        return { ...report, streamID, now, figures: held.sampleFigures(now) };
      },
    });
  };

  /** After a failure the next renewal begins the replica again, as the database still counts it as this agent's. */
  const leave = (held: HeldReplica) => {
    releaseBatch(pool, [held]).catch((error: unknown) =>
      log('agent_hindered', { agentID, work: 'leave', error: String(error) }),
    );
  };

  return (replica: Replica, predecessor, resumed) => {
    const { stream_id: streamID, role, epoch } = replica;
    log('replica_claimed', { agentID, streamID, role, epoch });
    const start = new StartTrace(replica);
    // The user is unknown until the plan is loaded. Until then the stream counts as that of a user of its own.
    let userID = streamID;
    const held: HeldReplica = new HeldReplica({
      replica,
      resumed,
      // The database still says that it is live, as nothing could be reported meanwhile.
      silentSinceMs: resumed && replica.state === 'live' ? options.silentSinceMs() : null,
      share: shareOf(costOfReplica(replica), options.capacity),
      client: { ...client, onUnaccepted: () => turns.leftUnaccepted(userID) },
      loadPlan: start.loadingPlan(async () => {
        await predecessor;
        const plan = await loadPublishPlan({ ...options, prepared, timelines }, replica);
        userID = plan.userID;
        return plan;
      }),
      anchor: () => millisecondsSinceAnchor(streamID),
      turns: start.connecting(turns),
      room: {
        take: (share, begin) =>
          makeRoom(share, begin, { permission: replica.is_unfunded ? () => takePart(replica, share) : undefined }),
        leave: () => leave(held),
      },
      report: async (report) => {
        // A process that the system stopped judges its own sleep. The replica is begun again, and reports that.
        if (report.state !== 'ended' && !maySend()) return true;
        if (report.state === 'live') start.onAir();
        return writeReport(report, userID, held);
      },
      steadyClock,
      log,
      random: options.startOptions.random,
      ...(options.connectionEndsAfterMs && { connectionEndsAfterMs: options.connectionEndsAfterMs }),
    });
    void held.finished.then(() => start.gone());
    return held;
  };
}

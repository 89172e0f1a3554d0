// Actors on streams in tests: a user with streams that can start, and agents that report but send nothing.
import { beforeEach } from 'vitest';
import { databaseOn, inTransaction } from '../../lambda/data/database.ts';
import type { Database } from '../../lambda/data/database.ts';
import type { DueKind } from '../../lambda/data/streams/due-times.ts';
import type { Replica } from '../../lambda/data/fleet/replicas.ts';
import { streamBackends } from '../../lambda/domain/streams/stream-words.ts';
import type { StreamStats } from '../../lambda/data/streams/streams.ts';
import type { StreamBackend } from '../../lambda/domain/streams/stream-words.ts';
import { fireDue } from '../../lambda/orchestration/runs/fire-due.ts';
import { reportReplica } from '../../lambda/orchestration/fleet/replica-reports.ts';
import type { ReplicaReport } from '../../lambda/orchestration/fleet/replica-reports.ts';
import { newID } from '../../lambda/data/shared/new-id.ts';
import { addWitness, endLease, letRenewFor } from './agent-leases.ts';
import { capacityFor, roomFor } from './capacities.ts';
import { pretendProbed, testSettings } from './service.ts';
import type { TestService, TestUser } from './service.ts';
import type { ReplicaState } from '../../lambda/domain/fleet/replica-words.ts';

export const startOptions = {
  settings: testSettings,
  newID: (prefix: string) => newID(prefix, new Date()),
  random: () => 0.5,
};

/** Storage prices for sweeps. */
export const storage = testSettings;

/** The address on which a test's agents listen to each other. */
export const onLoopback = { host: '127.0.0.1', port: 0, address: '127.0.0.1' };

export type Actors = ReturnType<typeof actorsOn>;

/** Before each test of the file, deletes all streams, agents and commands, and creates a new user. */
export function actorsOn(service: TestService) {
  let user: TestUser;
  // Deleting a few rows takes a millisecond, truncating 30.
  const forgotten = ['streams', 'playlists', 'uploads', 'destinations', 'agents', 'outbox'];
  const forgetAll = () => service.pool().query(forgotten.map((table) => `delete from ${table}`).join('; '));
  beforeEach(async () => {
    await forgetAll();
    user = await service.user();
  });

  const data = () => databaseOn(service.pool());
  const transaction = <Result>(work: (data: Database) => Promise<Result>) => inTransaction(service.pool(), work);
  const call = (method: string, path: string, body?: unknown) => user.call(method, path, body);
  const create = async (path: string, body: unknown): Promise<string> => (await call('POST', path, body)).body.id;

  const actors = {
    data,
    transaction,
    call,
    user: () => user,
    /** Deletes all streams, uploads, destinations, agents and commands of every user. */
    forgetAll,
    stream: async (id: string) => (await call('GET', `/streams/${id}`)).body,
    playlist: async (id: string) => (await call('GET', `/playlists/${id}`)).body,

    /** Creates a resource through the API. @returns its id */
    create,
    /** Creates an upload whose bytes were not inspected yet. */
    unprobed: () => create('/uploads', { name: 'clip', mimeType: 'video/mp4' }),
    upload: async (facts?: Parameters<typeof pretendProbed>[2]) => {
      const id = await actors.unprobed();
      await pretendProbed(service, id, facts);
      return id;
    },
    destination: () =>
      create('/destinations', {
        name: 'ingest',
        rtmpURL: 'rtmp://127.0.0.1/live',
        backupRtmpURL: 'rtmp://127.0.0.1/backup',
        streamKey: 'key',
      }),
    readyStream: async (more: object = {}) =>
      create('/streams', {
        videoUploadObjectID: await actors.upload(),
        destinationID: await actors.destination(),
        quality: 'q_720p',
        ...more,
      }),
    /** Schedules a stream that can start, to start in an hour. */
    scheduledStream: async (more: object = {}, schedule: object = {}) => {
      const id = await actors.readyStream(more);
      await call('POST', `/streams/${id}/schedule`, { scheduleStartAt: inFuture(3600), ...schedule });
      return id;
    },
    startedStream: async (more: object = {}) => {
      const id = await actors.readyStream(more);
      await call('POST', `/streams/${id}/start`);
      return id;
    },
    /** Starts a stream that sends, and returns it with its replicas, primary first. The agent holds all of them. */
    activeStream: async (agent: string, more: object = {}) => {
      const id = await actors.startedStream(more);
      const held = (await actors.claim(agent))
        .filter((replica) => replica.stream_id === id)
        .sort((a, b) => b.role.localeCompare(a.role));
      for (const replica of held) await actors.report(replica, 'live');
      return { id, held };
    },

    /** Registers an agent that has been renewing for a while. */
    register: async (id: string, backends: readonly StreamBackend[] = streamBackends) => {
      await data().agents.register({
        id,
        supervisor: `supervisor of ${id}`,
        release: 'test',
        zone: null,
        backends,
        peerURL: null,
        machineSeconds: null,
        capacity: capacityFor(1000, 'ffmpeg'),
      });
      await letRenewFor(service, id, 60);
    },
    /** Claims replicas for an agent with room for this number of encoded streams at 720p30. */
    claim: (agent: string, streams = 1000): Promise<Replica[]> =>
      data().replicaClaims.claim(agent, streamBackends, roomFor(streams)),
    /** Claims replicas for an agent that may be deleted at the same moment: then it gets none. */
    claimUnlessForgotten: async (agent: string): Promise<Replica[]> => {
      try {
        return await actors.claim(agent);
      } catch (error) {
        if ((error as { constraint?: string }).constraint === 'replicas_agent_id_fkey') return [];
        throw error;
      }
    },
    report: (replica: Replica, state: ReplicaState, more: Partial<ReplicaReport> = {}) =>
      transaction((tx) =>
        reportReplica(tx, {
          streamID: replica.stream_id,
          claim: replica,
          state,
          reason: null,
          now: new Date(),
          ...more,
        }),
      ),
    /** Ends the lease of an agent while a witness keeps renewing, so that the agent can be declared dead. */
    loseLease: async (agent: string) => {
      await addWitness(service);
      await endLease(service, agent);
    },

    /** Schedules an action of a stream for now, whether the lifecycle allows it or not. */
    armNow: (streamID: string, kind: DueKind) =>
      service.pool().query('insert into due_times (stream_id, kind, due_at) values ($1, $2, now())', [streamID, kind]),
    /** Makes a scheduled action due now, or due since some seconds ago. */
    fallDue: (streamID: string, kind: DueKind, secondsAgo = 0) =>
      service.pool().query(
        `update due_times set due_at = now() - make_interval(secs => $3)
         where stream_id = $1 and kind = $2`,
        [streamID, kind, secondsAgo],
      ),
    /** Carries out the due actions. */
    fire: () => fireDue(service.pool(), startOptions, () => new Date()),
    /** The actions scheduled for a stream, in alphabetical order. */
    dueKinds: async (streamID: string): Promise<DueKind[]> => {
      const kinds = 'select kind from due_times where stream_id = $1 order by kind';
      return (await service.pool().query(kinds, [streamID])).rows.map((row) => row.kind);
    },
    /** The waiting commands, each with its queue and its body, in the order in which they were sent. */
    commands: async () => (await service.pool().query('select queue, body from outbox order by id')).rows,
    /** The causes of a stream's transitions, in order. */
    causes: async (streamID: string): Promise<string[]> => {
      const causes = 'select cause from stream_transitions where stream_id = $1 order by id';
      return (await service.pool().query(causes, [streamID])).rows.map((row) => row.cause);
    },
  };
  return actors;
}

/** The time this many seconds from now, in the format of requests. */
export function inFuture(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString();
}

/** Figures of a stream that sends, measured now. */
export function statsWith(figures: Partial<StreamStats>): StreamStats {
  const none = {
    secondsInHand: null,
    bitrateKbps: 0,
    framesPerSecond: 0,
    framesSent: 0,
    bytesSent: 0,
    droppedFrames: 0,
    lateFrames: 0,
    reconnects: 0,
    loopCount: 0,
    currentItem: null,
    aired: [],
  };
  return { ...none, sampledAt: new Date().toISOString(), ...figures };
}

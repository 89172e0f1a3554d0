// Who acts on streams in these tests: a user with streams that can start, and agents that claim and report but send nothing.
import { beforeEach } from 'vitest';
import { databaseOn, inTransaction } from '../../lambda/data/database.ts';
import type { Database } from '../../lambda/data/database.ts';
import type { DueKind } from '../../lambda/data/due-times.ts';
import type { Replica, ReplicaState } from '../../lambda/data/replicas.ts';
import { streamBackends } from '../../lambda/data/streams.ts';
import type { StreamBackend, StreamStats } from '../../lambda/data/streams.ts';
import { fireDue } from '../../lambda/orchestration/fire-due.ts';
import { reportReplica } from '../../lambda/orchestration/replica-reports.ts';
import type { ReplicaReport } from '../../lambda/orchestration/replica-reports.ts';
import { newID } from '../../lambda/data/new-id.ts';
import { pretendProbed } from '../support/service.ts';
import type { TestService, TestUser } from '../support/service.ts';

export const starting = {
  settings: { allowPrivateAddresses: true, legacyRtmpURL: null },
  newID: (prefix: string) => newID(prefix, new Date()),
  random: () => 0.5,
};

/** Where agents of a test listen to each other. */
export const onLoopback = { host: '127.0.0.1', port: 0, address: '127.0.0.1' };

export type Actors = ReturnType<typeof actorsOn>;

/** Before each test of the file there are no streams, agents or commands, and a new user. */
export function actorsOn(service: TestService) {
  let user: TestUser;
  beforeEach(async () => {
    await service.pool().query('truncate streams, uploads, destinations, agents, outbox cascade');
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
    stream: async (id: string) => (await call('GET', `/streams/${id}`)).body,
    playlist: async (id: string) => (await call('GET', `/playlists/${id}`)).body,

    /** An upload whose bytes nobody has looked at yet. */
    create,
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
    startedStream: async (more: object = {}) => {
      const id = await actors.readyStream(more);
      await call('POST', `/streams/${id}/start`);
      return id;
    },
    /** A started stream that sends: with its replicas, primary first, all held by `agent`. */
    activeStream: async (agent: string, more: object = {}) => {
      const id = await actors.startedStream(more);
      const held = (await actors.claim(agent))
        .filter((replica) => replica.stream_id === id)
        .sort((a, b) => b.role.localeCompare(a.role));
      for (const replica of held) await actors.report(replica, 'live');
      return { id, held };
    },

    /** An agent that has renewed for a while. */
    register: async (id: string, backends: readonly StreamBackend[] = streamBackends) => {
      await data().agents.register({
        id,
        supervisor: `supervisor of ${id}`,
        release: 'test',
        zone: null,
        backends,
        peerURL: null,
      });
      await service.pool().query(`update agents set renewing_since = now() - interval '1 minute' where id = $1`, [id]);
    },
    claim: (agent: string, freeSlots = 1000): Promise<Replica[]> =>
      data().replicas.claim(agent, streamBackends, freeSlots),
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
    /** Under the eyes of another that has always renewed, and takes nothing. */
    loseLease: async (agent: string) => {
      await service.pool().query(
        `insert into agents (id, supervisor, release, lease_expires_at, renewing_since, is_draining)
         values ('witness', 'supervisor of witness', 'test', 'infinity', '-infinity', true) on conflict do nothing`,
      );
      await service
        .pool()
        .query(`update agents set lease_expires_at = now() - interval '1 second' where id = $1`, [agent]);
    },

    /** Lets something that is armed fall due now, or have been due for a while. */
    fallDue: (streamID: string, kind: DueKind, secondsAgo = 0) =>
      service
        .pool()
        .query(`update due_times set due_at = now() - make_interval(secs => $3) where stream_id = $1 and kind = $2`, [
          streamID,
          kind,
          secondsAgo,
        ]),
    fire: () => fireDue(service.pool(), starting, () => new Date()),
    dueKinds: async (streamID: string): Promise<DueKind[]> =>
      (
        await service.pool().query('select kind from due_times where stream_id = $1 order by kind', [streamID])
      ).rows.map((row) => row.kind),
    /** Bodies of the commands that wait. */
    commands: async () => (await service.pool().query('select queue, body from outbox order by id')).rows,
    causes: async (streamID: string): Promise<string[]> =>
      (
        await service.pool().query('select cause from stream_transitions where stream_id = $1 order by id', [streamID])
      ).rows.map((row) => row.cause),
  };
  return actors;
}

/** So many seconds from now, as requests carry it. */
export function inFuture(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString();
}

/** Figures of a stream that sends, as of now. */
export function statsWith(figures: Partial<StreamStats>): StreamStats {
  const none = {
    bitrateKbps: 0,
    framesPerSecond: 0,
    framesSent: 0,
    bytesSent: 0,
    droppedFrames: 0,
    reconnects: 0,
    loopCount: 0,
    currentItem: null,
  };
  return { ...none, sampledAt: new Date().toISOString(), ...figures };
}

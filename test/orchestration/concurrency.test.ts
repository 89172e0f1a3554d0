// Everything at once on a few streams: no fault of ours, no visible deadlock, and a consistent result.
import { expect, it } from 'vitest';
import { recoverReplicas } from '../../lambda/orchestration/fleet/recover-replicas.ts';
import { publishDraft } from '../../lambda/orchestration/playout/publish-draft.ts';
import type { Replica } from '../../lambda/data/fleet/replicas.ts';
import { isLive } from '../../lambda/domain/streams/stream-lifecycle.ts';
import type { StreamState } from '../../lambda/domain/streams/stream-lifecycle.ts';
import { actorsOn, inFuture } from '../support/actors.ts';
import { makeSomethingDue } from '../support/due-times.ts';
import { seeded } from '../support/seeded.ts';
import { testService } from '../support/service.ts';
import { expectConsistent } from './contradictions.ts';

const service = testService();
const {
  call,
  claimUnlessForgotten,
  commands,
  data,
  destination,
  fire,
  loseLease,
  register,
  report,
  stream,
  transaction,
  upload,
} = actorsOn(service);

const streamCount = 4;
const workers = 8;
const stepsOfEach = 60;
const reason = { code: 'connection_lost', detail: 'x' };

interface World {
  readonly streams: string[];
  readonly playlists: Map<string, string>;
  readonly uploads: readonly string[];
  readonly agents: string[];
  readonly held: Replica[];
  readonly destinationID: string;
}

async function makePlaylist(world: World, streamID: string): Promise<void> {
  const { body } = await call('POST', '/playlists', { streamID, kind: 'video', mode: 'shuffle' });
  // The stream may be missing: another worker may be replacing it.
  if (body.id === undefined) return;
  await call('POST', `/playlists/${body.id}/operations`, { operations: [{ op: 'add', uploadID: world.uploads[0] }] });
  world.playlists.set(streamID, body.id);
}

async function makeStream(world: World): Promise<void> {
  const { body } = await call('POST', '/streams', {
    videoUploadObjectID: world.uploads[0],
    destinationID: world.destinationID,
    quality: 'q_720p',
    agentModeEnabled: true,
    runBackupStream: true,
    streamDuration: 60,
  });
  await makePlaylist(world, body.id);
  world.streams.push(body.id);
}

/** The steps of one worker. @returns a function that carries out one of them */
function stepsOn(world: World, random: () => number) {
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)]!;
  const some = () => pick(world.streams);
  /** Calls the API, which may refuse the call, but may not fail. */
  const tryCall = async (method: string, path: string, sent?: object) => {
    const { status, body } = await call(method, path, sent);
    expect([status < 500, body]).toEqual([true, body]);
  };
  const playlist = () => world.playlists.get(some());
  const settings = () => [
    { name: 'x' },
    { scheduleEndAt: inFuture(900) },
    { status: 'ACTIVE' },
    { status: 'INACTIVE' },
    { videoUploadObjectID: pick(world.uploads) },
  ];
  const everyHour = () => ({
    scheduleStartAt: inFuture(600),
    scheduleEndAt: inFuture(900),
    recurrence: { rule: 'FREQ=HOURLY', timeZone: 'Europe/Berlin' },
  });
  const apply = (...operations: object[]) => tryCall('POST', `/playlists/${playlist()}/operations`, { operations });
  const steps = {
    start: () => tryCall('POST', `/streams/${some()}/start`),
    stop: () => tryCall('POST', `/streams/${some()}/stop`),
    patch: () => tryCall('PATCH', `/streams/${some()}`, pick(settings())),
    adopt: () => tryCall('PATCH', `/streams/${some()}`, { playlistIDs: [playlist()] }),
    schedule: () => tryCall('POST', `/streams/${some()}/schedule`, { scheduleStartAt: inFuture(600) }),
    recur: () => tryCall('POST', `/streams/${some()}/schedule`, everyHour()),
    cancel: () => tryCall('DELETE', `/streams/${some()}/schedule`),
    replace: async () => {
      const [gone] = world.streams.splice(Math.floor(random() * world.streams.length), 1);
      await tryCall('DELETE', `/streams/${gone}`);
      await makeStream(world);
    },
    edit: () => apply({ op: 'add', uploadID: pick(world.uploads) }),
    copy: async () => {
      await apply({ op: 'clear' });
      await tryCall('POST', `/playlists/${playlist()}/copy`, { targetPlaylistID: playlist() });
    },
    replacePlaylist: async () => {
      const streamID = some();
      await tryCall('DELETE', `/playlists/${world.playlists.get(streamID)}`);
      await tryCall('PATCH', `/streams/${streamID}`, { playlistIDs: [] });
      await makePlaylist(world, streamID);
    },
    archive: async () => {
      const [streamID, destinationID] = [some(), await destination()];
      await tryCall('PATCH', `/streams/${streamID}`, { destinationID });
      await Promise.all([
        tryCall('DELETE', `/destinations/${destinationID}`),
        tryCall('POST', `/streams/${streamID}/start`),
      ]);
      await tryCall('PATCH', `/streams/${streamID}`, { destinationID: world.destinationID });
    },
    publish: () => tryCall('POST', `/playlists/${playlist()}/publish`),
    carryOut: async () => {
      const seen = await data().playlists.findAny(playlist()!);
      if (seen)
        await transaction((tx) =>
          publishDraft(tx, seen.id, seen.publish_request, { now: new Date(), random, limitFactor: 100 }),
        );
    },
    deleteUpload: () => tryCall('DELETE', `/uploads/${pick(world.uploads)}`),
    claim: async () => {
      world.held.push(...(await claimUnlessForgotten(pick(world.agents))));
    },
    report: async () => {
      if (world.held.length > 0)
        await report(pick(world.held), pick(['live', 'live', 'failing']), { reason, hopeless: random() < 0.1 });
    },
    end: async () => {
      const { ending } = await data().agentRenewals.renew(pick(world.agents));
      for (const replica of world.held.filter(({ id }) => ending.includes(id))) await report(replica, 'ended');
    },
    fallDue: () => makeSomethingDue(service),
    fire,
    lose: async () => {
      // Another agent replaces the one that dies, as a supervisor would do.
      const place = Math.floor(random() * world.agents.length);
      const [dead] = world.agents.splice(place, 1, `agent ${random()}`);
      await register(world.agents[place]!);
      await (random() < 0.5 ? loseLease(dead!) : data().agents.declareDead(dead!));
      await recoverReplicas(service.pool());
    },
  };
  return () => pick(Object.values(steps))();
}

/** The ids of deleted streams that are still stored because some of their replicas have not ended. */
async function deletedStreams(): Promise<string[]> {
  const { rows } = await service.pool().query<{ id: string }>('select id from streams where deleted_at is not null');
  return rows.map(({ id }) => id);
}

/** Stops all streams, and ends all replicas that agents still hold. */
async function stopEverything(world: World): Promise<void> {
  for (const id of world.streams) await call('POST', `/streams/${id}/stop`);
  const { rows: held } = await service.pool().query<Replica>('select * from replicas where agent_id is not null');
  for (const replica of held) await report(replica, 'ended');
}

it.each([1, 2, 3])(
  'eight workers leave consistent streams that can be stopped: seed %i',
  { timeout: 60_000 },
  async (seed) => {
    const world: World = {
      streams: [],
      playlists: new Map(),
      agents: ['agent 1', 'agent 2', 'agent 3'],
      held: [],
      destinationID: await destination(),
      uploads: await Promise.all(Array.from({ length: 4 }, () => upload())),
    };
    for (const agent of world.agents) await register(agent);
    for (let count = 0; count < streamCount; count++) await makeStream(world);

    await Promise.all(
      Array.from({ length: workers }, async (_, worker) => {
        const step = stepsOn(world, seeded(seed * 1000 + worker));
        for (let count = 0; count < stepsOfEach; count++) await step();
      }),
    );
    expect(service.logged.filter((line) => line.includes('deadlock'))).toEqual([]);
    await expectConsistent(service.pool());

    await recoverReplicas(service.pool());
    await stopEverything(world);
    await expectConsistent(service.pool());
    const states = await Promise.all(world.streams.map(async (id) => (await stream(id)).state as StreamState));
    expect(states.filter((state) => isLive(state))).toEqual([]);
    expect(await deletedStreams()).toEqual([]);
    const playing = (await commands()).filter(({ body }) => body.streamID !== undefined).map(({ queue }) => queue);
    expect(new Set(playing).difference(new Set(['publish-ffmpeg'])).size).toBe(0);
  },
);

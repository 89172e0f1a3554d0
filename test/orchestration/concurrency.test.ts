// Everything at once on a few streams: nothing fails by our fault, no deadlock escapes, and what is left is consistent.
import { expect, it } from 'vitest';
import { recoverReplicas } from '../../lambda/orchestration/recover-replicas.ts';
import { publishPlaylist } from '../../lambda/orchestration/publish-playlist.ts';
import type { Replica } from '../../lambda/data/replicas.ts';
import { isLive } from '../../lambda/domain/stream-lifecycle.ts';
import type { StreamState } from '../../lambda/domain/stream-lifecycle.ts';
import { testService } from '../support/service.ts';
import { actorsOn, inFuture } from './actors.ts';
import { expectConsistent } from './contradictions.ts';

const service = testService();
const actors = actorsOn(service);
const { call, claim, commands, data, destination, fire, loseLease, register, report, stream, transaction, upload } =
  actors;

const streamCount = 4;
const workers = 8;
const stepsOfEach = 60;
const reason = { code: 'connection_lost', detail: 'x' };

/** The same sequence for the same seed (a linear congruential generator, constants of Numerical Recipes). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

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
  // Its stream is being replaced at this moment.
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

function stepsOn(world: World, random: () => number) {
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)]!;
  const some = () => pick(world.streams);
  const agree = (work: Promise<{ status: number; body: unknown }>) =>
    work.then(({ status, body }) => expect([status < 500, body]).toEqual([true, body]));
  const playlist = () => world.playlists.get(some());
  const steps = {
    start: () => agree(call('POST', `/streams/${some()}/start`)),
    stop: () => agree(call('POST', `/streams/${some()}/stop`)),
    patch: () =>
      agree(
        call(
          'PATCH',
          `/streams/${some()}`,
          pick([
            { name: 'x' },
            { scheduleEndAt: inFuture(900) },
            { status: 'ACTIVE' },
            { status: 'INACTIVE' },
            { videoUploadObjectID: pick(world.uploads) },
          ]),
        ),
      ),
    adopt: () => agree(call('PATCH', `/streams/${some()}`, { playlistIDs: [playlist()] })),
    schedule: () => agree(call('POST', `/streams/${some()}/schedule`, { scheduleStartAt: inFuture(600) })),
    recur: () =>
      agree(
        call('POST', `/streams/${some()}/schedule`, {
          scheduleStartAt: inFuture(600),
          scheduleEndAt: inFuture(900),
          recurrence: { rule: 'FREQ=HOURLY', timeZone: 'Europe/Berlin' },
        }),
      ),
    cancel: () => agree(call('DELETE', `/streams/${some()}/schedule`)),
    replace: async () => {
      const [gone] = world.streams.splice(Math.floor(random() * world.streams.length), 1);
      await agree(call('DELETE', `/streams/${gone}`));
      await makeStream(world);
    },
    edit: () =>
      agree(
        call('POST', `/playlists/${playlist()}/operations`, {
          operations: [{ op: 'add', uploadID: pick(world.uploads) }],
        }),
      ),
    copy: async () => {
      await agree(call('POST', `/playlists/${playlist()}/operations`, { operations: [{ op: 'clear' }] }));
      await agree(call('POST', `/playlists/${playlist()}/copy`, { targetPlaylistID: playlist() }));
    },
    replacePlaylist: async () => {
      const streamID = some();
      await agree(call('DELETE', `/playlists/${world.playlists.get(streamID)}`));
      await agree(call('PATCH', `/streams/${streamID}`, { playlistIDs: [] }));
      await makePlaylist(world, streamID);
    },
    archive: async () => {
      const [streamID, destinationID] = [some(), await destination()];
      await agree(call('PATCH', `/streams/${streamID}`, { destinationID }));
      await Promise.all([
        agree(call('DELETE', `/destinations/${destinationID}`)),
        agree(call('POST', `/streams/${streamID}/start`)),
      ]);
      await agree(call('PATCH', `/streams/${streamID}`, { destinationID: world.destinationID }));
    },
    publish: () => agree(call('POST', `/playlists/${playlist()}/publish`)),
    carryOut: async () => {
      const seen = await data().playlists.findAny(playlist()!);
      if (seen) await transaction((tx) => publishPlaylist(tx, seen.id, seen.publish_request, new Date(), random));
    },
    deleteUpload: () => agree(call('DELETE', `/uploads/${pick(world.uploads)}`)),
    claim: async () => {
      // An agent that is being forgotten at this moment gets nothing.
      const claimed = await claim(pick(world.agents)).catch((error: { constraint?: string }) => {
        if (error.constraint !== 'replicas_agent_id_fkey') throw error;
        return [];
      });
      world.held.push(...claimed);
    },
    report: async () => {
      if (world.held.length > 0)
        await report(pick(world.held), pick(['live', 'live', 'failing']), { reason, hopeless: random() < 0.1 });
    },
    end: async () => {
      const { ending } = await data().agents.renew(pick(world.agents));
      for (const replica of world.held.filter(({ id }) => ending.includes(id))) await report(replica, 'ended');
    },
    fallDue: () =>
      service
        .pool()
        .query(
          'update due_times set due_at = now() where ctid in (select ctid from due_times for update skip locked limit 1)',
        ),
    fire,
    lose: async () => {
      // Another takes its place, as its supervisor would see to.
      const place = Math.floor(random() * world.agents.length);
      const [dead] = world.agents.splice(place, 1, `agent ${random()}`);
      await register(world.agents[place]!);
      await (random() < 0.5 ? loseLease(dead!) : data().agents.remove(dead!));
      await recoverReplicas(service.pool());
    },
  };
  return () => pick(Object.values(steps))();
}

it.each([1, 2, 3])('seed %i', { timeout: 60_000 }, async (seed) => {
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
  // Agents carry out what is asked of them, and everything comes to rest.
  for (const id of world.streams) await call('POST', `/streams/${id}/stop`);
  const { rows: left } = await service.pool().query<Replica>(`select * from replicas where agent_id is not null`);
  for (const replica of left) await report(replica, 'ended');
  await expectConsistent(service.pool());
  const states = await Promise.all(world.streams.map(async (id) => (await stream(id)).state as StreamState));
  expect(states.filter((state) => isLive(state))).toEqual([]);
  expect((await service.pool().query('select from streams where deleted_at is not null')).rowCount).toBe(0);
  const playing = (await commands()).filter(({ body }) => body.streamID !== undefined).map(({ queue }) => queue);
  expect(new Set(playing).difference(new Set(['publish-ffmpeg'])).size).toBe(0);
});

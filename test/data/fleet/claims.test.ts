// Claims: each replica goes to one agent, oldest first, as far as it fits; renewals and figures never wait.
import { describe, expect, it } from 'vitest';
import { publishDraft } from '../../../lambda/orchestration/playout/publish-draft.ts';
import { recoverReplicas } from '../../../lambda/orchestration/fleet/recover-replicas.ts';
import { costOfReplica } from '../../../lambda/data/fleet/replica-costs.ts';
import { costOfSlot, roomOf, shareOf } from '../../../lambda/domain/fleet/capacity.ts';
import { actorsOn, statsWith } from '../../support/actors.ts';
import { declareDead } from '../../support/agent-leases.ts';
import { intervalsOf } from '../../support/books.ts';
import { makeEverythingDue } from '../../support/due-times.ts';
import { clearCommands } from '../../support/outbox-rows.ts';
import { capacityFor, roomFor } from '../../support/capacities.ts';
import { letReplicasWait } from '../../support/replica-claims.ts';
import { testService } from '../../support/service.ts';

const service = testService();
const {
  activeStream,
  call,
  claim,
  data,
  loseLease,
  readyStream,
  register,
  report,
  startedStream,
  stream,
  transaction,
  upload,
  user,
} = actorsOn(service);

/** Starts a stream of each quality. @returns their ids */
async function waiting(qualities: readonly string[]): Promise<string[]> {
  const ids = [];
  for (const quality of qualities) ids.push(await startedStream({ quality }));
  return ids;
}

describe('claiming', () => {
  it('gives each replica to exactly one of five agents at once', async () => {
    const ids = await waiting(Array.from({ length: 12 }, () => 'q_720p'));
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) await register(name);
    const claimed = await Promise.all(names.flatMap((name) => [claim(name, 2), claim(name, 2)]));
    const rest = await Promise.all(names.map((name) => claim(name, 12)));
    const all = [...claimed, ...rest].flat();
    expect(all.map((replica) => replica.stream_id).sort()).toEqual(ids.toSorted());
    expect(all.every((replica) => replica.epoch === 1 && replica.state === 'connecting')).toBe(true);
    for (const replicas of claimed) expect(replicas.length).toBeLessThanOrEqual(2);
  });

  it('passes over what another agent claims at the same moment, instead of waiting for it', async () => {
    const [first, second] = await waiting(['q_720p', 'q_720p']);
    await register('a');
    await register('b');
    await transaction(async (tx) => {
      expect(await tx.replicaClaims.claim('a', ['ffmpeg'], roomFor(1))).toMatchObject([{ stream_id: first }]);
      expect(await claim('b', 1)).toMatchObject([{ stream_id: second }]);
    });
  });

  it('takes the oldest replicas that fit into its room, and nothing without room', async () => {
    const [large, small, smaller] = await waiting(['q_1440p', 'q_1080p', 'q_720p']);
    await register('a');
    const claimed = async (room: number) => (await claim('a', room)).map((replica) => replica.stream_id).sort();
    expect(await claimed(0)).toEqual([]);
    expect(await claimed(6.5)).toEqual([large, small].sort());
    expect(await claimed(6.5)).toEqual([smaller]);
  });

  it('computes shares as the domain does', async () => {
    const [first, second] = await waiting(['q_1080p', 'q_720p']);
    await register('a');
    const capacity = capacityFor(3, 'ffmpeg');
    const shares = (await service.pool().query('select * from replicas order by requested_at')).rows.map((row) =>
      shareOf(costOfReplica(row), capacity),
    );
    const justEnough = roomOf(capacity, 1 - shares[0]! - shares[1]!, ['ffmpeg']);
    const tooLittle = roomOf(capacity, 1.001 - shares[0]! - shares[1]!, ['ffmpeg']);
    await transaction(async (tx) => {
      expect(await tx.replicaClaims.claim('a', ['ffmpeg'], tooLittle)).toMatchObject([{ stream_id: first }]);
      await tx.replicas.endAll([first!]);
    });
    expect(await claim('a', 0.99)).toEqual([]);
    expect(await claim('a', 1)).toMatchObject([{ stream_id: second }]);
    expect(justEnough.share).toBeCloseTo(shares[0]! + shares[1]!);
  });

  it('counts the decoding of the most expensive source, also of what is published while live', async () => {
    const heavy = await upload({ decodeCost: 12 });
    const still = await upload({ durationSeconds: null, videoCodec: 'png', audioCodec: null });
    const [video, image] = [await upload({ decodeCost: 1 }), await startedStream({ videoUploadObjectID: still })];
    const id = await readyStream({ videoUploadObjectID: null, quality: 'q_720p', framerate: 'f_30' });
    const playlistID = (await call('POST', '/playlists', { streamID: id, kind: 'video', mode: 'shuffle' })).body.id;
    const add = (...ids: string[]) => {
      const operations = ids.map((uploadID) => ({ op: 'add', uploadID }));
      return call('POST', `/playlists/${playlistID}/operations`, { operations });
    };
    await add(video, still);
    await call('POST', `/streams/${id}/start`);
    const coresOf = async (streamID: string) => costOfReplica((await data().replicas.ofStream(streamID))[0]!).cores;
    const slot = costOfSlot('ffmpeg').cores;
    expect(await coresOf(id)).toBeCloseTo(slot);
    expect(await coresOf(image)).toBeLessThan(slot);
    await add(heavy);
    await call('POST', `/playlists/${playlistID}/publish`);
    const request = (await data().playlists.findAny(playlistID))!.publish_request;
    await transaction((tx) =>
      publishDraft(tx, playlistID, request, { now: new Date(), random: () => 0, limitFactor: 100 }),
    );
    expect(await coresOf(id)).toBeCloseTo(slot + 11 * 0.083);
    await register('a');
    expect(await claim('a', 2)).toMatchObject([{ stream_id: image }]);
  });

  it('is not held up by a replica that is too large for the agent', async () => {
    const [huge, small] = await waiting(['q_2160p', 'q_720p']);
    await register('small');
    await register('large');
    expect(await claim('small', 4)).toMatchObject([{ stream_id: small }]);
    expect(await claim('large', 9)).toMatchObject([{ stream_id: huge }]);
  });

  it('takes a start in turn with what lost its agent, however much of that has waited for longer', async () => {
    await register('lost');
    await register('a');
    const lost = await waiting(['q_720p', 'q_720p', 'q_720p']);
    await claim('lost');
    await loseLease('lost');
    await recoverReplicas(service.pool());
    const [started] = await waiting(['q_720p']);
    expect((await claim('a', 2)).map((replica) => replica.stream_id).sort()).toEqual([lost[0], started].sort());
    expect((await claim('a', 2)).map((replica) => replica.stream_id).sort()).toEqual(lost.slice(1).sort());
  });

  it('takes no more than the agent asks for, even where more would fit', async () => {
    await waiting(['q_720p', 'q_720p', 'q_720p']);
    await register('a');
    const two = { ...roomFor(10), streams: 2 };
    expect(await data().replicaClaims.claim('a', ['ffmpeg'], two)).toHaveLength(2);
    expect(await data().replicaClaims.claim('a', ['ffmpeg'], two)).toHaveLength(1);
  });

  it('takes only replicas of a backend that the agent has, and of streams that should run', async () => {
    const [stopped, wanted] = await waiting(['q_720p', 'q_720p']);
    await call('POST', `/streams/${stopped}/stop`);
    await register('a');
    expect(await data().replicaClaims.claim('a', ['manifest'], roomFor(10))).toEqual([]);
    expect(await claim('a')).toMatchObject([{ stream_id: wanted }]);
  });

  it('leaves no replica that nobody ends when its stream is stopped at the same moment', async () => {
    await register('a');
    for (let round = 0; round < 10; round++) {
      const id = await startedStream();
      const [stopped, claimed] = await Promise.all([call('POST', `/streams/${id}/stop`), claim('a')]);
      const { ending } = await data().agentRenewals.renew('a');
      expect([stopped.body.state, ending]).toEqual(
        claimed.length > 0 ? ['stopping', [claimed[0]!.id]] : ['stopped', []],
      );
      for (const replica of claimed) await report(replica, 'ended');
    }
  });
});

describe('an agent whose lease is over', () => {
  it('is given nothing, neither what waits nor what is offered', async () => {
    for (const name of ['holder', 'late', 'dead']) await register(name);
    await activeStream('holder');
    await data().replicaClaims.offer('holder');
    await startedStream();
    await loseLease('late');
    await declareDead(service, 'dead');
    for (const name of ['late', 'dead']) {
      expect(await claim(name)).toEqual([]);
      expect(await data().replicaClaims.succeed(name, ['ffmpeg'], roomFor(10))).toEqual([]);
    }
  });
});

describe('renewing', () => {
  it('tells the agent what to end, what waits or is due, who is dead, and what time it is', async () => {
    for (const name of ['a', 'b', 'dead']) await register(name);
    const mine = await activeStream('a');
    const theirs = await activeStream('b');
    for (const { id } of [mine, theirs]) await call('POST', `/streams/${id}/stop`);
    await startedStream();
    await makeEverythingDue(service);
    await loseLease('dead');
    for (const { id, held } of [mine, theirs]) await data().previews.look(id, held[0]!.id);
    const { now, renewingForMs, holdingHash, ...renewal } = await data().agentRenewals.renew('a');
    expect(holdingHash).not.toBe('0');
    expect(renewingForMs).toBeGreaterThan(0);
    expect(renewal).toEqual({
      leaseHolds: true,
      holding: new Map([[mine.held[0]!.id, 1]]),
      ending: [mine.held[0]!.id],
      isAnyWaiting: true,
      isAnyDue: true,
      isAnyToRecover: true,
      isAnyUnsent: true,
      isMediaPlaceElsewhere: false,
      lookedAt: [{ streamID: mine.id, replicaID: mine.held[0]!.id, role: 'primary' }],
    });
    expect(now).toBeInstanceOf(Date);
    expect(await data().agentRenewals.renew('never registered')).toMatchObject({ leaseHolds: false });
  });

  it('tells again what the agent holds where that has changed, and only there', async () => {
    await register('a');
    const nothing = await data().agentRenewals.renew('a');
    const { held } = await activeStream('a');
    const one = await data().agentRenewals.renew('a', undefined, nothing);
    expect(one.holding).toEqual(new Map([[held[0]!.id, 1]]));
    expect((await data().agentRenewals.renew('a', undefined, one)).holding).toBe(one.holding);
    await service.pool().query('update replicas set epoch = epoch + 1');
    const later = await data().agentRenewals.renew('a', undefined, one);
    expect(later.holding).toEqual(new Map([[held[0]!.id, 2]]));
    await service.pool().query('update replicas set agent_id = null');
    expect((await data().agentRenewals.renew('a', undefined, later)).holding).toEqual(new Map());
  });

  it('tells the agent that there is nothing to do', async () => {
    await register('a');
    await activeStream('a');
    await clearCommands(service);
    expect(await data().agentRenewals.renew('a')).toMatchObject({
      ending: [],
      isAnyWaiting: false,
      isAnyDue: false,
      isAnyToRecover: false,
      isAnyUnsent: false,
      lookedAt: [],
    });
  });

  it('does not wait for a stream that somebody else has locked, nor does saying figures', async () => {
    await register('a');
    const [locked, free] = [await activeStream('a'), await activeStream('a')];
    const stats = statsWith({ framesSent: 7 });
    const figures = [...locked.held, ...free.held].map(({ id, epoch }) => ({ replicaID: id, epoch, stats }));
    await transaction(async (tx) => {
      await tx.streams.lockAny(locked.id);
      await data().figures.write('a', figures);
      expect((await data().agentRenewals.renew('a')).leaseHolds).toBe(true);
    });
    const framesSent = async (id: string) => (await call('GET', `/streams/${id}/stats`)).body.framesSent;
    expect([await framesSent(locked.id), await framesSent(free.id)]).toEqual([7, 7]);
  });
});

describe('the two replicas of a stream', () => {
  const both = { agentModeEnabled: true, runBackupStream: true };
  const registerInZone = async (zone: string, ...names: readonly string[]) => {
    for (const name of names) await register(name);
    await service.pool().query('update agents set zone = $2 where id = any ($1)', [names, zone]);
  };
  const roles = async (agent: string) => (await claim(agent)).map(({ role }) => role);

  it('go to different agents, the backup once the primary is held', async () => {
    for (const name of ['a', 'b']) await register(name);
    await startedStream(both);
    expect(await roles('a')).toEqual(['primary']);
    expect(await roles('a')).toEqual([]);
    expect(await roles('b')).toEqual(['backup']);
  });

  it('go to different zones where there are any, and after a while to the same', async () => {
    await registerInZone('east', 'a', 'b');
    await registerInZone('west', 'c');
    await startedStream(both);
    expect(await roles('a')).toEqual(['primary']);
    expect(await roles('b')).toEqual([]);
    await letReplicasWait(service, 6);
    expect(await roles('a')).toEqual([]);
    expect(await roles('b')).toEqual(['backup']);
    await startedStream(both);
    expect(await roles('b')).toEqual(['primary']);
    expect(await roles('c')).toEqual(['backup']);
  });

  it('go to different regions where there are any, and after a while to another zone', async () => {
    await registerInZone('us-east-1a', 'a');
    await registerInZone('us-east-1b', 'b');
    await registerInZone('eu-central-1a', 'c');
    await startedStream(both);
    expect(await roles('a')).toEqual(['primary']);
    expect(await roles('b')).toEqual([]);
    expect(await roles('c')).toEqual(['backup']);
    await startedStream(both);
    expect(await roles('a')).toEqual(['primary']);
    await letReplicasWait(service, 6);
    expect(await roles('b')).toEqual(['backup']);
  });

  it('go to one agent where no other can take the second, or none has for a while', async () => {
    await register('only');
    await register('prepares', []);
    await register('manifest', ['manifest']);
    await startedStream(both);
    expect((await roles('only')).sort()).toEqual(['backup', 'primary']);
    await register('other');
    const id = await startedStream(both);
    expect(await roles('only')).toEqual(['primary']);
    await letReplicasWait(service, 31);
    expect((await claim('only')).map(({ role, stream_id: stream }) => [role, stream])).toEqual([['backup', id]]);
  });
});

describe('a hand-over', () => {
  /** A stream that agent `a` sends and agent `b` is about to take over. */
  const offered = async () => {
    for (const name of ['a', 'b']) await register(name);
    const made = await activeStream('a');
    expect(await data().replicaClaims.offer('a')).toMatchObject([{ stream_id: made.id }]);
    const [successor] = await data().replicaClaims.succeed('b', ['ffmpeg'], roomFor(10));
    return { id: made.id, held: made.held[0]!, successor: successor! };
  };

  it('happens when the successor is live, and not before', async () => {
    const { held, successor } = await offered();
    expect(successor).toMatchObject({ id: held.id, agent_id: 'b', epoch: held.epoch + 1, at_backup_url: true });
    expect((await data().agentRenewals.renew('b')).holding).toEqual(new Map([[held.id, successor.epoch]]));
    expect(await report(successor, 'failing', { reason: { code: 'unreachable', detail: 'It is.' } })).toBe(true);
    expect(await data().replicas.find(held.id)).toMatchObject({
      agent_id: 'a',
      state: 'live',
      reason: null,
      epoch: held.epoch,
    });
    expect(await report(successor, 'live')).toBe(true);
    expect(await data().replicas.find(held.id)).toMatchObject({
      agent_id: 'b',
      state: 'live',
      epoch: held.epoch + 1,
      at_backup_url: true,
    });
    expect(await report(held, 'live')).toBe(false);
    expect((await data().agentRenewals.renew('a')).holding).toEqual(new Map());
  });

  it('is over for the successor when the stream is stopped', async () => {
    const stopped = await offered();
    await call('POST', `/streams/${stopped.id}/stop`);
    expect((await data().agentRenewals.renew('b')).holding).toEqual(new Map());
    expect(await report(stopped.successor, 'live')).toBe(false);
    await report(stopped.held, 'ended');
  });

  it('makes the stream active again where the holder failed before it, and opens an interval', async () => {
    const { id, held, successor } = await offered();
    await report(held, 'failing', { reason: { code: 'connection_lost', detail: 'It was.' } });
    expect((await stream(id)).state).toBe('failing');
    expect(await report(successor, 'live')).toBe(true);
    expect((await stream(id)).state).toBe('active');
    const intervals = await intervalsOf(service, user().id);
    expect(intervals.map((interval) => [interval.stream_id, interval.agent_id, interval.ended_at === null])).toEqual([
      [id, 'a', false],
      [id, 'b', true],
    ]);
  });

  it('that came to nothing is not mixed up with what its successor claims later', async () => {
    const { id, held, successor } = await offered();
    expect(await data().replicas.release(held)).toBe(true);
    const [claimed] = await claim('b');
    expect(claimed).toMatchObject({ stream_id: id, agent_id: 'b', at_backup_url: false });
    expect(await report(successor, 'live')).toBe(false);
    expect(await report(claimed!, 'live')).toBe(true);
  });

  it('is offered only where another agent lives that can take the replica', async () => {
    await register('a');
    await activeStream('a');
    await register('manifest', ['manifest']);
    expect(await data().replicaClaims.offer('a')).toEqual([]);
    expect(await data().agents.drain('a')).toBe(false);
    await register('b');
    expect(await data().agents.drain('a')).toBe(true);
    await data().agents.drain('b');
    expect(await data().replicaClaims.offer('a')).toEqual([]);
    expect(await data().agents.drain('a')).toBe(false);
    await register('c');
    expect(await data().replicaClaims.offer('a')).toHaveLength(1);
  });
});

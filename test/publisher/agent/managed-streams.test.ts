// Streams to a connected channel: agents publish to the platform's ingest and to its backup.
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { launchOnIngest } from '../../../lambda/orchestration/runs/launch-stream.ts';
import { actorsOn } from '../../support/actors.ts';
import { startFaultyIngest } from '../../support/faulty-ingest.ts';
import type { FaultyIngest } from '../../support/faulty-ingest.ts';
import { managedActors } from '../../support/managed-streams.ts';
import { fleetOfFile } from '../../support/prepared-fleet.ts';
import { testService } from '../../support/service.ts';

const service = testService();
const actors = actorsOn(service);
const { call, create, stream, transaction, upload } = actors;
const { onChannel, storeIngest } = managedActors(service, actors);
const fleet = fleetOfFile(service, actors);
let ingest: FaultyIngest;
beforeEach(async () => {
  ingest = await startFaultyIngest();
  onTestFinished(() => ingest[Symbol.asyncDispose]());
});
const pictures = (path: string) => ingest.keys.get(path)?.publications[0]?.pictures ?? 0;
const urls = () => ({ url: ingest.rtmpURL, backupURL: ingest.rtmpURL.replace(/live$/, 'backup'), key: 'secret-key' });
const startedStream = async (more: object) => {
  const videoUploadObjectID = await upload({ durationSeconds: 2 });
  const format = { quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264' };
  const id = await create('/streams', { ...(await onChannel()), ...format, ...more, videoUploadObjectID });
  await call('POST', `/streams/${id}/start`);
  return id;
};

describe('a stream to a channel', { timeout: 60_000 }, () => {
  it.each(['ffmpeg', 'manifest'] as const)('is sent by %s to its ingest, once that is known', async (backend) => {
    fleet().agent('agent');
    const id = await startedStream({ streamBackend: backend });
    await storeIngest(id, urls());
    await transaction((tx) => launchOnIngest(tx, id));
    await expect.poll(() => pictures('live/secret-key')).toBeGreaterThan(30);
    await expect.poll(async () => (await stream(id)).state).toBe('active');
    await call('POST', `/streams/${id}/stop`);
    await expect.poll(async () => (await stream(id)).state).toBe('stopped');
  });

  it('is sent to both addresses where it has a backup', async () => {
    for (const agentID of ['first', 'second']) fleet().agent(agentID);
    const id = await startedStream({ streamBackend: 'manifest', agentModeEnabled: true, runBackupStream: true });
    await storeIngest(id, urls());
    await transaction((tx) => launchOnIngest(tx, id));
    for (const path of ['live/secret-key', 'backup/secret-key'])
      await expect.poll(() => pictures(path)).toBeGreaterThan(30);
  });

  it('is handed over at the backup address', async () => {
    const first = fleet().agent('first');
    const id = await startedStream({ streamBackend: 'manifest' });
    await storeIngest(id, urls());
    await transaction((tx) => launchOnIngest(tx, id));
    await expect.poll(() => pictures('live/secret-key')).toBeGreaterThan(30);
    fleet().agent('second');
    await fleet().untilPeers('first');
    await first.stop();
    expect(pictures('backup/secret-key')).toBeGreaterThan(0);
    expect((await stream(id)).state).toBe('active');
  });
});

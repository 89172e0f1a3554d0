// A live-encoded stream to five outputs: one encoder, the same pictures, and independent outputs.
import { expect, it } from 'vitest';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import type { RtmpMessage } from '../../../lambda/publisher/rtmp/message.ts';
import { messageType } from '../../../lambda/publisher/rtmp/message.ts';
import { actorsOn } from '../../support/actors.ts';
import { mediaSample } from '../../support/media-samples.ts';
import { testService } from '../../support/service.ts';
import { startTestAgent } from '../../support/test-agent.ts';
import { samplesOfFile } from '../../support/test-samples.ts';
import { startScriptedServer } from '../rtmp/scripted-server.ts';
import type { ScriptedServer } from '../rtmp/scripted-server.ts';

const tools = await findMediaTools(process.env);
const service = testService();
const { call, create, readyStream, upload } = actorsOn(service);
const samples = samplesOfFile();

function pictures(messages: readonly RtmpMessage[] = []): RtmpMessage[] {
  return messages.filter(({ type, payload }) => type === messageType.video && payload[1] === 1);
}

const destinationAt = ({ rtmpURL }: ScriptedServer) =>
  create('/destinations', { name: 'x', rtmpURL, streamKey: 'key' });

it(
  'five outputs get the same pictures of one encoder, and go on while one is reset',
  { timeout: 120_000 },
  async () => {
    const clip = await mediaSample('plain.mp4');
    let opened = 0;
    const mediaURL = () => {
      opened++;
      return samples.urlOf(clip);
    };
    const servers = await Promise.all(Array.from({ length: 5 }, () => startScriptedServer()));
    await using closing = new AsyncDisposableStack();
    for (const server of servers) closing.use(server);
    const id = await readyStream({
      videoUploadObjectID: await upload({ durationSeconds: 2 }),
      destinationID: await destinationAt(servers[0]!),
    });
    const added = servers.slice(1, 4);
    for (const server of added)
      await call('POST', `/streams/${id}/outputs`, { destinationID: await destinationAt(server) });
    const agent = startTestAgent(service, { agentID: 'agent', tools, log: () => {}, mediaURL });
    await call('POST', `/streams/${id}/start`);
    const framesOf = (index: number, connection = 0) =>
      pictures(servers[index]!.connections[connection]?.received).map(({ payload }) => payload.toString('base64'));
    await expect.poll(() => framesOf(3).length).toBeGreaterThan(60);

    // One output is added while the others are live, and one of these is reset.
    await call('POST', `/streams/${id}/outputs`, { destinationID: await destinationAt(servers[4]!) });
    await expect.poll(() => framesOf(4).length).toBeGreaterThan(30);
    servers[1]!.connections[0]!.socket.resetAndDestroy();
    await expect.poll(() => framesOf(1, 1).length).toBeGreaterThan(60);
    await agent.stop();

    const first = framesOf(0);
    const pictureTimes = pictures(servers[0]!.connections[0]!.received).map(({ timestampMs }) => timestampMs);
    expect(pictureTimes).toEqual(pictureTimes.map((_, index) => Math.round((index * 1000) / 30)));
    for (const [index, connection] of [
      [1, 0],
      [2, 0],
      [3, 0],
      [4, 0],
      [1, 1],
    ] as const) {
      const frames = framesOf(index, connection);
      expect(frames.length).toBeGreaterThan(30);
      // Laps may look alike: the output begins at one of the occurrences of this picture in the first output.
      const isSameFrom = (begins: number) =>
        frames.slice(0, first.length - begins).every((frame, place) => frame === first[begins + place]);
      const places = first.flatMap((frame, place) => (frame === frames[0] && first.length - place > 30 ? [place] : []));
      expect(places.some(isSameFrom)).toBe(true);
    }
    for (const index of [0, 2, 3, 4]) expect(servers[index]!.connections).toHaveLength(1);
    // Each lap of two seconds is opened once for all outputs, and the next one in advance.
    const laps = Math.ceil(first.length / 60);
    expect(opened).toBeLessThanOrEqual(laps + 3);
  },
);

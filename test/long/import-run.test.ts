// A link becomes a playable upload in a real local run, although the fetching process is killed meanwhile.
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { partBytes } from '../../lambda/domain/media/upload-parts.ts';
import { anyBytes, sendFile, startSource } from '../imports/source-server.ts';
import { startLocalRun, temporaryDataFolder, until } from '../support/local-run.ts';
import { mediaSample } from '../support/media-samples.ts';
import { nodeProcessesOf, survivorsOf } from '../support/processes.ts';
import type { ProcessIdentity } from '../support/processes.ts';

it('an import survives the death of its worker, and its upload is examined', { timeout: 90_000 }, async () => {
  const clip = await readFile(await mediaSample('plain.mp4'));
  // A box that parsers skip (ISO/IEC 14496-12, 8.1.2) makes the file longer than two parts.
  const filler = anyBytes(2 * partBytes);
  filler.writeUInt32BE(filler.length);
  filler.write('free', 4);
  const file = Buffer.concat([clip, filler]);
  await using source = await startSource((request, response, number) => {
    if (number > 1)
      return sendFile(file, request, response, { headers: { 'content-type': 'application/octet-stream' } });
    response.writeHead(200, { 'content-length': file.length, etag: '"one"' }).write(file.subarray(0, partBytes + 1000));
  });

  const data = await temporaryDataFolder();
  const run = await startLocalRun(data.path, '--no-demo');
  try {
    const { id } = await run.api('POST', '/uploads/import', { url: source.url('/holiday.mp4') });
    const look = () => run.api('GET', `/uploads/${id}`);
    await until(async () => (await look()).externalSource.bytesReceived === partBytes + 1000);
    const [agent] = (await nodeProcessesOf(run.process.pid!)) as [ProcessIdentity];
    process.kill(agent.pid, 'SIGKILL');
    expect(await survivorsOf([agent], 5000)).toEqual([]);
    await until(async () => (await look()).probeState !== 'pending');
    expect(await look()).toMatchObject({
      name: 'holiday.mp4',
      mimeType: 'video/mp4',
      type: 'video',
      fileSize: file.length,
      uploaded: true,
      probeState: 'completed',
      failure: null,
      width: 640,
      height: 360,
      framerate: 30,
      videoCodec: 'h264',
      audioCodec: 'aac',
      externalSource: { state: 'completed', bytesReceived: file.length, failure: null },
    });
    expect(source.requests.map(({ range }) => range)).toEqual([undefined, `bytes=${partBytes}-`]);
  } finally {
    expect(await run.interrupt()).toBe(0);
    await data.remove();
  }
});

// `npm run soak:parts -- --gibibytes N`: a multipart upload into a local run, over a dropping connection.
// The client is killed three times. It prints the number of repeated bytes, and fails if there are too many.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { partBytes } from '../../lambda/domain/media/upload-parts.ts';
import { sendInterrupted, writeNoise } from '../support/interrupted-upload.ts';
import { startLocalRun, temporaryDataFolder, until } from '../support/local-run.ts';

const { values } = parseArgs({
  options: {
    gibibytes: { type: 'string', default: '20' },
    'drop-every-seconds': { type: 'string', default: '3' },
    kills: { type: 'string', default: '3' },
  },
});
const sizeBytes = Math.round(Number(values.gibibytes) * 1024 ** 3);
/** Limit of bytes of API requests and headers: a few for each part. */
const smallBytesPerPart = 4096;

const folder = await temporaryDataFolder();
const file = join(folder.path, 'noise.wav');
const run = await startLocalRun(join(folder.path, 'run'));
try {
  await writeNoise(file, sizeBytes);
  const beganAtMs = performance.now();
  const sent = await sendInterrupted(file, sizeBytes, run.connection, {
    dropEveryMs: Number(values['drop-every-seconds']) * 1000,
    kills: Number(values.kills),
    parallel: 1,
  });
  const seconds = (performance.now() - beganAtMs) / 1000;
  const interruptions = sent.drops + sent.kills;
  const twiceBytes = sent.bytesSent - sizeBytes;
  const mostBytes = interruptions * partBytes + Math.ceil(sizeBytes / partBytes + interruptions) * smallBytesPerPart;
  const { url } = await run.api('POST', `/uploads/${sent.uploadID}/download-url`);
  const isSame = (await sha256Of(createReadStream(file))) === (await sha256Of((await fetch(url)).body!));
  const look = () => run.api('GET', `/uploads/${sent.uploadID}`);
  await until(async () => (await look()).probeState !== 'pending');
  const { probeState, durationSeconds, failure } = await look();

  const mib = (bytes: number) => (bytes / 1024 ** 2).toFixed(1);
  console.log(`${values.gibibytes} GiB in ${seconds.toFixed(0)} s, ${sent.drops} drops and ${sent.kills} kills`);
  const checks = [
    [`sent twice: ${mib(twiceBytes)} MiB, of at most ${mib(mostBytes)}`, twiceBytes <= mostBytes],
    ['what is downloaded is what was sent, byte by byte', isSame],
    [`examined: ${failure?.detail ?? `${durationSeconds} s`}`, probeState === 'completed'],
  ] as const;
  for (const [what, isFine] of checks) console.log(`${isFine ? 'ok    ' : 'FAILED'} ${what}`);
  if (checks.some(([, isFine]) => !isFine)) process.exitCode = 1;
} finally {
  await run.interrupt();
  await folder.remove();
}

async function sha256Of(body: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(body, hash);
  return hash.digest('hex');
}

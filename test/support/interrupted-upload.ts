// Sends a file by the reference client for multipart uploads over a dropping connection, and kills the client.
import { spawn } from 'node:child_process';
import { createCipheriv } from 'node:crypto';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { startDroppingLine } from './dropping-line.ts';

const referenceClient = [process.execPath, join(import.meta.dirname, 'multipart-client.ts')];
const chunkBytes = 8 * 1024 ** 2;

/** Writes a file of sound: noise without any repeated stretch. */
export async function writeNoise(path: string, sizeBytes: number): Promise<void> {
  const header = waveHeader(sizeBytes);
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, 1), Buffer.alloc(16));
  const zeros = Buffer.alloc(chunkBytes);
  const file = await open(path, 'w');
  try {
    await file.write(header);
    for (let at = header.length; at < sizeBytes; at += chunkBytes)
      await file.write(cipher.update(zeros.subarray(0, Math.min(chunkBytes, sizeBytes - at))));
  } finally {
    await file.close();
  }
}

/**
 * Header of a wave file of this size: 16-bit stereo at 48 kHz, in the form for more than 4 GiB (EBU Tech 3306, RF64).
 */
function waveHeader(sizeBytes: number): Buffer {
  const header = Buffer.alloc(80);
  const dataBytes = sizeBytes - header.length;
  header.write('RF64\xff\xff\xff\xffWAVEds64', 'latin1');
  header.writeUInt32LE(28, 16);
  header.writeBigUInt64LE(BigInt(sizeBytes - 8), 20);
  header.writeBigUInt64LE(BigInt(dataBytes), 28);
  header.write('fmt ', 48);
  header.writeUInt32LE(16, 52);
  [1, 2].forEach((value, index) => header.writeUInt16LE(value, 56 + 2 * index));
  [48_000, 192_000].forEach((value, index) => header.writeUInt32LE(value, 60 + 4 * index));
  [4, 16].forEach((value, index) => header.writeUInt16LE(value, 68 + 2 * index));
  header.write('data\xff\xff\xff\xff', 72, 'latin1');
  return header;
}

export interface InterruptedUpload {
  readonly uploadID: string;
  /** Bytes sent over the connection, requests of the API included. */
  readonly bytesSent: number;
  readonly drops: number;
  readonly kills: number;
}

/**
 * @param options.client a command with the arguments and the output of the reference client, which is the default
 * @param options.kills number of random places in the file at which the client is killed and started again
 * @param options.parallel number of parts that the client sends at once
 * @throws unless the client ends with a complete upload
 */
export async function sendInterrupted(
  file: string,
  sizeBytes: number,
  { apiURL, apiKey }: { readonly apiURL: string; readonly apiKey: string },
  options: {
    readonly dropEveryMs: number;
    readonly kills: number;
    readonly parallel: number;
    readonly client?: readonly string[];
  },
): Promise<InterruptedUpload> {
  await using line = await startDroppingLine(options.dropEveryMs);
  const places = Array.from({ length: options.kills }, () => Math.random() * sizeBytes).sort((a, b) => a - b);
  let kills = 0;
  for (;;) {
    const [program = '', ...args] = options.client ?? referenceClient;
    const child = spawn(program, [...args, file, 'audio/wav', apiURL, String(options.parallel)], {
      env: { ...process.env, API_KEY: apiKey, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: line.proxyURL, NO_PROXY: '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const ended = once(child, 'exit');
    while (child.exitCode === null && child.signalCode === null && !(line.bytesSent > (places[kills] ?? Infinity)))
      await Promise.race([ended, setTimeout(20)]);
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      kills += 1;
      await ended;
      continue;
    }
    await ended;
    if (child.exitCode !== 0) throw new Error(`the client ended with ${child.exitCode}: ${output}`);
    return { uploadID: output.trim(), bytesSent: line.bytesSent, drops: line.drops, kills };
  }
}

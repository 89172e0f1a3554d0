// The stream that is started again and again: created once from an embedded clip, and found later.
import { clip } from './clip.ts';
import type { Answer, PlatformClient } from './platform-client.ts';
import type { OpenIngest } from './synthetic-ingest.ts';

export interface SyntheticStream {
  readonly id: string;
  readonly destinationID: string;
}

/** Resolves once `isDone` returns true. */
export type Until = (isDone: () => Promise<boolean>) => Promise<void>;

/** The name of the stream, of its upload and of its destination. */
const name = 'Synthetic stream';

/** Prepared media is sent unchanged, so a start takes almost no capacity of an agent. */
const settings = { name, quality: 'q_720p', framerate: 'f_24', streamBackend: 'manifest' };

export async function findStream(client: PlatformClient): Promise<SyntheticStream | null> {
  return named(await client.ask('GET', `/streams?q=${encodeURIComponent(name)}`));
}

/** @param until waits for the platform's processing of the clip */
export async function makeStream(
  client: PlatformClient,
  { destination }: OpenIngest,
  until: Until,
): Promise<SyntheticStream> {
  const { id: destinationID } =
    named(await client.ask('GET', '/destinations')) ??
    (await client.ask('POST', '/destinations', { name, ...destination }));
  const videoUploadObjectID = await uploadClip(client, until);
  return client.ask('POST', '/streams', { ...settings, destinationID, videoUploadObjectID });
}

async function uploadClip(client: PlatformClient, until: Until): Promise<string> {
  const bytes = Buffer.from(clip, 'base64');
  const upload =
    named(await client.ask('GET', `/uploads?q=${encodeURIComponent(name)}`)) ??
    (await client.ask('POST', '/uploads', { name, mimeType: 'video/mp4', fileSize: bytes.length }));
  const probeState = async () => (await client.ask('GET', `/uploads/${upload.id}`)).probeState;
  if (!upload.uploaded) {
    const { url, headers } = await client.ask('POST', `/uploads/${upload.id}/upload-url`);
    const { status } = await fetch(url, { method: 'PUT', headers, body: bytes });
    // 412: an earlier test has sent the bytes, and ended before it completed the upload.
    if (status !== 200 && status !== 412) throw new Error(`the bytes of the clip were answered ${status}`);
    await client.ask('POST', `/uploads/${upload.id}/complete`);
  }
  await until(async () => (await probeState()) !== 'pending');
  return upload.id;
}

function named({ data }: Answer): Answer {
  return data.find((each: Answer) => each.name === name) ?? null;
}

// `loop next`: plays a file or an upload once in a stream that is on the air, after the item that plays now.
import { existsSync } from 'node:fs';
import { waitFor } from '../../lambda/surfaces/sdk/typescript/loop.ts';
import type { Stream, Upload } from '../../lambda/web/app/types.ts';
import type { Client } from './client.ts';
import { LoopFailure } from './failure.ts';
import { readMediaFile } from './media-folder.ts';
import { pick } from './named-things.ts';
import { sendAll } from './up.ts';
import type { SendAllOptions } from './up.ts';

export interface PlayedNext {
  readonly upload: Upload;
  /** ISO 8601. */
  readonly startsAt: string;
}

const everySeconds = 2;

/**
 * Waits while the stream prepares the upload.
 * @param given the path of a file, which is sent; else the name or id of an upload
 * @throws {LoopFailure}
 */
export async function playNext(
  client: Client,
  given: string,
  { id }: Stream,
  options: SendAllOptions,
): Promise<PlayedNext> {
  const upload = await sendOrFind(client, given, options);
  const { printer, timeoutSeconds } = options;
  const isPlaced = ({ startsAt }: { readonly startsAt: string | null }) => {
    if (startsAt === null) printer.progress(`Preparing ${upload.name} for the stream`);
    return startsAt !== null;
  };
  const late = () =>
    new LoopFailure('too_late', `${upload.name} is not prepared after ${timeoutSeconds} s. Run the command again.`);
  const place = () =>
    client.call<{ startsAt: string | null }>('POST', `/streams/${id}/play-next`, { uploadID: upload.id });
  const { startsAt } = await waitFor(place, isPlaced, { timeoutSeconds, late, everySeconds });
  return { upload, startsAt: startsAt! };
}

async function sendOrFind(client: Client, given: string, options: SendAllOptions): Promise<Upload> {
  if (existsSync(given)) return (await sendAll(client, [await readMediaFile(given)], options))[0]!;
  if (given.startsWith('upl_')) return await client.call<Upload>('GET', `/uploads/${given}`);
  return pick(await client.all<Upload>(`/uploads?q=${encodeURIComponent(given)}`), given, 'upload');
}

// Asks a source for its size, which also shows that it can be read at all.
import { stat } from 'node:fs/promises';

/**
 * In bytes; null when the server does not tell.
 * @throws {Error} when the source cannot be read; the message does not hold its address
 */
export async function sourceSize(sourceURL: string, signal: AbortSignal): Promise<number | null> {
  if (!/^https?:/iu.test(sourceURL)) return (await stat(sourceURL)).size;
  // A signed GET address does not answer HEAD.
  const response = await fetch(sourceURL, { headers: { Range: 'bytes=0-0' }, signal });
  await response.body?.cancel();
  const rangeNotSatisfiable = 416;
  if (!response.ok && response.status !== rangeNotSatisfiable) throw new Error(`the source answered ${response.status}`);
  const total = response.headers.get('content-range')?.split('/')[1] ?? (response.status === 200 ? response.headers.get('content-length') : null);
  return total === null || total === undefined || total === '*' ? null : Number(total);
}

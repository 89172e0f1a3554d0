// A call of YouTube's Data API, with the expected parts of its answer.
import type * as z from 'zod';
import { askPlatform } from './platform-request.ts';
import type { PlatformRequest } from './platform-request.ts';
import { readYoutubeRefusal } from './youtube-refusals.ts';

export interface YoutubeRequest {
  readonly method?: PlatformRequest['method'];
  /** Path below the origin of the API. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | Uint8Array;
}

/** @throws {PlatformRefusal} */
export type AskYoutube = <Schema extends z.ZodType>(
  accessToken: string,
  request: YoutubeRequest,
  schema: Schema,
) => Promise<z.output<Schema>>;

/** @param origin origin of the API */
export function youtubeRequests(origin: string): AskYoutube {
  return (accessToken, { path, query, headers, ...request }, schema) => {
    const url = new URL(`${origin}${path}`);
    url.search = new URLSearchParams(query).toString();
    const authorized = { ...headers, authorization: `Bearer ${accessToken}` };
    return askPlatform(url, { ...request, headers: authorized }, schema, readYoutubeRefusal);
  };
}

/** Maximum ids in one call. */
export const idsPerCall = 50;

export function inCalls(ids: readonly string[]): (readonly string[])[] {
  const calls: (readonly string[])[] = [];
  for (let from = 0; from < ids.length; from += idsPerCall) calls.push(ids.slice(from, from + idsPerCall));
  return calls;
}

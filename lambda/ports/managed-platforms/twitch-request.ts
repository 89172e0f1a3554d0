// A call of Helix, Twitch's API.
import type * as z from 'zod';
import { askPlatform, readPlainRefusal } from './platform-request.ts';
import type { PlatformRequest } from './platform-request.ts';

/** @param path path below Helix @throws {PlatformRefusal} */
export type AskTwitch = <Schema extends z.ZodType>(
  accessToken: string,
  path: string,
  query: URLSearchParams,
  schema: Schema,
  request?: Pick<PlatformRequest, 'method' | 'body'>,
) => Promise<z.output<Schema>>;

export function twitchRequests(origin: string, clientID: string): AskTwitch {
  return (accessToken, path, query, schema, request = {}) => {
    const url = new URL(`${origin}${path}`);
    url.search = query.toString();
    const headers = { authorization: `Bearer ${accessToken}`, 'client-id': clientID };
    return askPlatform(url, { ...request, headers }, schema, readPlainRefusal);
  };
}

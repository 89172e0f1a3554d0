// A call of Kick's public API.
import type * as z from 'zod';
import { askPlatform, readPlainRefusal } from './platform-request.ts';
import type { PlatformRequest } from './platform-request.ts';

/** @param path path below the origin of the API */
export type AskKick = <Schema extends z.ZodType>(
  accessToken: string,
  path: string,
  schema: Schema,
  request?: Pick<PlatformRequest, 'method' | 'body'>,
) => Promise<z.output<Schema>>;

export function kickRequests(origin: string): AskKick {
  return (accessToken, path, schema, request = {}) => {
    const headers = { authorization: `Bearer ${accessToken}` };
    return askPlatform(new URL(`${origin}/public/v1${path}`), { ...request, headers }, schema, readPlainRefusal);
  };
}

// The public origin that a function follows, against a server in the place of AWS.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { followOrigin, readOrigin } from '../../../lambda/ports/aws/public-origin.ts';

/** The value of the parameter; null: it does not exist; undefined: AWS does not answer. */
let parameter: string | null | undefined;
let requests = 0;
const server = createServer((_request, response) => {
  requests++;
  if (parameter === undefined) response.writeHead(403).end('{"__type":"AccessDeniedException"}');
  else if (parameter === null) response.writeHead(400).end('{"__type":"ParameterNotFound"}');
  else response.end(JSON.stringify({ Parameter: { Value: parameter } }));
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKID');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
});

afterAll(() => {
  vi.unstubAllEnvs();
  server.close();
});

const environment = (origin: string) => ({ origin, databaseRegion: 'eu-west-1' });

describe('the public origin', () => {
  test('is a value, or that of a parameter, or another one until the parameter exists', async () => {
    expect(await readOrigin(environment('https://a.example.org'))).toBe('https://a.example.org');
    parameter = 'https://b.example.org';
    expect(await readOrigin(environment('ssm:/stage/origin,https://c.example.org'))).toBe('https://b.example.org');
    parameter = null;
    expect(await readOrigin(environment('ssm:/stage/origin,https://c.example.org'))).toBe('https://c.example.org');
    await expect(readOrigin(environment('ssm:/stage/origin'))).rejects.toThrow('ParameterNotFound');
    parameter = undefined;
    await expect(readOrigin(environment('ssm:/stage/origin,https://c.example.org'))).rejects.toThrow('AccessDenied');
  });

  test('reaches a running function within a minute of its change, and outlives the loss of AWS', async () => {
    let nowMs = 0;
    parameter = 'https://old.example.org';
    const built: string[] = [];
    const handler = await followOrigin(
      environment('ssm:/stage/origin'),
      (origin) => {
        built.push(origin);
        return async (path: string) => `${origin}${path}`;
      },
      () => nowMs,
    );
    parameter = 'https://new.example.org';
    nowMs += 59_999;
    requests = 0;
    expect(await handler('/v1')).toBe('https://old.example.org/v1');
    expect(requests).toBe(0);
    nowMs += 1;
    expect(await handler('/v1')).toBe('https://new.example.org/v1');
    parameter = undefined;
    nowMs += 60_000;
    expect(await handler('/v1')).toBe('https://new.example.org/v1');
    parameter = 'https://new.example.org';
    nowMs += 60_000;
    expect(await handler('/v1')).toBe('https://new.example.org/v1');
    expect(built).toEqual(['https://old.example.org', 'https://new.example.org']);
  });
});

// The function at CloudFront, as deployed, between the imitated API Gateway and clients.
import type { CloudFrontResponse, CloudFrontResponseEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import type * as Module from '../../lambda/edge/challenge.lambda.ts';
import { importBundled } from '../support/bundled-function.ts';
import { throughDistribution } from '../support/distribution.ts';
import type { EdgeFunction } from '../support/distribution.ts';
import type { GatewayFunction } from '../support/gateway.ts';

const { handler: deployed } = await importBundled<typeof Module>('edge/challenge.lambda.ts');
const challenge = 'Bearer resource_metadata="https://example.org/.well-known/oauth-protected-resource/mcp"';

const refuse: GatewayFunction = async () => ({
  statusCode: 401,
  headers: { 'WWW-Authenticate': challenge, 'Content-Type': 'application/problem+json' },
  body: '{"code":"unauthenticated"}',
});
const get = (handler: GatewayFunction, onOriginResponse: EdgeFunction | null) =>
  throughDistribution(handler, new Request('https://example.org/mcp'), '192.0.2.1', { onOriginResponse });

describe('a client behind the distribution', () => {
  it('gets no challenge where nothing gives it back its name', async () => {
    const { headers } = await get(refuse, null);
    expect([headers.get('www-authenticate'), headers.get('x-amzn-remapped-www-authenticate')]).toEqual([
      null,
      challenge,
    ]);
  });

  it('gets the challenge of a refusal, and the rest of the answer as it was', async () => {
    const answer = await get(refuse, deployed);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe(challenge);
    expect(answer.headers.get('x-amzn-remapped-www-authenticate')).toBeNull();
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.headers.get('x-amzn-requestid')).not.toBeNull();
    expect(await answer.json()).toEqual({ code: 'unauthenticated' });
  });

  it('gets every challenge of several', async () => {
    const several: GatewayFunction = async () => ({
      statusCode: 401,
      multiValueHeaders: { 'WWW-Authenticate': ['Bearer', 'ApiKey'] },
      body: '',
    });
    expect((await get(several, deployed)).headers.get('www-authenticate')).toBe('Bearer, ApiKey');
  });

  it('gets an answer without a challenge as it was, cookies apart from each other', async () => {
    const welcome: GatewayFunction = async () => ({
      statusCode: 200,
      headers: { 'content-type': 'text/plain' },
      multiValueHeaders: { 'set-cookie': ['a=1; Path=/', 'b=2'] },
      body: 'welcome',
    });
    const answer = await get(welcome, deployed);
    expect(answer.headers.getSetCookie()).toEqual(['a=1; Path=/', 'b=2']);
    expect([answer.headers.get('www-authenticate'), await answer.text()]).toEqual([null, 'welcome']);
  });
});

describe('the imitated CloudFront', () => {
  const adding =
    (name: string, key = name): EdgeFunction =>
    async ({ Records: [record] }: CloudFrontResponseEvent): Promise<CloudFrontResponse> => ({
      ...record!.cf.response,
      headers: { ...record!.cf.response.headers, [name]: [{ key, value: 'x' }] },
    });

  it.each([
    ['adds a header that functions may not add', adding('x-edge-location')],
    ['changes a header that functions may only read', adding('via')],
    ['names a header otherwise than its key', adding('x-mine', 'X-Other')],
    ['fails', () => Promise.reject(new Error('it failed'))],
  ])('answers 502 where a function %s', async (_what, run) => {
    expect((await get(refuse, run)).status).toBe(502);
  });

  it('takes a header that a function adds', async () => {
    expect((await get(refuse, adding('x-mine', 'X-Mine'))).headers.get('x-mine')).toBe('x');
  });
});

// The parts of a request that reach a function through the imitated API Gateway, and those of its answer.
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { requestOf } from '../../lambda/api/gateway-event.ts';
import { throughGateway } from '../support/gateway.ts';
import type { GatewayFunction } from '../support/gateway.ts';

const sourceAddress = '203.0.113.9';
const url = 'https://example.org/v1/me';
const ok: GatewayFunction = async () => ({ statusCode: 200, body: '{}' });
const send = (handler: GatewayFunction, request = new Request(url), timeoutMs?: number) =>
  throughGateway(handler, request, { sourceAddress, ...(timeoutMs !== undefined && { timeoutMs }) });

/** The event that a function gets for a request. */
async function eventOf(request: Request): Promise<APIGatewayProxyEvent> {
  const events: APIGatewayProxyEvent[] = [];
  await send(async (event) => {
    events.push(event);
    return { statusCode: 204, body: '' };
  }, request);
  return events[0]!;
}

describe('a request', () => {
  it.each(['Content-MD5', 'Max-Forwards', 'Proxy-Authenticate', 'Server', 'WWW-Authenticate'])(
    'loses its header %s',
    async (name) => {
      const { multiValueHeaders } = await eventOf(new Request(url, { headers: { [name]: '1', accept: 'text/plain' } }));
      const names = Object.keys(multiValueHeaders).map((known) => known.toLowerCase());
      expect(names).toContain('accept');
      expect(names).not.toContain(name.toLowerCase());
    },
  );

  it.each([
    ['Bearer e.y.J', ['Bearer e.y.J']],
    ['AWS4-HMAC-SHA256 Credential=x', undefined],
  ])('with the Authorization %s arrives with %j', async (authorization, arrived) => {
    const { multiValueHeaders } = await eventOf(new Request(url, { headers: { authorization } }));
    expect(multiValueHeaders['authorization']).toEqual(arrived);
  });

  it('has a query of lists, decoded once, which a semicolon splits too', async () => {
    const event = await eventOf(new Request(`${url}?tag=a&tag=b%2520c;tag=d&name=%C3%A9`));
    expect(event.multiValueQueryStringParameters).toEqual({ tag: ['a', 'b%20c', 'd'], name: ['é'] });
    expect(event.queryStringParameters).toEqual({ tag: 'd', name: 'é' });
    expect([...new URL(requestOf(event, 'https://example.org').url).searchParams]).toEqual([
      ['tag', 'a'],
      ['tag', 'b%20c'],
      ['tag', 'd'],
      ['name', 'é'],
    ]);
  });

  it('is refused with a problem where its query has what has to be encoded', async () => {
    const answer = await send(ok, new Request(`${url}?state={a|b}`));
    expect([answer.headers.get('content-type'), (await answer.json()).code]).toEqual([
      'application/problem+json',
      'validation_failed',
    ]);
  });

  it('has the method that X-HTTP-Method-Override names', async () => {
    const headers = { 'x-http-method-override': 'DELETE' };
    expect((await eventOf(new Request(url, { method: 'POST', headers }))).httpMethod).toBe('DELETE');
  });

  it.each([
    ['11 MiB', 11, 413],
    ['7 MiB', 7, 413],
    ['5 MiB', 5, 200],
  ])('of %s is answered as API Gateway and Lambda do', async (_size, mebibytes, status) => {
    const body = 'x'.repeat(mebibytes * 1024 ** 2);
    expect((await send(ok, new Request(url, { method: 'POST', body }))).status).toBe(status);
  });

  it('whose text is below 6 MiB, but not its event, is too large', async () => {
    const body = '"'.repeat(4 * 1024 ** 2);
    expect((await send(ok, new Request(url, { method: 'POST', body }))).status).toBe(413);
  });
});

describe('an answer', () => {
  const answered = (headers: Record<string, string>) => send(async () => ({ statusCode: 200, headers, body: '{}' }));

  it.each([
    'Authorization',
    'Connection',
    'Content-MD5',
    'Date',
    'Max-Forwards',
    'Server',
    'User-Agent',
    'WWW-Authenticate',
  ])('has its header %s under another name', async (name) => {
    const { headers } = await answered({ [name]: 'x' });
    expect([headers.get(name), headers.get(`x-amzn-remapped-${name}`)]).toEqual([null, 'x']);
  });

  it.each(['Expect', 'Host', 'Proxy-Authenticate', 'TE', 'Trailer', 'Transfer-Encoding', 'Upgrade', 'Via'])(
    'loses its header %s',
    async (name) => {
      const { headers } = await answered({ [name]: 'x' });
      expect([headers.get(name), headers.get(`x-amzn-remapped-${name}`)]).toEqual([null, null]);
    },
  );

  it.each(['Allow', 'Location', 'Cache-Control', 'RateLimit-Limit', 'Retry-After', 'Content-Security-Policy', 'ETag'])(
    'keeps its header %s',
    async (name) => expect((await answered({ [name]: 'x' })).headers.get(name)).toBe('x'),
  );

  it('has a media type even where the function names none', async () => {
    expect((await answered({})).headers.get('content-type')).toBe('application/json');
  });

  it('has what is in both kinds of headers once', async () => {
    const answer = await send(async () => ({
      statusCode: 200,
      headers: { vary: 'Origin', allow: 'GET' },
      multiValueHeaders: { vary: ['Accept', 'Origin'] },
      body: '',
    }));
    expect([answer.headers.get('vary'), answer.headers.get('allow')]).toEqual(['Accept, Origin', 'GET']);
  });

  it.each<[string, GatewayFunction, number, string]>([
    ['that comes too late', () => new Promise(() => {}), 502, 'upstream_unavailable'],
    ['of a function that fails', () => Promise.reject(new Error('it failed')), 500, 'internal_error'],
    ['without a status', async () => ({ body: '{}' }) as never, 500, 'internal_error'],
    ['whose body is no text', async () => ({ statusCode: 200, body: {} }) as never, 500, 'internal_error'],
    ['of 7 MiB', async () => ({ statusCode: 200, body: 'x'.repeat(7 * 1024 ** 2) }), 500, 'internal_error'],
  ])('%s is a problem of API Gateway’s', async (_what, handler, status, code) => {
    const answer = await send(handler, new Request(url), 50);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
    expect(await answer.json()).toMatchObject({ status, code });
  });
});

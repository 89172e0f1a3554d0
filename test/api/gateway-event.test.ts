// API Gateway's events: whatever a client has sent, the surfaces get a request to judge, never an error of ours.
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import { addressOf, requestOf } from '../../lambda/api/gateway-event.ts';

const eventOf = (path: string, headers: Record<string, string[]> = {}) =>
  ({
    httpMethod: 'GET',
    path,
    multiValueHeaders: headers,
    multiValueQueryStringParameters: null,
    body: null,
    isBase64Encoded: false,
  }) as unknown as APIGatewayProxyEvent;

it.each(['//[', '//example.com/v1/me', '//example.com:99999/', '/v1/streams/%zz', '/v1/a b', '/\\x', '/v1/streams/é'])(
  'the path %s leads to our origin, whatever it looks like',
  (path) => {
    expect(new URL(requestOf(eventOf(path), 'https://example.org').url).origin).toBe('https://example.org');
  },
);

it('a header with characters beyond Latin-1 is read as its bytes, as on one machine', () => {
  expect(requestOf(eventOf('/v1/me', { 'x-api-key': ['lss_€'] }), 'https://example.org').headers.get('x-api-key')).toBe(
    Buffer.from('lss_€').toString('latin1'),
  );
});

it('the address of a client is the one that the distribution adds before its own', () => {
  const event = eventOf('/v1/me', { 'X-Forwarded-For': ['203.0.113.9, 192.0.2.1, 198.51.100.7'] });
  const requestContext = { identity: { sourceIp: '198.51.100.7' } } as typeof event.requestContext;
  expect(addressOf({ ...event, requestContext })).toBe('192.0.2.1');
});

// Calls to AWS without its SDK: signed as AWS requires, and retried if that may help.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readParameter } from '../../../lambda/ports/aws/call-aws.ts';
import { findAWSEmulator } from '../../support/aws-emulator.ts';

const emulator = await findAWSEmulator();

describe.skipIf(emulator.missing)(`with an emulator of AWS ${emulator.note}`, { timeout: 30_000 }, () => {
  const { endpoint, region, credentials } = emulator.clientConfig;
  afterAll(() => emulator.stop());

  test('a parameter is read that was written, and another is an error', async () => {
    const headers = {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'AmazonSSM.PutParameter',
      authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/20260101/${region}/ssm/aws4_request`,
    };
    const put = await fetch(endpoint, {
      method: 'POST',
      headers,
      body: JSON.stringify({ Name: '/a/b', Value: 'https://example.org', Type: 'String' }),
    });
    expect(put.status).toBe(200);
    expect(await readParameter('/a/b', { endpoint, region, credentials })).toBe('https://example.org');
    await expect(readParameter('/a/c', { endpoint, region, credentials })).rejects.toThrow(
      'ssm GetParameter: 400 ParameterNotFound',
    );
  });
});

describe('on the wire', () => {
  const place = () => ({
    endpoint,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'AKID', secretAccessKey: 'secret' },
  });

  const server = createServer();
  let endpoint: string;
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  test('a call names the parameter, and its signature covers host, target and body', async () => {
    const received = Promise.withResolvers<{ request: IncomingMessage; body: string }>();
    server.once('request', (request, response) => {
      void text(request).then((body) => {
        received.resolve({ request, body });
        response.end('{"Parameter":{"Value":"found"}}');
      });
    });
    expect(await readParameter('/x', place())).toBe('found');
    const { request, body } = await received.promise;
    expect(body).toBe('{"Name":"/x"}');
    expect(request.headers['x-amz-target']).toBe('AmazonSSM.GetParameter');
    const [credential, signedHeaders, signature, ...rest] = request.headers.authorization!.split(', ');
    expect(credential).toMatch(/^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-west-1\/ssm\/aws4_request$/);
    expect(signedHeaders).toBe('SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date;x-amz-target');
    expect(signature).toMatch(/^Signature=[0-9a-f]{64}$/);
    expect(rest).toEqual([]);
  });

  /** Answers requests with these answers in sequence. @returns a function for the number of requests */
  const answering = (answers: readonly [status: number, body: string][]) => {
    let count = 0;
    server.removeAllListeners('request').on('request', (_request, response) => {
      const [status, body] = answers[count++]!;
      response.writeHead(status).end(body);
    });
    return () => count;
  };

  test('a call that fails at AWS, or is throttled, is tried again', async () => {
    const count = answering([
      [500, 'not JSON'],
      [400, '{"__type":"com.amazon#ThrottlingException"}'],
      [200, '{"Parameter":{"Value":"found"}}'],
    ]);
    expect(await readParameter('/x', place())).toBe('found');
    expect(count()).toBe(3);
  });

  test('a call that is refused is not tried again', async () => {
    const count = answering([[400, '{"__type":"com.amazon#AccessDeniedException"}']]);
    await expect(readParameter('/x', place())).rejects.toThrow('ssm GetParameter: 400 AccessDeniedException');
    expect(count()).toBe(1);
  });

  test('a call is given up after three tries', async () => {
    const count = answering([
      [503, ''],
      [503, ''],
      [503, ''],
    ]);
    await expect(readParameter('/x', place())).rejects.toThrow('ssm GetParameter: 503');
    expect(count()).toBe(3);
  });
});

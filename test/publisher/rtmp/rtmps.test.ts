// RTMPS: the client sends nothing to a server that cannot prove its name.
import { once } from 'node:events';
import { connect } from 'node:net';
import { createServer } from 'node:tls';
import type { TlsOptions } from 'node:tls';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startRtmpSink } from '../../../bin/local/rtmp-sink/rtmp-sink.ts';
import { deltaChunks } from '../../../lambda/publisher/prepared/delta-chunks.ts';
import { connectPublisher } from '../../../lambda/publisher/rtmp/rtmp-client.ts';
import type { PublishOptions } from '../../../lambda/publisher/destination/publisher.ts';
import type { Publisher } from '../../../lambda/publisher/destination/publisher.ts';
import { TlsSessions } from '../../../lambda/publisher/destination/tls-sessions.ts';
import { makeCertificate, makeExpiredCertificate } from '../../support/certificates.ts';

const certificate = await makeCertificate('DNS:localhost');

/** Starts the sink behind a proxy that terminates TLS. */
async function startTlsSink(shown: TlsOptions | null = certificate) {
  const sink = await startRtmpSink({ port: 0 });
  const serverNames: unknown[] = [];
  const reused: boolean[] = [];
  const proxy = createServer({ ...shown }, (secure) => {
    serverNames.push(secure.servername);
    reused.push(secure.isSessionReused());
    const plain = connect(sink.port, '127.0.0.1');
    secure.pipe(plain).pipe(secure);
    secure.on('error', () => plain.destroy());
    plain.on('error', () => secure.destroy());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(async () => {
    proxy.close();
    await sink.close();
  });
  const address = proxy.address();
  return { sink, port: typeof address === 'object' && address ? address.port : 0, serverNames, reused };
}

function publishTo(url: string, tlsCa?: string, more: Partial<PublishOptions> = {}): Promise<Publisher> {
  const options = {
    allowPrivateAddresses: true,
    connectTimeoutMs: 5000,
    ...(tlsCa !== undefined && { tlsCa }),
    ...more,
  };
  return connectPublisher({ url, streamKey: 'key' }, options, new AbortController().signal);
}

const tlsFailure = expect.objectContaining({ code: 'tls_failed' });

describe.skipIf(certificate === null)('RTMPS (needs openssl)', () => {
  test('takes media that is in chunks already, in whatever pieces', async () => {
    const { sink, port } = await startTlsSink();
    const publisher = await publishTo(`rtmps://localhost:${port}/live`, certificate!.cert);
    publisher.send([{ type: 'audio', timestampMs: 0, payload: Buffer.of(0xaf, 0, 0x11, 0x90) }]);
    const frames = Array.from({ length: 500 }, (_, index) =>
      deltaChunks('audio', 20, Buffer.concat([Buffer.of(0xaf, 1), Buffer.alloc(9000, index)])),
    );
    const media = Buffer.concat(frames);
    publisher.sendChunks([media.subarray(0, 7), media.subarray(7, 1_000_000), media.subarray(1_000_000)]);
    const complete = { audioFrames: 500, lastTimestampMs: 10_000, timestampRegressions: 0 };
    await expect.poll(() => sink.channels()[0]).toMatchObject(complete);
    await publisher.close();
  });

  test('publishes to a server whose certificate is trusted, and names the host', async () => {
    const { sink, port, serverNames } = await startTlsSink();
    const publisher = await publishTo(`rtmps://localhost:${port}/live`, certificate!.cert);
    expect(sink.channels()).toMatchObject([{ app: 'live', live: true }]);
    expect(serverNames).toEqual(['localhost']);
    await publisher.close();
    expect(await publisher.ended).toBeNull();
  });

  test.for(['TLSv1.2', 'TLSv1.3'] as const)(
    'resumes its TLS session when it connects again, over %s',
    async (version) => {
      const { port, reused } = await startTlsSink({ ...certificate!, minVersion: version, maxVersion: version });
      const tlsSessions = new TlsSessions();
      const connectOnce = async () => {
        const publisher = await publishTo(`rtmps://localhost:${port}/live`, certificate!.cert, { tlsSessions });
        await publisher.close();
      };
      for (let round = 0; round < 3; round++) await connectOnce();
      expect(reused).toEqual([false, true, true]);
      // A resumed session does not make an expired certificate valid.
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10 * 365 * 86_400_000 });
      onTestFinished(() => void vi.useRealTimers());
      await connectOnce();
      expect(reused[3]).toBe(false);
    },
  );

  test('does not resume a TLS session that was begun under another name', async () => {
    const { port, reused } = await startTlsSink();
    const tlsSessions = new TlsSessions();
    const publishAt = (host: string) => publishTo(`rtmps://${host}:${port}/live`, certificate!.cert, { tlsSessions });
    const publisher = await publishAt('localhost');
    await publisher.close();
    for (let attempt = 0; attempt < 2; attempt++) await expect(publishAt('127.0.0.1')).rejects.toThrow(tlsFailure);
    expect(reused).not.toContain(true);
  });

  test('refuses a certificate that nobody vouches for', async () => {
    const { sink, port } = await startTlsSink();
    await expect(publishTo(`rtmps://localhost:${port}/live`)).rejects.toThrow(tlsFailure);
    expect(sink.channels()).toEqual([]);
  });

  test('says of an expired certificate that it has expired', async ({ skip }) => {
    const expired = await makeExpiredCertificate('DNS:localhost');
    if (!expired) return skip('needs an openssl that can be an authority');
    const { sink, port } = await startTlsSink(expired);
    const publishing = publishTo(`rtmps://localhost:${port}/live`, expired.cert);
    await expect(publishing).rejects.toMatchObject({ code: 'certificate_expired' });
    expect(sink.channels()).toEqual([]);
  });

  test('refuses a certificate for another name', async () => {
    const { sink, port } = await startTlsSink();
    await expect(publishTo(`rtmps://127.0.0.1:${port}/live`, certificate!.cert)).rejects.toThrow(tlsFailure);
    expect(sink.channels()).toEqual([]);
  });

  test('refuses a server that speaks plain RTMP', async () => {
    const { sink } = await startTlsSink();
    await expect(publishTo(`rtmps://localhost:${sink.port}/live`, certificate!.cert)).rejects.toThrow(tlsFailure);
  });
});

// Names of strangers' hosts are resolved, and a hanging one does not delay the answers of others.
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lookups } from '../../../lambda/domain/shared/outbound-limits.ts';
import { attempt } from '../../../lambda/webhooks/attempt.ts';
import { createNameResolver } from '../../../lambda/ports/outbound/name-resolver.ts';
import { connectPublisher } from '../../../lambda/publisher/rtmp/rtmp-client.ts';
import { startNameServer } from '../../support/name-server.ts';
import { startScriptedServer } from '../../publisher/rtmp/scripted-server.ts';

const never = new AbortController().signal;
const names = { 'here.example': '127.0.0.1', 'six.example': '::1', 'within.example': '10.0.0.1' };

async function resolver() {
  const server = await startNameServer(names);
  onTestFinished(() => server[Symbol.asyncDispose]());
  let aheadMs = 0;
  const steadyClock = () => performance.now() + aheadMs;
  const resolve = createNameResolver({ servers: [server.address], steadyClock });
  return { server, resolve, pass: (ms: number) => (aheadMs += ms) };
}

describe('a name', () => {
  it('has its addresses: of IPv4, else of IPv6', async () => {
    const { resolve } = await resolver();
    expect(await resolve('Here.Example.')).toEqual([{ address: '127.0.0.1', family: 4 }]);
    expect(await resolve('six.example')).toEqual([{ address: '::1', family: 6 }]);
  });

  it('of this machine needs no name server, and those of the hosts file neither', async () => {
    const { server, resolve } = await resolver();
    expect((await resolve('localhost'))[0]).toEqual({ address: '127.0.0.1', family: 4 });
    expect((await resolve('api.localhost'))[0]).toEqual({ address: '127.0.0.1', family: 4 });
    await using folder = await mkdtempDisposable(join(tmpdir(), 'hosts-'));
    const hostsPath = join(folder.path, 'hosts');
    await writeFile(hostsPath, '# comment\n::1 nas\n192.168.1.9\tNAS nas.home # mine\nnonsense nas\n');
    const withHosts = createNameResolver({ servers: [server.address], hostsPath });
    expect(await withHosts('nas')).toEqual([
      { address: '192.168.1.9', family: 4 },
      { address: '::1', family: 6 },
    ]);
    expect(server.questions).toEqual([]);
  });

  it('that does not exist is said to, with the error of the lookup of Node', async () => {
    const { resolve } = await resolver();
    await expect(resolve('nowhere.example')).rejects.toMatchObject({ code: 'ENOTFOUND', syscall: 'getaddrinfo' });
  });

  it('is asked for once, however many want it', async () => {
    const { server, resolve } = await resolver();
    await Promise.all(Array.from({ length: 50 }, () => resolve('here.example')));
    expect(server.questions).toEqual(['here.example']);
  });

  it('that was not resolved is not asked for again at once', async () => {
    const { server, resolve, pass } = await resolver();
    const ask = () => expect(resolve('nowhere.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await ask();
    await ask();
    expect(server.questions).toHaveLength(1);
    pass(lookups.failureKeptMs);
    await ask();
    expect(server.questions).toHaveLength(2);
  });
});

describe('while names that nobody answers for are looked up', { timeout: 20_000 }, () => {
  it('a stream connects and a webhook is sent at once', async () => {
    const { server, resolve } = await resolver();
    await using ingest = await startScriptedServer();
    const http = createServer((socket) => socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n'));
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    onTestFinished(() => void http.close());
    let failed = 0;
    const silent = Array.from({ length: 200 }, (_, index) =>
      resolve(`silent${index}.example`).catch((error: unknown) => {
        failed++;
        return error;
      }),
    );
    await expect.poll(() => server.questions.length).toBeGreaterThanOrEqual(200);
    const client = { allowPrivateAddresses: true, connectTimeoutMs: 2000, resolve };
    const target = { url: `rtmp://here.example:${ingest.port}/live`, streamKey: 'key' };
    await (await connectPublisher(target, client, never)).close();
    const { port } = http.address() as AddressInfo;
    const attempts = { allowPrivateAddresses: true, resolve, timeoutMs: 2000 };
    const outcome = await attempt(`http://here.example:${port}/`, {}, '{}', attempts, never);
    expect(outcome).toMatchObject({ status: 204, failure: null });
    expect(failed).toBe(0);
    for (const error of await Promise.all(silent)) expect(error).toMatchObject({ code: 'EAI_AGAIN' });
  });
});

it('a destination is refused by the address that its name leads to', async () => {
  const { resolve } = await resolver();
  const client = { allowPrivateAddresses: false, connectTimeoutMs: 2000, resolve };
  const target = { url: 'rtmp://within.example/live', streamKey: 'key' };
  await expect(connectPublisher(target, client, never)).rejects.toMatchObject({ code: 'address_forbidden' });
});

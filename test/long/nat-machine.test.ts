// The script of a NAT machine in a namespace of its own, run to its end while mirrors and AWS are away for a minute.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { type Away, canUnshare, hasNft, NatWorld } from '../support/nat-world.ts';

const worlds: NatWorld[] = [];
afterEach(() => worlds.splice(0).forEach((world) => world.remove()));

function newWorld(): NatWorld {
  const world = new NatWorld();
  worlds.push(world);
  return world;
}

const nothing: Away = { mirror: [0, 0], outside: 0, handle: 0 };

describe.skipIf(!canUnshare)('the script of a NAT machine', () => {
  test('forwards, once the mirror has been away for a minute, twice, and so have AWS and the handle', () => {
    const world = newWorld();
    const { code, reports, pausedSeconds, calls, output } = world.run({ mirror: [60, 120], outside: 180, handle: 240 });
    expect(output).toContain('masquerade');
    expect([code, reports]).toEqual([0, [expect.objectContaining({ Status: 'SUCCESS' })]]);
    expect(pausedSeconds).toBe(240);
    // The swap comes first, as the package manager needs it.
    const called = calls.map((call) => call.split(' ')[0]);
    expect(called.indexOf('mkswap')).toBeLessThan(called.indexOf('dnf'));
    expect(world.read('etc/nftables/nat-machine.nft')).toContain('ip saddr 10.0.0.0/16 ip daddr != 10.0.0.0/16 masq');
    expect(world.read('etc/fstab')).toContain('/swapfile none swap');
    expect(calls.filter((call) => call.startsWith('systemctl'))).toContain('systemctl enable nat-machine.service');
  });

  test('does the same when it is run again, with one swap file', () => {
    const world = newWorld();
    world.run(nothing);
    const { code, reports, calls } = world.run(nothing);
    expect([code, reports.map(({ Status }) => Status)]).toEqual([0, ['SUCCESS']]);
    expect(calls.filter((call) => /^(?:mkswap|dnf)/.test(call))).toEqual([]);
  });

  test.each<[string, Away, RegExp]>([
    ['a mirror', { ...nothing, mirror: [0, 1e6] }, /install_nft failed: No more mirrors to try: nftables/],
    ['the outside', { ...nothing, outside: 1e6 }, /reach_outside failed: Connection timed out/],
  ])('gives up in ten minutes if %s stays away, and reports the reason', (_what, away, reason) => {
    const { code, reports, pausedSeconds } = newWorld().run(away);
    expect(code).toBe(1);
    expect(reports).toEqual([expect.objectContaining({ Status: 'FAILURE', Reason: expect.stringMatching(reason) })]);
    expect(pausedSeconds).toBe(600);
  });

  test('needs its retries for that', () => {
    const { reports } = newWorld().run({ ...nothing, mirror: [1, 1] }, (script) =>
      script.replace('tries=60', 'tries=1'),
    );
    expect(reports.map(({ Status }) => Status)).toEqual(['FAILURE']);
  });

  test.skipIf(!hasNft)('lets a machine of a private subnet reach the outside, under its own address', async () => {
    const [inside, nat, outside] = ['inside', 'nat', 'outside'].map((name) => `${name}${process.pid}`);
    const ip = (...args: readonly string[]) => execFileSync('ip', args);
    // Addresses of the networks for benchmarks (RFC 2544), which are never routed.
    const cable = (one: string, address: string, other: string, otherAddress: string) => {
      ip('link', 'add', `to-${other}`, 'netns', one, 'type', 'veth', 'peer', 'name', `to-${one}`, 'netns', other);
      ip('-n', one, 'addr', 'add', address, 'dev', `to-${other}`);
      ip('-n', other, 'addr', 'add', otherAddress, 'dev', `to-${one}`);
      for (const [name, end] of [
        [one, other],
        [other, one],
      ])
        ip('-n', name!, 'link', 'set', `to-${end}`, 'up');
    };
    const names = [inside!, nat!, outside!];
    for (const name of names) ip('netns', 'add', name);
    const serve = 'createServer((asked, answer) => answer.end(asked.socket.remoteAddress))';
    const server = `require('node:http').${serve}.listen(80, '0.0.0.0', () => console.log())`;
    try {
      cable(inside!, '10.0.5.2/24', nat!, '10.0.5.1/24');
      cable(nat!, '198.18.77.1/30', outside!, '198.18.77.2/30');
      ip('-n', inside!, 'route', 'add', 'default', 'via', '10.0.5.1');
      await using listening = Object.assign(
        spawn('ip', ['netns', 'exec', outside!, process.execPath, '-e', server], {
          stdio: ['ignore', 'pipe', 'inherit'],
        }),
        { [Symbol.asyncDispose]: async () => void listening.kill() },
      );
      await once(listening.stdout, 'data');
      const ask = ['curl', '--silent', '--max-time', '2', 'http://198.18.77.2/'];
      const answer = () => spawnSync('ip', ['netns', 'exec', inside!, ...ask], { encoding: 'utf8' }).stdout;
      expect(answer()).toBe('');
      const world = new NatWorld(nat);
      worlds.push(world);
      expect(world.run(nothing).code).toBe(0);
      expect(answer()).toBe('198.18.77.1');
    } finally {
      for (const name of names) ip('netns', 'del', name);
    }
  });
});

// A second machine on this one: a network namespace whose cable can lose every packet. Needs Linux and root.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const name = `faults${process.pid}`;
const cable = { ours: `va${process.pid}`, theirs: `vb${process.pid}` };
/** An address in the networks for benchmarks (RFC 2544), which are never routed. */
const ours = '198.18.77.1';

export interface OtherMachine extends AsyncDisposable {
  readonly address: string;
  /** Prefix of a command line that runs the command on the other machine. */
  readonly command: readonly string[];
  /** Drops every packet to the machine. Senders get no error. */
  cut(): Promise<void>;
  mend(): Promise<void>;
}

/** Creates the machine. @returns null if the system does not allow it */
export async function makeOtherMachine(): Promise<OtherMachine | null> {
  const address = '198.18.77.2';
  const command = ['ip', 'netns', 'exec', name];
  const ip = (...args: readonly string[]) => run('ip', args);
  const dispose = async () => void (await ip('netns', 'del', name).catch(() => {}));
  try {
    await ip('netns', 'add', name);
    await ip('link', 'add', cable.ours, 'type', 'veth', 'peer', 'name', cable.theirs, 'netns', name);
    await ip('addr', 'add', `${ours}/30`, 'dev', cable.ours);
    await ip('link', 'set', cable.ours, 'up');
    await run('ip', ['netns', 'exec', name, 'ip', 'addr', 'add', `${address}/30`, 'dev', cable.theirs]);
    await run('ip', ['netns', 'exec', name, 'ip', 'link', 'set', cable.theirs, 'up']);
  } catch {
    await dispose();
    return null;
  }
  // The other end drops packets to a MAC address that does not exist.
  const station = (mac: string) =>
    ip('neigh', 'replace', address, 'lladdr', mac, 'dev', cable.ours, 'nud', 'permanent');
  const { stdout } = await run('ip', ['netns', 'exec', name, 'cat', `/sys/class/net/${cable.theirs}/address`]);
  return {
    address,
    command,
    cut: async () => void (await station('02:00:00:00:00:01')),
    mend: async () => void (await station(stdout.trim())),
    [Symbol.asyncDispose]: dispose,
  };
}

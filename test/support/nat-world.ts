// A root folder and a network namespace in which the script of a NAT machine runs to its end, with faults on time.
// It has programs of this machine, and stand-ins for those that Amazon Linux 2023, AWS and mirrors provide.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { natMachineScript } from '../../lib/artifacts/from-sources.ts';

/** Seconds after the start until which each is away, by the clock of the script's pauses. */
export interface Away {
  /** The mirror: first for the list of packages, then once more for the package. */
  readonly mirror: readonly [list: number, packages: number];
  /** The address outside. */
  readonly outside: number;
  /** The address that takes the outcome. */
  readonly handle: number;
}

export interface Outcome {
  readonly code: number | null;
  readonly output: string;
  /** Bodies of requests that the handle took. */
  readonly reports: readonly { readonly Status: string; readonly Reason: string }[];
  readonly pausedSeconds: number;
  /** Stand-ins that were called, with their arguments, in order. */
  readonly calls: readonly string[];
}

export const cidr = '10.0.0.0/16';
const nft = '/usr/sbin/nft';
/** Whether this machine lets a namespace be made. */
export const canUnshare = spawnSync('unshare', ['--mount', '--net', 'true']).status === 0;
/** Whether rules are those of the kernel, else they are only noted. */
export const hasNft = existsSync(nft);

/** Programs that the machine has from the start. */
const real = ['bash', 'cat', 'chmod', 'dirname', 'grep', 'mkdir', 'mktemp', 'tail', 'tr'];
const note = 'echo "$(basename "$0") $*" >> /state/calls; now=$(cat /state/paused)';
const standIns: Readonly<Record<string, string>> = {
  sleep: 'echo $((now + $1)) > /state/paused',
  timeout: 'shift; exec "$@"',
  dd: 'touch /swapfile',
  mkswap: 'true',
  swapon: '[[ $1 == --show* ]] && { cat /state/swap; exit; }; echo "$1" >> /state/swap',
  dnf: `
    if [[ ! -e /state/list ]]; then
      ((now < MIRROR_LIST)) && { echo 'Cannot download repomd.xml: All mirrors were tried' >&2; exit 1; }
      touch /state/list
    fi
    ((now < MIRROR_PACKAGES)) && { echo 'No more mirrors to try: nftables' >&2; exit 1; }
    ln -s /state/nft /programs/nft`,
  curl: `
    for last; do :; done
    if [[ $last == "$NAT_READY_URL" ]]; then
      ((now < HANDLE)) && exit 7
      while [[ $1 != --data-binary ]]; do shift; done
      echo "$2" >> /state/reports
    else
      ((now < OUTSIDE)) && { echo 'Connection timed out' >&2; exit 28; }
    fi
    true`,
  systemctl: `
    [[ $1 == restart ]] || exit 0
    grep ^ExecStart= "/etc/systemd/system/$2" | while IFS== read -r _ command; do $command || exit 1; done`,
};
/** Without nft, its stand-in keeps the rules. */
const notedNft = '[[ $1 == --file ]] && cp "$2" /state/rules || cat /state/rules';

export class NatWorld {
  readonly #folder = mkdtempSync(join(tmpdir(), 'nat-machine-'));
  readonly #namespace: string | null;

  /** @param namespace the name of an existing network namespace; null: one for each run */
  constructor(namespace: string | null = null) {
    this.#namespace = namespace;
    for (const name of ['etc/systemd/system', 'etc/sysctl.d', 'programs', 'state', 'proc', 'tmp', 'dev', 'usr'])
      mkdirSync(join(this.#folder, name), { recursive: true });
    for (const name of ['lib', 'lib64', 'bin', 'sbin']) symlinkSync(`usr/${name}`, join(this.#folder, name));
    for (const name of [...real, 'basename', 'cp', 'ln', 'touch'])
      symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(this.#folder, 'programs', name));
    for (const [name, body] of Object.entries(standIns)) this.#write(`programs/${name}`, `${note}\n${body}`);
    if (hasNft) symlinkSync(nft, join(this.#folder, 'state/nft'));
    else this.#write('state/nft', notedNft);
  }

  /** Runs the script. @param change of its text, to see what that does */
  run({ mirror, outside, handle }: Away, change: (script: string) => string = (script) => script): Outcome {
    for (const name of ['calls', 'reports', 'swap']) writeFileSync(this.#state(name), '', { flag: 'a' });
    writeFileSync(this.#state('paused'), '0');
    writeFileSync(this.#state('calls'), '');
    writeFileSync(this.#state('reports'), '');
    writeFileSync(join(this.#folder, 'nat-machine.sh'), change(natMachineScript()));
    const root = this.#folder;
    const binds = ['usr', 'dev'].map((name) => `mount --rbind /${name} ${root}/${name}`).join(' && ');
    const mounts = `${binds} && mount -t proc proc ${root}/proc`;
    const enter = this.#namespace === null ? ['--net'] : [];
    const inside = this.#namespace === null ? [] : ['netns', 'exec', this.#namespace, 'unshare'];
    const args = [...inside, '--mount', '--pid', '--fork', ...enter, 'bash', '-c'];
    const script = `${mounts} && exec chroot ${root} /usr/bin/env PATH=/programs /programs/bash /nat-machine.sh`;
    const env = {
      PATH: process.env.PATH,
      NAT_CIDR: cidr,
      NAT_READY_URL: 'https://handle.example/?signed',
      NAT_PROBE_URL: 'https://outside.example/',
      MIRROR_LIST: String(mirror[0]),
      MIRROR_PACKAGES: String(mirror[1]),
      OUTSIDE: String(outside),
      HANDLE: String(handle),
    };
    const { status, stdout, stderr } = spawnSync(this.#namespace === null ? 'unshare' : 'ip', [...args, script], {
      env,
      encoding: 'utf8',
      timeout: 20_000,
    });
    const lines = (name: string) => readFileSync(this.#state(name), 'utf8').split('\n').filter(Boolean);
    return {
      code: status,
      output: stdout + stderr,
      reports: lines('reports').map((line) => JSON.parse(line) as Outcome['reports'][number]),
      pausedSeconds: Number(lines('paused')[0]),
      calls: lines('calls'),
    };
  }

  /** A file that the script wrote. */
  read(path: string): string {
    return readFileSync(join(this.#folder, path), 'utf8');
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }

  #state(name: string): string {
    return join(this.#folder, 'state', name);
  }

  #write(path: string, body: string): void {
    writeFileSync(join(this.#folder, path), `#!/programs/bash\n${body}\n`);
    chmodSync(join(this.#folder, path), 0o755);
  }
}

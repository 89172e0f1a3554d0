// Shell programs that a test writes to a file and then runs, such as stand-ins for tools.
import { spawnSync } from 'node:child_process';

/**
 * Writes a script of sh as an executable file. A process of its own writes it: if this one did, and a test in another
 * thread started a program meanwhile, that program would hold the file open, and running it would fail with ETXTBSY.
 * @returns the path
 */
export function writeShellProgram(path: string, script: string): string {
  const input = `#!/bin/sh\n${script}\n`;
  const { status, stderr } = spawnSync('sh', ['-c', 'cat > "$0" && chmod 755 "$0"', path], { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`The program ${path} was not written: ${stderr}`);
  return path;
}

// Certificates for tests of TLS, made by openssl.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Self-signed for the host names; null where there is no openssl to make it. */
export async function makeCertificate(subjectAltName: string): Promise<Certificate | null> {
  const folder = await mkdtemp(join(tmpdir(), 'certificate-'));
  const file = (name: string): string => join(folder, name);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', file('key.pem')];
  try {
    await promisify(execFile)('openssl', ['req', '-x509', ...key, '-days', '1', '-subj', '/CN=test', '-addext', `subjectAltName=${subjectAltName}`, '-out', file('cert.pem')]);
    return { cert: await readFile(file('cert.pem'), 'utf8'), key: await readFile(file('key.pem'), 'utf8') };
  } catch {
    return null;
  } finally {
    await rm(folder, { recursive: true });
  }
}

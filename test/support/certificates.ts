// Certificates for tests of TLS, made with openssl.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Makes a self-signed certificate for host names. @returns null if openssl is missing */
export function makeCertificate(subjectAltName: string): Promise<Certificate | null> {
  return make(async (openssl, file) => {
    const names = ['-subj', '/CN=test', '-addext', `subjectAltName=${subjectAltName}`];
    await openssl('req', '-x509', ...newKey(file), '-days', '1', ...names, '-out', file('cert.pem'));
  });
}

/** Makes an expired certificate. @returns null if openssl is missing */
export function makeExpiredCertificate(subjectAltName: string): Promise<Certificate | null> {
  return make(async (openssl, file) => {
    await openssl('req', '-new', ...newKey(file), '-subj', '/CN=test', '-out', file('request.pem'));
    await writeFile(file('index.txt'), '');
    const authority = [
      '[ca]',
      'default_ca = a',
      '[a]',
      `database = ${file('index.txt')}`,
      `new_certs_dir = ${file('')}`,
      'rand_serial = yes',
      'default_md = sha256',
      'policy = p',
      'x509_extensions = e',
    ];
    await writeFile(
      file('ca.conf'),
      [...authority, '[p]', 'commonName = supplied', '[e]', `subjectAltName = ${subjectAltName}`].join('\n'),
    );
    const times = ['-startdate', '20200101000000Z', '-enddate', '20200201000000Z'];
    const signer = ['-batch', '-selfsign', '-config', file('ca.conf'), '-keyfile', file('key.pem')];
    await openssl('ca', ...signer, '-in', file('request.pem'), ...times, '-notext', '-out', file('cert.pem'));
  });
}

type File = (name: string) => string;

function newKey(file: File): string[] {
  return ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', file('key.pem')];
}

async function make(
  work: (openssl: (...args: readonly string[]) => Promise<unknown>, file: File) => Promise<void>,
): Promise<Certificate | null> {
  const folder = await mkdtemp(join(tmpdir(), 'certificate-'));
  const file = (name: string): string => join(folder, name);
  try {
    await work((...args) => promisify(execFile)('openssl', args), file);
    return { cert: await readFile(file('cert.pem'), 'utf8'), key: await readFile(file('key.pem'), 'utf8') };
  } catch {
    return null;
  } finally {
    await rm(folder, { recursive: true });
  }
}

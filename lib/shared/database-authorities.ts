// The authorities that certify databases of RDS, which Node does not trust by itself. RDS Proxy has public ones.

/** Node itself reads it, when a process begins. */
export const authoritiesVariable = 'NODE_EXTRA_CA_CERTS';

/** Lambda has the file, but has not loaded it since Node 20; the publisher's Dockerfile writes that of containers. */
export const authoritiesFile = { function: '/var/runtime/ca-cert.pem', container: '/agent/rds.pem' } as const;

/** Nothing behind RDS Proxy. */
export function authoritiesEnvironment(isProxied: boolean, place: keyof typeof authoritiesFile): object {
  return isProxied ? {} : { [authoritiesVariable]: authoritiesFile[place] };
}

// The certificate authorities of RDS databases, which Node does not trust by default. RDS Proxy uses public ones.

/** Node reads this variable when a process starts. */
export const authoritiesVariable = 'NODE_EXTRA_CA_CERTS';

/** Lambda has the file, but does not load it since Node 20. The publisher's Dockerfile adds the file to containers. */
export const authoritiesFile = { function: '/var/runtime/ca-cert.pem', container: '/agent/rds.pem' } as const;

/** Empty behind RDS Proxy. */
export function authoritiesEnvironment(isProxied: boolean, place: keyof typeof authoritiesFile): object {
  return isProxied ? {} : { [authoritiesVariable]: authoritiesFile[place] };
}

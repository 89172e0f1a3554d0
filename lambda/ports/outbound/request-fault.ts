// Why an HTTP request to an address of a user's brought no answer.
import { AddressForbidden } from './checked-lookup.ts';

export type RequestFault = 'address_forbidden' | 'name_not_found' | 'tls_failed' | 'protocol_error' | 'unreachable';

/** Whose codes begin so: https://nodejs.org/api/tls.html#x509-certificate-error-codes, and OpenSSL's own. */
const tlsCode = /^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/;

/** @param error as `node:http` and `node:https` fail, with the lookup of this folder */
export function faultOfRequest(error: unknown): RequestFault {
  // Several addresses were tried.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (first instanceof AddressForbidden) return 'address_forbidden';
  const { code = '' } = first as { code?: string };
  // Other answers than that there is no such name are the resolver's for now.
  if (code === 'ENOTFOUND') return 'name_not_found';
  if (tlsCode.test(code)) return 'tls_failed';
  return code.startsWith('HPE_') ? 'protocol_error' : 'unreachable';
}

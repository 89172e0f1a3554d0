// Reasons why an HTTP request to a user's address got no answer.
import { SentTooMuch } from './bounded-tls.ts';
import { AddressForbidden } from './checked-lookup.ts';

export type RequestFault = 'address_forbidden' | 'name_not_found' | 'tls_failed' | 'protocol_error' | 'unreachable';

/** Prefixes of TLS error codes: https://nodejs.org/api/tls.html#x509-certificate-error-codes, and those of OpenSSL. */
const tlsCode = /^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/;

/** @param error an error of `node:http` or `node:https`, used with the lookup of this folder */
export function faultOfRequest(error: unknown): RequestFault {
  // An AggregateError has one error for each address that was tried.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (first instanceof AddressForbidden) return 'address_forbidden';
  if (first instanceof SentTooMuch) return 'protocol_error';
  const { code = '' } = first as { code?: string };
  // Only ENOTFOUND means that the name does not exist. Other failures of the resolver pass, and count as unreachable.
  if (code === 'ENOTFOUND') return 'name_not_found';
  if (tlsCode.test(code)) return 'tls_failed';
  return code.startsWith('HPE_') ? 'protocol_error' : 'unreachable';
}

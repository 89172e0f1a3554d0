// The header with the client's IP address, for rate limits and the security events that users see.
import { widerNetworkOf } from '../surfaces/admission/networks.ts';

/** Our handler sets this header for better-auth, and drops one that a client sent. */
export const addressHeader = 'x-client-address';

/**
 * The name of the wider network of a client. Clients without an address share one: in AWS each has one, and on one
 * machine those lack it whose connection is closed already.
 */
export function networkOfClient(headers: Headers | undefined): string {
  return widerNetworkOf(headers?.get(addressHeader) ?? '') ?? 'unknown';
}

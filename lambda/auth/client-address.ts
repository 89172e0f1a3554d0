// Where a request comes from: what rate limits count by, and what people see in their sign-in history.

/** Carries the address to better-auth; set by our own entry points, never taken from outside. */
export const addressHeader = 'x-client-address';

/**
 * The viewer's address behind CloudFront and API Gateway, which each append the one that they see: viewer, then CloudFront.
 * What stands before was written by the client. @param forwardedFor the header X-Forwarded-For
 */
export function viewerAddress(forwardedFor: string | null): string | null {
  return forwardedFor?.split(',').at(-2)?.trim() ?? null;
}

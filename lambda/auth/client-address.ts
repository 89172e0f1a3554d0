// The header with the client's IP address, for rate limits and the security events that users see.

/** Our handler sets this header for better-auth, and drops one that a client sent. */
export const addressHeader = 'x-client-address';

// The header with the client's IP address, by which rate limits count, and which people see in their history.

/** Our own handler sets this header for better-auth. One that a client sent is dropped. */
export const addressHeader = 'x-client-address';

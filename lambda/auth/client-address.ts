// Where a request comes from: what rate limits count by, and what people see in their sign-in history.

/** Carries the address to better-auth; set by our own entry points, never taken from outside. */
export const addressHeader = 'x-client-address';

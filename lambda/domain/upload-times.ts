// How long things about uploads last.

/** How long an upload URL is good for: long enough for 5 GiB over 12 Mbit/s. */
export const uploadURLSeconds = 3600;

/** An upload that is not complete by then, and that nothing names, is taken for abandoned. */
export const abandonedAfterDays = 7;

// How long an upload URL is valid, and after how long an unfinished upload is removed.

/** How long an upload URL is valid: long enough for 5 GiB at 12 Mbit/s. */
export const uploadURLSeconds = 3600;

/** An upload that is not complete after so many days, and that nothing names, counts as abandoned. */
export const abandonedAfterDays = 7;

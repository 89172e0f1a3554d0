// How long URLs of uploads are valid, and after how long an unfinished upload is removed.

/** How long an upload URL is valid: long enough for 5 GiB at 12 Mbit/s. */
export const uploadURLSeconds = 3600;

/** How long a download URL is valid: the time in which the download has to begin. */
export const downloadURLSeconds = 3600;

/** An upload that is not complete after so many days, and that nothing names, counts as abandoned. */
export const abandonedAfterDays = 7;

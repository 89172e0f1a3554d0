// Validity of URLs of uploads, and the age at which an unfinished upload is removed.

/** Validity of an upload URL, in seconds: long enough for 5 GiB at 12 Mbit/s. */
export const uploadURLSeconds = 3600;

/**
 * Validity of a download URL, in seconds; each request of the download has to begin within it. Any number of machines
 * may use a URL as long as it is valid.
 */
export const downloadURLSeconds = 900;

/** Days after which an incomplete upload that nothing names counts as abandoned. */
export const abandonedAfterDays = 7;

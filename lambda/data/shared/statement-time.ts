// How long a statement of Postgres may take. Decision D271.

/**
 * Seconds of a statement outside of transactions, such as those of reads: a function that has ended does not end its
 * statement. In transactions, `begin_work` allows 30 seconds, and changes that requests
 * make have 12 (`change-bounds.ts`).
 */
export const statementSeconds = 10;

/** The code of Postgres for a statement that took longer. */
export const statementEnded = '57014';

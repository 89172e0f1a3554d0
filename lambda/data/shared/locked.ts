// A row that a transaction has locked, as a type.
declare const lock: unique symbol;

/**
 * A row that this transaction has locked: no other transaction changes or deletes it until this one ends. Only these
 * statements return it: queries whose names begin with `lock`, inserts and updates. A function that takes it runs in
 * the transaction of its caller.
 */
export type Locked<Row> = Row & { readonly [lock]: true };

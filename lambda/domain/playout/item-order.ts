// The order of an advertiser that an item belongs to. Its playings are reported to it.

/** In characters. */
export const longestOrderText = 100;

/** An order, as it was when the item was planned. */
export interface ItemOrder {
  readonly reference: string;
  /** Null: no name was given. */
  readonly advertiser: string | null;
}

// The facts of a row by a programme, which timelines keep beside its item: its rule, and the reasons of the choice.

export const rowKinds = ['item', 'insert', 'filler', 'queued', 'off_air'] as const;
export type RowKind = (typeof rowKinds)[number];

export interface PlannedFacts {
  readonly kind: RowKind;
  /** Null: filler for a time without a block. */
  readonly blockID: string | null;
  /** The beginning of the block's occurrence, as Unix time in ms; 0 for a block without hours. */
  readonly occurrenceMs: number;
  /** `item`, `off_air`: the step. */
  readonly stepID?: string;
  readonly insertID?: string;
  /** `queued`: the number of the queued item. */
  readonly queueNumber?: number;
  /** `insert`: whether its break begins with this row. */
  readonly beginsBreak?: true;
  /** `item`, `queued`: the mid-roll whose break divides its item after this row; absent: the item ends. */
  readonly breakID?: string;
  /** The frame of the run at which its item began, if this row continues it after a break. */
  readonly itemStartFrame?: number;
  /** The cursor that it moves, by name. */
  readonly cursor?: string;
  readonly move?: CursorMove;
  /** Items that were considered; absent: only this one. */
  readonly candidates?: number;
  /** Members that were passed over, with the places of the separation rules that they would break. */
  readonly refused?: readonly Refused[];
  /** The places of the separation rules that it breaks, as no member meets all. */
  readonly relaxed?: readonly number[];
}

/** A member that was passed over: by separation rules, or because it is too long for the time that is left. */
export interface Refused {
  readonly uploadID: string;
  readonly by: readonly number[] | 'too_long';
}

/** The change of a cursor, a position in a collection, by one member that plays. */
export interface CursorMove {
  /** Absent: the position in the order stays, as the member was passed over before, or is new. */
  readonly lap?: number;
  /** The place of the member, or of its group, in the order of the lap. */
  readonly place?: number;
  /** The id of that member or group. */
  readonly at?: string;
  /** `newest`: Unix time in ms of the newest upload that was played. */
  readonly newestMs?: number;
  /** Ids of members that it passes over; absent: none. */
  readonly passedOver?: readonly string[];
  /** `series`: the group of the member. */
  readonly group?: string;
}

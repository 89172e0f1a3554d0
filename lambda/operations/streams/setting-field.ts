// Rows of the table of stream settings: the type of a row, and the schemas that follow from rows.
import type * as z from 'zod';
import type { Context } from '../context.ts';

/**
 * The field of the API for a setting whose column has values of type `Value`. A row of any column is
 * `SettingField<never, unknown>`.
 */
export interface SettingField<Value, Stored = Value> {
  /** The name of the field in requests and in answers. */
  readonly field: string;
  /** The schema of the field in requests, with its description. */
  readonly input: z.ZodType;
  /** The schema of the field in answers; absent: answers do not have the field. */
  readonly shown?: z.ZodType;
  /** Turns a value of a request, which is not null, into the value of the column. */
  readonly stored: (given: never, ctx: Context, streamID: string) => Stored;
  /** Turns the value of the column into the value of an answer. */
  readonly presented: (value: Value) => unknown;
  /** Whether a request may change the setting while the stream is live. */
  readonly changesLive: boolean;
}

/** A setting that requests, the column and answers have in one form. */
export function setting<const Field extends string, Input extends z.ZodType, Shown extends z.ZodType>(
  field: Field,
  { input, shown, changesLive = false }: { input: Input; shown: Shown; changesLive?: boolean },
) {
  const stored = (given: NonNullable<z.output<Input>>) => given;
  const presented = (value: z.input<Shown>) => value;
  return { field, input, shown, stored, presented, changesLive };
}

type Rows = Readonly<Record<string, Pick<SettingField<never, unknown>, 'field' | 'input' | 'shown'>>>;

/** The schemas of requests, by the names of fields. */
type Inputs<Of extends Rows> = { [Column in keyof Of as Of[Column]['field']]: Of[Column]['input'] };

/** The schemas of answers, by the names of fields. */
export type Shown<Of extends Rows> = {
  [Column in keyof Of as Of[Column] extends { shown: z.ZodType } ? Of[Column]['field'] : never]: NonNullable<
    Of[Column]['shown']
  >;
};

export function inputsOf<Of extends Rows>(rows: Of): Inputs<Of> {
  return Object.fromEntries(Object.values(rows).map(({ field, input }) => [field, input])) as Inputs<Of>;
}

export function shownOf<Of extends Rows>(rows: Of): Shown<Of> {
  const shown = Object.values(rows).filter((row) => row.shown !== undefined);
  return Object.fromEntries(shown.map((row) => [row.field, row.shown])) as Shown<Of>;
}

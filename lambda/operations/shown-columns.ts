// The fields of an answer that are columns of a row under the names of the API: `created_at` is `createdAt`.
import type * as z from 'zod';

type Word<Of extends string> = Of extends 'id' | 'url' | 'usd' ? Uppercase<Of> : Capitalize<Of>;

type Words<Of extends string> = Of extends `${infer First}_${infer Rest}` ? `${Word<First>}${Words<Rest>}` : Word<Of>;

type FieldOf<Column extends string> = Column extends `${infer First}_${infer Rest}` ? `${First}${Words<Rest>}` : Column;

/** Fields by column, each formed once: a page has hundreds of columns. */
const fields = new Map<string, string>();

function fieldOf(column: string): string {
  let field = fields.get(column);
  if (field === undefined) {
    field = column.replace(/_(id|url|usd)(?=_|$)|_(.)/g, (_, acronym?: string, letter?: string) =>
      (acronym ?? letter)!.toUpperCase(),
    );
    fields.set(column, field);
  }
  return field;
}

/** Presents the columns of a row that the schema of an answer has a field for. */
export function shownColumns<Shape extends z.ZodRawShape, Row extends object>(schema: z.ZodObject<Shape>, row: Row) {
  const fields = Object.entries(row).map(([column, value]) => [fieldOf(column), value] as const);
  return Object.fromEntries(fields.filter(([field]) => Object.hasOwn(schema.shape, field))) as {
    [Column in keyof Row & string as FieldOf<Column> & keyof Shape]: Row[Column];
  };
}

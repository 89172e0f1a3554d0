// Reads query parameters, which arrive as text, as the schema of each says: numbers, booleans, lists.
import * as z from 'zod';
import type { Operation } from '../operations/operation.ts';
import type { FieldError } from '../operations/problem-codes.ts';

export interface ReadQuery {
  readonly query: Readonly<Record<string, unknown>>;
  /** Parameters that came more often than once without being lists. */
  readonly faults: readonly FieldError[];
}

export type QueryReader = (search: URLSearchParams) => ReadQuery;

/** Built once per operation. What cannot be read as its type stays text, for the schema to refuse. */
export function queryReader(operation: Operation): QueryReader {
  const { properties = {} } = z.toJSONSchema(operation.query, { io: 'input', unrepresentable: 'any' });
  const types = new Map(Object.entries(properties).map(([name, schema]) => [name, (schema as { type?: string }).type]));
  return (search) => {
    const names = [...new Set(search.keys())];
    return {
      query: Object.fromEntries(names.map((name) => [name, read(types.get(name), search.getAll(name))])),
      faults: names
        .filter((name) => types.get(name) !== 'array' && types.has(name) && search.getAll(name).length > 1)
        .map((name) => ({ path: `/query/${name}`, code: 'validation_failed', detail: 'May be given once only.' })),
    };
  };
}

function read(type: string | undefined, values: readonly string[]): unknown {
  if (type === 'array') return values;
  const text = values[0]!;
  if ((type === 'integer' || type === 'number') && /^-?\d{1,15}(\.\d{1,9})?$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

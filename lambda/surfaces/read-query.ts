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

/** What cannot be read as its type stays text, for the schema to refuse. The types are found out once, by the first request that needs them. */
export function queryReader(operation: Operation): QueryReader {
  let known: ReadonlyMap<string, string | undefined> | null = null;
  return (search) => {
    if (search.size === 0) return { query: {}, faults: [] };
    const types = (known ??= typesOf(operation));
    const names = [...new Set(search.keys())];
    return {
      query: Object.fromEntries(names.map((name) => [name, read(types.get(name), search.getAll(name))])),
      faults: names
        .filter((name) => types.get(name) !== 'array' && types.has(name) && search.getAll(name).length > 1)
        .map((name) => ({ path: `/query/${name}`, code: 'validation_failed', detail: 'May be given once only.' })),
    };
  };
}

function typesOf(operation: Operation): ReadonlyMap<string, string | undefined> {
  const { properties = {} } = z.toJSONSchema(operation.query, { io: 'input', unrepresentable: 'any' });
  return new Map(Object.entries(properties).map(([name, schema]) => [name, (schema as { type?: string }).type]));
}

function read(type: string | undefined, values: readonly string[]): unknown {
  if (type === 'array') return values;
  const text = values[0]!;
  if ((type === 'integer' || type === 'number') && /^-?\d{1,15}(\.\d{1,9})?$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

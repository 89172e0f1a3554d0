// Reads query parameters, which arrive as text, according to the types in their schema: numbers, booleans, lists.
import * as z from 'zod';
import type { Operation } from '../../operations/operation.ts';
import type { FieldError } from '../../operations/problem-codes.ts';

export interface ReadQuery {
  readonly query: Readonly<Record<string, unknown>>;
  /** One fault for each parameter that is not a list but was sent several times. */
  readonly faults: readonly FieldError[];
}

export type QueryReader = (search: URLSearchParams) => ReadQuery;

/**
 * Creates a reader of an operation's query parameters. A value without the form of its type stays text, and the schema
 * then refuses it. The types are determined at the first request with parameters.
 */
export function queryReader(operation: Operation): QueryReader {
  let known: ReadonlyMap<string, string | undefined> | null = null;
  return (search) => {
    if (search.size === 0) return { query: {}, faults: [] };
    known ??= typesOf(operation);
    const types = known;
    const names = [...new Set(search.keys())];
    const repeated = names.filter(
      (name) => types.has(name) && types.get(name) !== 'array' && search.getAll(name).length > 1,
    );
    const detail = 'Send this parameter only once.';
    return {
      query: Object.fromEntries(names.map((name) => [name, read(types.get(name), search.getAll(name))])),
      faults: repeated.map((name) => ({ path: `/query/${name}`, code: 'validation_failed', detail })),
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

// What a JSON Schema means in GraphQL, whether it is of an answer or of an argument: scalars, enums, names, nullability.
import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLScalarType,
  GraphQLString,
} from 'graphql';
import type { Json } from '../openapi/schemas.ts';

/** As much of JSON Schema as the catalogue's schemas come out as. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly deprecated?: boolean;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
}

export type Components = Json & Readonly<Record<string, Schema>>;

// What these hold is checked where every surface checks it: the same faults, in the same words.
const dateTime = new GraphQLScalarType({
  name: 'DateTime',
  description: 'A time in ISO 8601; answers are in UTC, arguments have Z or an offset.',
});
const json = new GraphQLScalarType({ name: 'JSON', description: 'An object whose members are data, such as headers.' });

/** The schema where it is not null, and whether it can be. */
export function withoutNull(schema: Schema): { readonly present: Schema; readonly nullable: boolean } {
  const { anyOf, type, ...rest } = schema;
  const options = anyOf?.filter((option) => option.type !== 'null');
  if (anyOf && options?.length === 1)
    return { present: { ...rest, ...options[0] }, nullable: options.length < anyOf.length };
  if (Array.isArray(type))
    return {
      present: { ...rest, type: type.find((name) => name !== 'null') as string },
      nullable: type.includes('null'),
    };
  return { present: schema, nullable: false };
}

/** The component that a schema refers to. */
export function componentOf(schema: Schema): string | null {
  return schema.$ref?.replace('#/components/schemas/', '') ?? null;
}

/** What is neither object, list nor enum. @param field what the place is called: identifiers are told by their name */
export function scalarOf(
  { type, format, minimum = -Infinity, maximum = Infinity }: Schema,
  field: string,
): GraphQLScalarType {
  if (type === 'string') {
    if (format === 'date-time') return dateTime;
    return /(^ids?|IDs?)$/.test(field) ? GraphQLID : GraphQLString;
  }
  if (type === 'boolean') return GraphQLBoolean;
  if (type === 'number') return GraphQLFloat;
  // Int ends at 32 bits: bytes and frames do not fit. Float is exact up to 2^53, as JSON's numbers are.
  if (type === 'integer')
    return format === 'int32' || (minimum >= -(2 ** 31) && maximum < 2 ** 31) ? GraphQLInt : GraphQLFloat;
  // Members that the schema does not name: whatever they are.
  if (type === 'object') return json;
  throw new Error(`GraphQL has no type for ${field}: ${String(type)}`);
}

export type Enums = (values: readonly string[], name: string) => GraphQLEnumType;

/** Whether values can be those of an enum: `stream.started` cannot, and stays text. */
export function areNames(values: readonly string[]): boolean {
  return values.every((value) => /^[_a-z]\w*$/i.test(value));
}

/** What a place is described by: with the values that its type does not tell. */
export function descriptionOf({ description, ...schema }: Schema): string | undefined {
  const { enum: values } = withoutNull(schema.items ?? schema).present;
  if (!values || areNames(values)) return description;
  return `${description ? `${description} ` : ''}One of ${values.join(', ')}.`;
}

/** One enum for each set of values, named after the first place that has it. */
export function createEnums(): Enums {
  const known = new Map<string, GraphQLEnumType>();
  return (values, name) => {
    const key = values.join(' ');
    const type =
      known.get(key) ?? new GraphQLEnumType({ name, values: Object.fromEntries(values.map((value) => [value, {}])) });
    known.set(key, type);
    return type;
  };
}

/** Descriptions name operations as tools (`start_stream`); here they are fields (`startStream`). */
export type Wording = (text: string | undefined) => string | undefined;

/** `Stream`, `recurrence` → `StreamRecurrence`; `Stream`, `streamBackend` → `StreamBackend`. */
export function nameAt(parent: string, field: string): string {
  const name = capitalized(field);
  return name.startsWith(parent) && name !== parent ? name : parent + name;
}

export function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

// The meaning of the JSON Schemas of answers and arguments in GraphQL: scalars, enums, names, and null.
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

/** The part of JSON Schema that the schemas of the catalogue use. */
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

// These scalars check nothing. Operations check their values, so that every surface reports the same faults.
const dateTime = new GraphQLScalarType({
  name: 'DateTime',
  description: 'Time in ISO 8601. Answers are in UTC; arguments need Z or an offset.',
});
const json = new GraphQLScalarType({ name: 'JSON', description: 'Object whose members are data, such as headers.' });

/** The schema without null, and whether the original allows null. */
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

/** The name of the component that a schema refers to; null if it is not a reference. */
export function componentOf(schema: Schema): string | null {
  return schema.$ref?.replace('#/components/schemas/', '') ?? null;
}

/**
 * The scalar of a schema that is not an object, list or enum.
 * @param field its name, which identifies IDs
 */
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
  // Int has 32 bits, too few for counts of bytes and frames. Float is exact up to 2^53, like numbers in JSON.
  if (type === 'integer')
    return format === 'int32' || (minimum >= -(2 ** 31) && maximum < 2 ** 31) ? GraphQLInt : GraphQLFloat;
  // An object whose members are not in the schema.
  if (type === 'object') return json;
  throw new Error(`GraphQL has no type for ${field}: ${String(type)}`);
}

export type Enums = (values: readonly string[], name: string) => GraphQLEnumType;

/** Whether all values can be names of an enum. `stream.started` cannot, so such values are text. */
export function areNames(values: readonly string[]): boolean {
  return values.every((value) => /^[_a-z]\w*$/i.test(value));
}

/** The description of a field or argument. It lists the values that cannot be an enum. */
export function descriptionOf({ description, ...schema }: Schema): string | undefined {
  const { enum: values } = withoutNull(schema.items ?? schema).present;
  if (!values || areNames(values)) return description;
  return `${description ? `${description} ` : ''}One of ${values.join(', ')}.`;
}

/** Creates one enum for each set of values, named after the first field that has it. */
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

/** Replaces the names of tools in descriptions (`start_stream`) with the names of fields (`startStream`). */
export type Wording = (text: string | undefined) => string | undefined;

/** `Stream`, `recurrence` → `StreamRecurrence`; `Stream`, `streamBackend` → `StreamBackend`. */
export function nameAt(parent: string, field: string): string {
  const name = capitalized(field);
  return name.startsWith(parent) && name !== parent ? name : parent + name;
}

export function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

// What a JSON Schema of an answer or argument means in GraphQL: scalars, enums, names, and null.
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

// These scalars check nothing. Operations check their values, with the same faults in the same words on every surface.
const dateTime = new GraphQLScalarType({
  name: 'DateTime',
  description: 'A time in ISO 8601; answers are in UTC, arguments have Z or an offset.',
});
const json = new GraphQLScalarType({ name: 'JSON', description: 'An object whose members are data, such as headers.' });

/** The schema without null, and whether it allows null. */
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

/** The name of the component that a schema refers to; null where it refers to none. */
export function componentOf(schema: Schema): string | null {
  return schema.$ref?.replace('#/components/schemas/', '') ?? null;
}

/**
 * The scalar of a schema that is no object, list or enum.
 * @param field its name, by which identifiers are recognized
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
  // Int has 32 bits, which is too few for counts of bytes and frames. Float is
  // exact up to 2^53, as numbers in JSON are.
  if (type === 'integer')
    return format === 'int32' || (minimum >= -(2 ** 31) && maximum < 2 ** 31) ? GraphQLInt : GraphQLFloat;
  // An object whose members the schema does not name.
  if (type === 'object') return json;
  throw new Error(`GraphQL has no type for ${field}: ${String(type)}`);
}

export type Enums = (values: readonly string[], name: string) => GraphQLEnumType;

/** Whether values can be names in an enum. `stream.started` cannot, so such values stay text. */
export function areNames(values: readonly string[]): boolean {
  return values.every((value) => /^[_a-z]\w*$/i.test(value));
}

/** The description of a field or argument. It lists the values where they cannot be those of an enum. */
export function descriptionOf({ description, ...schema }: Schema): string | undefined {
  const { enum: values } = withoutNull(schema.items ?? schema).present;
  if (!values || areNames(values)) return description;
  return `${description ? `${description} ` : ''}One of ${values.join(', ')}.`;
}

/** Makes one enum for each set of values, named after the first field that has it. */
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

/** Turns the names of tools in descriptions (`start_stream`) into those of fields (`startStream`). */
export type Wording = (text: string | undefined) => string | undefined;

/** `Stream`, `recurrence` → `StreamRecurrence`; `Stream`, `streamBackend` → `StreamBackend`. */
export function nameAt(parent: string, field: string): string {
  const name = capitalized(field);
  return name.startsWith(parent) && name !== parent ? name : parent + name;
}

export function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

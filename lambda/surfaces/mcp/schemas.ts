// JSON Schemas as tools carry them: each complete in itself, and as short as it can be, since agents read all of them.
import type * as z from 'zod';
import { maxIDLength } from '../../operations/fields.ts';
import { storableTextPattern } from '../fault-wording.ts';
import { jsonSchema } from '../openapi/schemas.ts';
import type { Json } from '../openapi/schemas.ts';

/** Components that another tool describes, by the name of that tool. */
export type DescribedElsewhere = ReadonlyMap<string, string>;

/** The schema with everything that it refers to in its place, as many clients follow no references; what is described elsewhere only with its fields' types. */
export function selfContained(
  schema: z.ZodType,
  io: 'input' | 'output',
  elsewhere: DescribedElsewhere = new Map(),
): Json {
  const schemas: Json = {};
  const complete = inPlace(jsonSchema(schema, io, schemas), schemas, elsewhere) as Json;
  // Models are given inputs, and some of their providers take no list of types.
  return io === 'input' ? complete : (withoutUnionsOfNull(complete) as Json);
}

/** The component that a schema is, if it is one, and those that it is directly made of. */
export function componentsOf(schema: z.ZodType): { readonly root: string | null; readonly parts: readonly string[] } {
  const schemas: Json = {};
  const { $ref, ...own } = jsonSchema(schema, 'output', schemas) as Json & { $ref?: string };
  const root = $ref === undefined ? null : nameIn($ref);
  const parts = JSON.stringify(root === null ? own : schemas[root]).matchAll(/"\$ref":"([^"]*)"/g);
  return { root, parts: [...parts].map(([, reference]) => nameIn(reference!)) };
}

function inPlace(value: unknown, schemas: Json, elsewhere: DescribedElsewhere): unknown {
  if (Array.isArray(value)) return value.map((member) => inPlace(member, schemas, elsewhere));
  if (value === null || typeof value !== 'object') return value;
  const { $ref, ...own } = value as Json & { $ref?: string };
  const component = $ref === undefined ? {} : (schemas[nameIn($ref)] as Json);
  const schema = Object.fromEntries(
    Object.entries({ ...component, ...own })
      .filter(([name, member]) => !isNoise(name, member))
      .map(([name, member]) => [name, name === 'examples' ? member : inPlace(member, schemas, elsewhere)]),
  );
  // Only objects are worth it: the values of an enum are as short.
  const teller = $ref === undefined || !component['properties'] ? undefined : elsewhere.get(nameIn($ref));
  return teller === undefined ? withoutListOfTypes(schema) : outlined(schema, teller);
}

function nameIn(reference: string): string {
  return reference.slice('#/components/schemas/'.length);
}

/** What says nothing that an agent could act on: the service checks it anyway. */
function isNoise(name: string, member: unknown): boolean {
  if (name === 'pattern') return member === storableTextPattern;
  if (name === 'maxLength') return member === maxIDLength;
  return (
    (name === 'minLength' && Number(member) <= 1) ||
    member === Number.MAX_SAFE_INTEGER ||
    member === Number.MIN_SAFE_INTEGER
  );
}

function withoutListOfTypes(schema: Json): Json {
  const { type, ...rest } = schema;
  return Array.isArray(type) ? { ...rest, anyOf: type.map((one: unknown) => ({ type: one })) } : schema;
}

/** `anyOf: [X, null]` as X whose type may also be null: half as long. */
function withoutUnionsOfNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUnionsOfNull);
  if (value === null || typeof value !== 'object') return value;
  const schema = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutUnionsOfNull(member)]));
  const { anyOf, ...rest } = schema as Json & { anyOf?: readonly Json[] };
  const [option, nothing, ...others] = anyOf ?? [];
  if (!option || nothing?.['type'] !== 'null' || others.length > 0 || typeof option['type'] !== 'string') return schema;
  const values = option['enum'] as readonly unknown[] | undefined;
  return { ...option, type: [option['type'], 'null'], ...(values ? { enum: [...values, null] } : {}), ...rest };
}

function outlined(schema: Json, teller: string): Json {
  const { properties = {} } = schema as { properties?: Readonly<Record<string, Json>> };
  const types = Object.entries(properties).map(([name, property]) => [name, typeOnly(property)]);
  return { type: 'object', description: `As ${teller} answers it.`, properties: Object.fromEntries(types) };
}

function typeOnly({ type, anyOf }: Json): Json {
  if (Array.isArray(anyOf)) return { anyOf: anyOf.map(typeOnly) };
  return type === undefined ? {} : { type };
}

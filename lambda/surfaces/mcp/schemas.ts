// JSON Schemas of tools: complete without references, and as short as possible, because AI clients read all of them.
// Decision D56.
import type * as z from 'zod';
import { maxIDLength } from '../../operations/fields.ts';
import { storableTextPattern } from '../fault-wording.ts';
import { jsonSchema } from '../openapi/schemas.ts';
import type { Json } from '../openapi/schemas.ts';

/** The name of the tool that describes a component, by the name of the component. */
export type DescribedElsewhere = ReadonlyMap<string, string>;

/**
 * Replaces each reference in a schema by its component, because many clients do not follow references. A component that
 * another tool describes becomes a reference to that tool.
 */
export function selfContained(
  schema: z.ZodType,
  io: 'input' | 'output',
  elsewhere: DescribedElsewhere = new Map(),
): Json {
  const schemas: Json = {};
  const complete = inPlace(jsonSchema(schema, io, schemas), schemas, elsewhere) as Json;
  // AI models read the schemas of inputs, and some model providers reject lists of types in them.
  return io === 'input' ? complete : (withoutUnionsOfNull(complete) as Json);
}

/** The name of the component that a schema is, or null, and the components that it directly contains. */
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
  const whole: Json = { ...component, ...own };
  const members = Object.entries(whole).filter(([name, member]) => !isNoise(name, member, whole['format']));
  const schema = Object.fromEntries(
    members.map(([name, member]) => [name, name === 'examples' ? member : inPlace(member, schemas, elsewhere)]),
  );
  // Only objects become shorter by a reference to another tool. Enums are already short.
  const describer = $ref === undefined || !component['properties'] ? undefined : elsewhere.get(nameIn($ref));
  return describer === undefined ? withoutListOfTypes(schema) : outlined(describer);
}

function nameIn(reference: string): string {
  return reference.slice('#/components/schemas/'.length);
}

/** Whether a part of a schema is of no use to an AI client: the service checks it anyway. */
function isNoise(name: string, member: unknown, format: unknown): boolean {
  // The pattern of a day, with its leap years, is ten times as long as the name of its format.
  if (name === 'pattern') return member === storableTextPattern || format === 'date';
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

/** Writes `anyOf: [X, null]` as X with a list of types, which is half as long. */
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

function outlined(describer: string): Json {
  return { type: 'object', description: `See the answer of ${describer}.` };
}

/** Parts of a schema that a model does not need to choose a value. The service checks them. */
const checkedAnyway: readonly string[] =
  'pattern minLength maxLength minItems maxItems multipleOf additionalProperties examples writeOnly'.split(' ');

/** The part of a schema that a model needs to choose a value: types, choices, ranges of numbers, and descriptions. */
export function terse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(terse);
  if (value === null || typeof value !== 'object') return value;
  const { anyOf, ...own } = value as Json & { anyOf?: readonly Json[] };
  const options = anyOf?.filter(({ type }) => type !== 'null') ?? [];
  const schema: Json = options.length === 1 ? { ...options[0], ...own } : (value as Json);
  const isLimit = (name: string, member: unknown) =>
    (name === 'maximum' && Number(member) >= 2 ** 31 - 1) || (name === 'format' && member === 'int32');
  const members = Object.entries(schema).filter(
    ([name, member]) => !checkedAnyway.includes(name) && !isLimit(name, member) && member !== null,
  );
  return Object.fromEntries(members.map(([name, member]) => [name, terse(member)]));
}

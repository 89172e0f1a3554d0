// The zod schemas of the catalogue as JSON Schema 2020-12, the dialect of OpenAPI 3.1.
import * as z from 'zod';
import { storableTextPattern } from '../fault-wording.ts';

export type Json = Record<string, unknown>;

/** The part of JSON Schema that the platform's own readers of the document use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly minimum?: number;
}

/**
 * Converts a zod schema to JSON Schema. Each schema with an ID is added to `schemas` as a component, and referenced.
 */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  const document = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: (found) => simplify(found, io) });
  const { $schema: _schema, $defs = {}, ...root } = toComponentReferences(document) as Json & { $defs?: Json };
  // The first stays: a component may have got its example since.
  for (const [id, definition] of Object.entries($defs)) schemas[id] ??= withoutID(definition as Json);
  if (typeof root['id'] !== 'string') return root;
  schemas[root['id']] ??= withoutID(root);
  return { $ref: `#/components/schemas/${root['id']}` };
}

function withoutID({ id: _id, ...schema }: Json): Json {
  return schema;
}

interface Found {
  readonly zodSchema: z.core.$ZodTypes;
  readonly jsonSchema: z.core.JSONSchema.BaseSchema;
}

const int32 = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };

/** Removes parts that clients do not need: the patterns of date-times and, in answers, the bounds of integers. */
function simplify({ zodSchema, jsonSchema }: Found, io: 'input' | 'output'): void {
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  if (jsonSchema.minimum === int32.minimum && jsonSchema.maximum === int32.maximum) jsonSchema.format = 'int32';
  if (io === 'output' && (jsonSchema.minimum === Number.MIN_SAFE_INTEGER || jsonSchema.format === 'int32'))
    delete jsonSchema.minimum;
  if (io === 'output' && (jsonSchema.maximum === Number.MAX_SAFE_INTEGER || jsonSchema.format === 'int32'))
    delete jsonSchema.maximum;
  // A field added to an answer later must not break clients that validate answers.
  if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  const { type } = zodSchema._zod.def;
  if (type === 'date') Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
  if (io === 'input' && type === 'string' && jsonSchema.format === undefined)
    jsonSchema.pattern ??= storableTextPattern;
}

function toComponentReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toComponentReferences);
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value).map(([key, member]: [string, unknown]) => {
    const isReference = key === '$ref' && typeof member === 'string';
    return [key, isReference ? member.replace('#/$defs/', '#/components/schemas/') : toComponentReferences(member)];
  });
  return Object.fromEntries(members);
}

// Short answers: the fields of an answer that a model needs. Values stay as they are. Decision D236.
import type * as z from 'zod';
import { jsonSchema } from '../openapi/schemas.ts';
import type { Json, Schema } from '../openapi/schemas.ts';

/** The fields that stay in a short answer, by the component of the API's description that has them. */
export interface ShortFields {
  readonly everywhere: Readonly<Record<string, readonly string[]>>;
  /** Fields that stay as well when one resource is read. */
  readonly whenRead: Readonly<Record<string, readonly string[]>>;
}

/** Makes an answer short. */
type Shorten = (answer: Json) => Json;

/**
 * The function that makes answers of a schema short; null if they have nothing to leave out.
 * @param body the schema of the answers; undefined: there are none
 * @param isRead whether the answer is one resource that is read @default false
 */
export type ShortenerOf = (body: z.ZodType | undefined, isRead?: boolean) => Shorten | null;

/** Gives the shorteners of schemas. Each is made once, because reading a schema takes milliseconds. */
export function shortenersOf(fields: ShortFields): ShortenerOf {
  const [listed, read] = [new Map<z.ZodType, Shorten | null>(), new Map<z.ZodType, Shorten | null>()];
  return (body, isRead = false) => {
    if (!body) return null;
    const made = isRead ? read : listed;
    const known = made.get(body);
    if (known !== undefined) return known;
    const shorten = shortener(body, fields, isRead);
    made.set(body, shorten);
    return shorten;
  };
}

function shortener(body: z.ZodType, fields: ShortFields, isRead: boolean): Shorten | null {
  const schemas: Record<string, Schema> = {};
  const root = jsonSchema(body, 'output', schemas) as Schema;
  if (!Object.keys(schemas).some((component) => Object.hasOwn(fields.everywhere, component))) return null;

  function kept(component: string): readonly string[] | undefined {
    const always = fields.everywhere[component];
    return always && isRead ? [...always, ...(fields.whenRead[component] ?? [])] : always;
  }

  function shorten(value: unknown, schema: Schema | undefined): unknown {
    if (value === null || typeof value !== 'object' || !schema) return value;
    const { $ref, anyOf, items, properties = {} } = schema;
    if (anyOf)
      return shorten(
        value,
        anyOf.find(({ type }) => type !== 'null'),
      );
    if (Array.isArray(value)) return value.map((each) => shorten(each, items));
    const component = $ref?.slice('#/components/schemas/'.length);
    const own = component === undefined ? properties : (schemas[component]?.properties ?? {});
    const names = component === undefined ? undefined : kept(component);
    const members = Object.entries(value).filter(
      ([name, member]) => !names || (names.includes(name) && member !== null),
    );
    return Object.fromEntries(members.map(([name, member]) => [name, shorten(member, own[name])]));
  }
  return (answer) => shorten(answer, root) as Json;
}

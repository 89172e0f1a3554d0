// Builds the arguments of a GraphQL field from the path, query and body of its operation, and converts them back.
// Decision D50.
import { GraphQLBoolean, GraphQLInputObjectType, GraphQLList, GraphQLNonNull, GraphQLString } from 'graphql';
import type { GraphQLArgumentConfig, GraphQLEnumType, GraphQLInputType, GraphQLScalarType } from 'graphql';
import type { Operation } from '../../operations/operation.ts';
import { jsonSchema } from '../openapi/schemas.ts';
import type { RawInput } from '../validate.ts';
import { areNames, capitalized, componentOf, descriptionOf, nameAt, scalarOf, withoutNull } from './json-types.ts';
import type { Components, Enums, Schema, Wording } from './json-types.ts';

type Present = GraphQLInputObjectType | GraphQLEnumType | GraphQLScalarType | GraphQLList<GraphQLInputType>;
type Values = Readonly<Record<string, unknown>>;

/** An argument, and the part of the operation's input that it belongs to. */
interface Place {
  readonly argument: string;
  readonly part: 'params' | 'query' | 'body';
  /** The name of the field in that part. */
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** The input of a call as the client sent it, not yet validated. */
export interface Given {
  readonly raw: RawInput;
  readonly idempotencyKey: unknown;
  /** Translates a pointer into a REST request to a pointer into the arguments. */
  readonly pathOf: (pointer: string) => string;
}

interface InputObjectConfig {
  readonly name: string;
  readonly description: string | undefined;
  readonly fields: () => Record<string, GraphQLArgumentConfig>;
  readonly isOneOf: boolean;
}

export interface OperationArguments {
  readonly config: Readonly<Record<string, GraphQLArgumentConfig>>;
  /**
   * Converts arguments into the input of the operation. They may have any value, because the schemas of the operation
   * check them.
   */
  readonly read: (values: Values) => Given;
}

export type Arguments = (operation: Operation, answer: { readonly isPaged: boolean }) => OperationArguments;

/** The paging parameters of REST, with the names that GraphQL clients know from connections. */
const pagingArguments: Readonly<Record<string, { readonly name: string; readonly description: string }>> = {
  limit: { name: 'first', description: 'Maximum number of nodes on the page, 1 to 100.' },
  cursor: { name: 'after', description: 'endCursor of the previous page. Leave it out for the first page.' },
};

const idempotencyKey: GraphQLArgumentConfig = {
  type: GraphQLString,
  description:
    'Key with 1 to 255 visible ASCII characters. A repeated call with the same key within 24 hours returns the ' +
    'first answer instead of running again.',
};

export function createArguments(enums: Enums, wording: Wording): Arguments {
  const components: Components = {};
  const objects = new Map<string, GraphQLInputObjectType>();

  return (operation, { isPaged }) => {
    const places = (['params', 'query', 'body'] as const).flatMap((part): Place[] => {
      const { properties = {}, required = [] }: Schema = operation[part]
        ? jsonSchema(operation[part], 'input', components)
        : {};
      return Object.entries(properties).map(([name, schema]) => {
        const paging = isPaged && part === 'query' ? pagingArguments[name] : undefined;
        return {
          argument: paging?.name ?? name,
          part,
          name,
          schema: { ...schema, description: paging?.description ?? schema.description },
          isRequired: required.includes(name),
        };
      });
    });
    const prefix = capitalized(operation.id);
    const config = places.map((place) => [place.argument, argumentOf(place, prefix, place.name)] as const);
    if (new Set(places.map(({ argument }) => argument)).size < places.length)
      throw new Error(`${operation.id} has an argument twice`);
    return {
      config: { ...Object.fromEntries(config), ...(operation.method === 'POST' ? { idempotencyKey } : {}) },
      read: (values) => read(operation, places, values),
    };
  };

  function argumentOf(
    { schema, isRequired }: Pick<Place, 'schema' | 'isRequired'>,
    parent: string,
    field: string,
  ): GraphQLArgumentConfig {
    const { deprecated } = schema;
    const description = wording(descriptionOf(schema));
    const type = typeAt(schema, parent, field);
    return {
      type: isRequired && !withoutNull(schema).nullable ? new GraphQLNonNull(type) : type,
      ...(schema.default === undefined ? {} : { default: { value: schema.default } }),
      ...(deprecated ? { deprecationReason: capitalized(description!.replace('Deprecated: ', '')) } : { description }),
    };
  }

  function typeAt(schema: Schema, parent: string, field: string): Present {
    const { present } = withoutNull(schema);
    const component = componentOf(present);
    if (component !== null) return presentTypeOf(components[component]!, component, component, '');
    return presentTypeOf(present, nameAt(parent, field), parent, field);
  }

  function presentTypeOf(schema: Schema, name: string, parent: string, field: string): Present {
    if (schema.items) return new GraphQLList(new GraphQLNonNull(typeAt(schema.items, parent, field)));
    if (schema.enum && areNames(schema.enum)) return enums(schema.enum, name);
    const named = { name: `${name}Input`, description: schema.description };
    if (schema.oneOf) return memoized({ ...named, fields: () => variantsOf(schema, name), isOneOf: true });
    if (schema.properties) return memoized({ ...named, fields: () => fieldsOf(schema, name), isOneOf: false });
    return scalarOf(schema, field);
  }

  function fieldsOf({ properties = {}, required = [] }: Schema, name: string): Record<string, GraphQLArgumentConfig> {
    const fields = Object.entries(properties).map(([field, schema]) => {
      const isRequired = required.includes(field);
      return [field, argumentOf({ schema, isRequired }, name, field)] as const;
    });
    return Object.fromEntries(fields);
  }

  /**
   * A union of options with a discriminator becomes an object with one field per option. Exactly one of the fields is
   * set.
   */
  function variantsOf(union: Schema, name: string): Record<string, GraphQLArgumentConfig> {
    const fields = optionsOf(union).map(({ variant, rest }) => {
      // GraphQL has no objects without fields, so the value of an option without members is `true`.
      if (Object.keys(rest.properties ?? {}).length === 0)
        return [variant, { type: GraphQLBoolean, description: 'true' }] as const;
      return [variant, { type: presentTypeOf(rest, nameAt(name, variant), name, variant) }] as const;
    });
    return Object.fromEntries(fields);
  }

  function memoized(config: InputObjectConfig): GraphQLInputObjectType {
    const known = objects.get(config.name) ?? new GraphQLInputObjectType(config);
    objects.set(config.name, known);
    return known;
  }

  function read(operation: Operation, places: readonly Place[], values: Values): Given {
    const variants = new WeakMap<object, string>();
    const partOf = (part: Place['part']) => {
      const given = places.filter((place) => place.part === part && values[place.argument] !== undefined);
      return Object.fromEntries(
        given.map(({ name, argument, schema }) => [name, wireOf(schema, values[argument], variants)]),
      );
    };
    const body = operation.body ? partOf('body') : undefined;
    return {
      raw: { params: partOf('params'), query: partOf('query'), body },
      idempotencyKey: operation.method === 'POST' ? (values['idempotencyKey'] ?? null) : null,
      pathOf(pointer) {
        const [, prefix, name = ''] = /^\/(path|query)\/(.*)$/s.exec(pointer) ?? [];
        if (prefix === undefined) return `/${withVariants(body, pointer.split('/').slice(1), variants).join('/')}`;
        const part = prefix === 'path' ? 'params' : prefix;
        const place = places.find((candidate) => candidate.part === part && candidate.name === name);
        return `/${place?.argument ?? name}`;
      },
    };
  }

  /** Converts a value to the form of the operation: an object with the field of an option becomes that option. */
  function wireOf(schema: Schema, value: unknown, variants: WeakMap<object, string>): unknown {
    const { present } = withoutNull(schema);
    const component = componentOf(present);
    if (component !== null) return wireOf(components[component]!, value, variants);
    const { items } = present;
    if (Array.isArray(value)) return items ? value.map((member) => wireOf(items, member, variants)) : value;
    if (value === null || typeof value !== 'object' || !present.oneOf) return value;
    const [[variant, inner] = ['', null], ...others] = Object.entries(value) as [string, unknown][];
    const option = optionsOf(present).find((one) => one.variant === variant);
    const isOption = inner === true || (typeof inner === 'object' && inner !== null);
    if (!option || others.length > 0 || !isOption) return value;
    const wire = { [option.tag]: variant, ...(inner === true ? {} : inner) };
    variants.set(wire, variant);
    return wire;
  }
}

/** One option of a union. */
interface UnionOption {
  /** The name of the discriminator. */
  readonly tag: string;
  /** The value of the discriminator in this option. */
  readonly variant: string;
  /** The schema of the option without the discriminator. */
  readonly rest: Schema;
}

function optionsOf({ oneOf = [] }: Schema): UnionOption[] {
  return oneOf.map(({ properties = {}, required = [], ...option }) => {
    const constant = Object.entries(properties).find(([, member]) => member.const !== undefined);
    const [tag, { const: variant }] = constant as [string, { const: string }];
    const { [tag]: _, ...others } = properties;
    const rest = { ...option, properties: others, required: required.filter((name) => name !== tag) };
    return { tag, variant, rest };
  });
}

/**
 * Converts a path into the body of REST to a path into the arguments, which have an additional field for each option on
 * the way.
 */
function withVariants(value: unknown, path: readonly string[], variants: WeakMap<object, string>): readonly string[] {
  const isObject = typeof value === 'object' && value !== null;
  const variant = isObject ? variants.get(value) : undefined;
  const [next, ...rest] = path;
  if (next === undefined) return [];
  const below = isObject ? (value as Values)[next] : undefined;
  return [...(variant === undefined ? [] : [variant]), next, ...withVariants(below, rest, variants)];
}

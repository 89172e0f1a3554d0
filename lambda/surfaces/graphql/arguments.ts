// The input of an operation as arguments of its field: path, query and body side by side, and back again.
import { GraphQLBoolean, GraphQLInputObjectType, GraphQLList, GraphQLNonNull, GraphQLString } from 'graphql';
import type { GraphQLArgumentConfig, GraphQLEnumType, GraphQLInputType, GraphQLScalarType } from 'graphql';
import type { Operation } from '../../operations/operation.ts';
import { jsonSchema } from '../openapi/schemas.ts';
import type { RawInput } from '../validate.ts';
import { areNames, capitalized, componentOf, descriptionOf, nameAt, scalarOf, withoutNull } from './json-types.ts';
import type { Components, Enums, Schema, Wording } from './json-types.ts';

type Present = GraphQLInputObjectType | GraphQLEnumType | GraphQLScalarType | GraphQLList<GraphQLInputType>;
type Values = Readonly<Record<string, unknown>>;

/** An argument: where it goes, and how. */
interface Place {
  readonly argument: string;
  readonly part: 'params' | 'query' | 'body';
  /** What it is called there. */
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
}

/** A call's input as it was given. */
export interface Given {
  readonly raw: RawInput;
  readonly idempotencyKey: unknown;
  /** From a pointer into the request of REST to one into the arguments. */
  readonly pathOf: (pointer: string) => string;
}

export interface OperationArguments {
  readonly config: Readonly<Record<string, GraphQLArgumentConfig>>;
  /** Takes arguments apart. They may be anything at all: what they hold is for the operation's schemas to judge. */
  readonly read: (values: Values) => Given;
}

export type Arguments = (operation: Operation, isPaged: boolean) => OperationArguments;

/** Clients page through connections by these names. */
const pagingArguments: Readonly<Record<string, { readonly name: string; readonly description: string }>> = {
  limit: { name: 'first', description: 'Nodes per page, 1 to 100.' },
  cursor: { name: 'after', description: "The previous page's endCursor." },
};

const idempotencyKey: GraphQLArgumentConfig = {
  type: GraphQLString,
  description:
    '1 to 255 visible ASCII characters. A repeated call with the same key is answered with the first answer instead of running again; kept 24 hours.',
};

export function createArguments(enums: Enums, wording: Wording): Arguments {
  const components: Components = {};
  const objects = new Map<string, GraphQLInputObjectType>();

  return (operation, isPaged) => {
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
          required: required.includes(name),
        };
      });
    });
    const prefix = capitalized(operation.id);
    const config = places.map(
      ({ argument, name, schema, required }) => [argument, argumentOf(schema, required, prefix, name)] as const,
    );
    if (new Set(places.map(({ argument }) => argument)).size < places.length)
      throw new Error(`${operation.id} has an argument twice`);
    return {
      config: { ...Object.fromEntries(config), ...(operation.method === 'POST' ? { idempotencyKey } : {}) },
      read: (values) => read(operation, places, values),
    };
  };

  function argumentOf(schema: Schema, required: boolean, parent: string, field: string): GraphQLArgumentConfig {
    const { deprecated } = schema;
    const description = wording(descriptionOf(schema));
    const type = typeAt(schema, parent, field);
    return {
      type: required && !withoutNull(schema).nullable ? new GraphQLNonNull(type) : type,
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
    if (schema.oneOf) return memoized(`${name}Input`, schema.description, () => variantsOf(schema, name), true);
    if (schema.properties) return memoized(`${name}Input`, schema.description, () => fieldsOf(schema, name), false);
    return scalarOf(schema, field);
  }

  function fieldsOf({ properties = {}, required = [] }: Schema, name: string) {
    return Object.fromEntries(
      Object.entries(properties).map(([field, schema]) => [
        field,
        argumentOf(schema, required.includes(field), name, field),
      ]),
    );
  }

  /** Options that a member tells apart become the fields of an object that takes exactly one of them. */
  function variantsOf(union: Schema, name: string) {
    const fields = optionsOf(union).map(({ variant, rest }) => {
      // There are no objects without fields: such an option is `true`.
      const isBare = Object.keys(rest.properties ?? {}).length === 0;
      return [
        variant,
        {
          type: isBare ? GraphQLBoolean : presentTypeOf(rest, nameAt(name, variant), name, variant),
          description: isBare ? 'true' : undefined,
        },
      ];
    });
    return Object.fromEntries(fields) as Record<string, GraphQLArgumentConfig>;
  }

  function memoized(
    name: string,
    description: string | undefined,
    fields: () => Record<string, GraphQLArgumentConfig>,
    isOneOf: boolean,
  ): GraphQLInputObjectType {
    const known = objects.get(name) ?? new GraphQLInputObjectType({ name, description, fields, isOneOf });
    objects.set(name, known);
    return known;
  }

  function read(operation: Operation, places: readonly Place[], values: Values): Given {
    const variants = new WeakMap<object, string>();
    const partOf = (part: Place['part']) =>
      Object.fromEntries(
        places
          .filter((place) => place.part === part && values[place.argument] !== undefined)
          .map(({ name, argument, schema }) => [name, wireOf(schema, values[argument], variants)]),
      );
    const body = operation.body ? partOf('body') : undefined;
    return {
      raw: { params: partOf('params'), query: partOf('query'), body },
      idempotencyKey: operation.method === 'POST' ? (values['idempotencyKey'] ?? null) : null,
      pathOf(pointer) {
        const [, part, name = ''] = /^\/(path|query)\/(.*)$/s.exec(pointer) ?? [];
        if (part === undefined) return `/${withVariants(body, pointer.split('/').slice(1), variants).join('/')}`;
        return `/${places.find((place) => place.part === (part === 'path' ? 'params' : part) && place.name === name)?.argument ?? name}`;
      },
    };
  }

  /** A value as the operation takes it: objects with exactly one field are options again. */
  function wireOf(schema: Schema, value: unknown, variants: WeakMap<object, string>): unknown {
    const { present } = withoutNull(schema);
    const component = componentOf(present);
    if (component !== null) return wireOf(components[component]!, value, variants);
    if (Array.isArray(value))
      return present.items ? value.map((member) => wireOf(present.items!, member, variants)) : value;
    if (value === null || typeof value !== 'object' || !present.oneOf) return value;
    const [[variant, inner] = ['', null], ...others] = Object.entries(value);
    const option = optionsOf(present).find((one) => one.variant === variant);
    if (!option || others.length > 0 || (inner !== true && (inner === null || typeof inner !== 'object'))) return value;
    const wire = { [option.tag]: variant, ...(inner === true ? {} : inner) };
    variants.set(wire, variant);
    return wire;
  }
}

/** The options of a union: the member that tells them apart, its value, and what else they have. */
function optionsOf({
  oneOf = [],
}: Schema): { readonly tag: string; readonly variant: string; readonly rest: Schema }[] {
  return oneOf.map(({ properties = {}, required = [], ...option }) => {
    const [tag, { const: variant }] = Object.entries(properties).find(([, member]) => member.const !== undefined)! as [
      string,
      { const: string },
    ];
    const { [tag]: _, ...others } = properties;
    return { tag, variant, rest: { ...option, properties: others, required: required.filter((name) => name !== tag) } };
  });
}

/** A path into the body of REST, with the field that each option is in here. */
function withVariants(value: unknown, path: readonly string[], variants: WeakMap<object, string>): readonly string[] {
  const isObject = typeof value === 'object' && value !== null;
  const variant = isObject ? variants.get(value) : undefined;
  const [next, ...rest] = path;
  if (next === undefined) return [];
  const below = isObject ? (value as Values)[next] : undefined;
  return [...(variant === undefined ? [] : [variant]), next, ...withVariants(below, rest, variants)];
}

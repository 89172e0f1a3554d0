// The OpenAPI document as its readers use it: the static reference, and the reference of the web page.
import type { Schema } from './schemas.ts';

export type Content = Readonly<
  Record<string, { readonly schema: Schema; readonly example?: unknown; readonly examples?: object }>
>;

/** An operation of the document. */
export interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly { readonly oauth2?: readonly string[] }[];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly description: string;
    readonly schema: Schema;
    readonly example?: unknown;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<
    Record<string, { readonly $ref?: string; readonly description: string; readonly content?: Content }>
  >;
}

export interface DescribedEvent {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly requestBody: { readonly content: Content };
}

export interface ProblemExample {
  readonly value: { readonly status: number; readonly detail: string };
}

export interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** By path, and then by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: DescribedEvent }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly examples: Readonly<Record<string, ProblemExample>>;
  };
}

export type Listed = Described & { readonly path: string; readonly method: string };

/** All operations, in the order of the document. */
export function operationsOf({ paths }: Document): readonly Listed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
  );
}

/** The problem codes of an answer. An answer that operations share is a component, named after its only code. */
export function problemsOf({ $ref, content = {} }: Described['responses'][string]): readonly string[] {
  return $ref ? [$ref.split('/').at(-1)!] : Object.keys(content['application/problem+json']?.examples ?? {});
}

/** Describes the type of a value. */
export function wordsOfType({ type, format, const: constant, enum: values, default: preset }: Schema): string {
  const suffix = format ? ` (${format})` : '';
  const presetWords = preset === undefined ? '' : `, default ${JSON.stringify(preset)}`;
  if (values) return values.join(' | ') + suffix + presetWords;
  return (constant === undefined ? [type].flat().join(' or ') : JSON.stringify(constant)) + suffix + presetWords;
}

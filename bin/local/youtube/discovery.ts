// Google's description of the Data API: its requests and their parameters.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refused } from './refused.ts';

interface Property {
  readonly type?: 'string' | 'boolean' | 'integer' | 'number' | 'array' | 'object' | 'any';
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly $ref?: string;
  readonly items?: Property;
  readonly additionalProperties?: Property;
  readonly deprecated?: boolean;
  /** The methods whose bodies require the field. */
  readonly annotations?: { readonly required: readonly string[] };
}

interface Parameter extends Property {
  readonly required?: boolean;
  readonly repeated?: boolean;
  readonly minimum?: string;
  readonly maximum?: string;
}

export interface Method {
  /** `youtube.liveBroadcasts.insert`. */
  readonly id: string;
  readonly httpMethod: string;
  readonly path: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly request?: { readonly $ref: string };
  readonly scopes: readonly string[];
  readonly mediaUpload?: {
    readonly accept: readonly string[];
    readonly maxSize: string;
    readonly protocols: { readonly simple: { readonly path: string } };
  };
}

interface Discovery {
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly resources: Readonly<Record<string, { readonly methods: Readonly<Record<string, Method>> }>>;
  readonly schemas: Readonly<Record<string, { readonly properties: Readonly<Record<string, Property>> }>>;
}

const file = join(import.meta.dirname, 'youtube-v3.json');
const discovery = JSON.parse(readFileSync(file, 'utf8')) as Discovery;
const methods = Object.values(discovery.resources).flatMap((resource) => Object.values(resource.methods));
/** Parameters of uploads; they are in the protocol of uploads, and not in the document. */
const uploadParameters: Readonly<Record<string, Parameter>> = {
  uploadType: { type: 'string', enum: ['media', 'multipart'] },
};

/** @param path with its first slash. A method that receives media has another path for it. */
export function findMethod(httpMethod: string, path: string): Method | null {
  const isAt = ({ path: plain, mediaUpload }: Method) =>
    path === `/${plain}` || path === mediaUpload?.protocols.simple.path;
  return methods.find((method) => method.httpMethod === httpMethod && isAt(method)) ?? null;
}

/** @throws {Refused} */
export function checkQuery(method: Method, query: URLSearchParams): void {
  const known = { ...discovery.parameters, ...method.parameters, ...(method.mediaUpload && uploadParameters) };
  for (const [name, value] of query) {
    const parameter = known[name];
    if (!parameter) throw new Refused('badRequest', `Unknown name "${name}": Cannot bind query parameter.`);
    if (!isOf(parameter, value)) throw new Refused('invalidParameter', `Invalid value for ${name}.`);
    if (!parameter.repeated && query.getAll(name).length > 1)
      throw new Refused('badRequest', `Proto field "${name}" is not repeating.`);
  }
  for (const [name, { required }] of Object.entries(method.parameters))
    if (required && !query.get(name))
      throw new Refused(name === 'part' ? 'required' : `${name}Required`, `Required parameter: ${name}`);
}

function isOf({ type, enum: allowed, minimum, maximum }: Parameter, value: string): boolean {
  if (allowed) return allowed.includes(value);
  if (type === 'boolean') return value === 'true' || value === 'false';
  if (type === 'integer')
    return /^\d+$/.test(value) && Number(value) >= Number(minimum ?? 0) && Number(value) <= Number(maximum ?? Infinity);
  return true;
}

/**
 * Checks a body by the schema of the method's request.
 * @param parts the parts that the request names: required fields are checked in these only
 * @throws {Refused}
 */
export function checkBody(method: Method, body: unknown, parts: readonly string[]): void {
  const schema = method.request?.$ref;
  if (schema === undefined) return;
  checkValue({ $ref: schema }, body, []);
  for (const [name, property] of Object.entries(discovery.schemas[schema]!.properties)) {
    const value = (body as Readonly<Record<string, unknown>>)[name];
    const isResourcePart = property.$ref !== undefined;
    if (isResourcePart && value !== undefined && !parts.includes(name))
      throw new Refused('unexpectedPart', `The part parameter does not name ${name}, which the body has.`);
    if (!isResourcePart || parts.includes(name)) needRequired(method, name, property, value);
  }
}

function needRequired(method: Method, name: string, property: Property, value: unknown): void {
  const { annotations, deprecated, $ref } = property;
  if (annotations?.required.includes(method.id) && !deprecated && (value === undefined || value === ''))
    throw new Refused(`${name}Required`, `The request must set ${name}.`);
  if ($ref === undefined) return;
  const fields = (value ?? {}) as Readonly<Record<string, unknown>>;
  for (const [below, schema] of Object.entries(discovery.schemas[$ref]!.properties))
    needRequired(method, below, schema, fields[below]);
}

function checkValue(property: Property, value: unknown, path: readonly string[]): void {
  const invalid = () => new Refused('badRequest', `Invalid value at '${path.join('.')}'`);
  if (property.$ref !== undefined) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid();
    const { properties } = discovery.schemas[property.$ref]!;
    for (const [name, below] of Object.entries(value)) {
      const schema = properties[name];
      if (!schema)
        throw new Refused('badRequest', `Invalid JSON payload received. Unknown name "${name}" at '${path.join('.')}'`);
      checkValue(schema, below, [...path, name]);
    }
  } else if (property.type === 'array') {
    if (!Array.isArray(value)) throw invalid();
    for (const item of value) checkValue(property.items!, item, path);
  } else if (!isValueOf(property, value)) throw invalid();
}

function isValueOf({ type, format, enum: allowed }: Property, value: unknown): boolean {
  if (type === 'string') {
    if (typeof value !== 'string' || (allowed && !allowed.includes(value))) return false;
    return format !== 'date-time' || /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(value);
  }
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'boolean' || type === 'number' || type === 'object') return typeof value === type;
  return true;
}

// Example requests for the shell and for TypeScript, without a library.
import type { Listed } from '../../surfaces/openapi/described.ts';

/** The values of one request. */
export interface RequestValues {
  /** Parameters of the path and the query, by name. Empty ones are left out. */
  readonly parameters: Readonly<Record<string, string>>;
  /** JSON as text; empty if there is no body. */
  readonly body: string;
}

/** The example values of the API's document: all path parameters, and a body if the operation has one. */
export function exampleValues({ parameters, requestBody }: Listed): RequestValues {
  const example = requestBody?.content['application/json']?.example;
  return {
    parameters: Object.fromEntries(
      parameters.filter((one) => one.in === 'path').map((one) => [one.name, one.example as string]),
    ),
    body: example === undefined ? '' : JSON.stringify(example, null, 2),
  };
}

/** The path below the base URL, with the values filled in. */
export function pathOf({ path, parameters }: Listed, { parameters: values }: RequestValues): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  const query = parameters
    .filter(({ name, in: where }) => where === 'query' && (values[name] ?? '') !== '')
    .map(({ name }) => `${name}=${encodeURIComponent(values[name]!)}`);
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

const isPublic = ({ security }: Listed) => security.length === 0;

export function curlOf(operation: Listed, baseURL: string, values: RequestValues): string {
  const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const method = operation.method === 'GET' ? '' : ` -X ${operation.method}`;
  const lines = [
    `curl -sS${method} ${quoted(baseURL + pathOf(operation, values))}`,
    ...(isPublic(operation) ? [] : ['-H "X-API-Key: $API_KEY"']),
    ...(values.body === '' ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(values.body)}`]),
  ];
  return lines.join(' \\\n  ');
}

export function typescriptOf(operation: Listed, baseURL: string, values: RequestValues): string {
  const hasAnswer = Object.values(operation.responses)[0]?.content !== undefined;
  const headers = [
    ...(isPublic(operation) ? [] : ["'X-API-Key': apiKey"]),
    ...(values.body === '' ? [] : ["'Content-Type': 'application/json'"]),
  ];
  const options = [
    ...(operation.method === 'GET' ? [] : [`  method: '${operation.method}',`]),
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
    ...(values.body === '' ? [] : [`  body: JSON.stringify(${values.body.replaceAll('\n', '\n  ')}),`]),
  ];
  const url = `'${baseURL}${pathOf(operation, values)}'`;
  return [
    `const response = await fetch(${url}${options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`});`,
    'if (!response.ok) throw new Error((await response.json()).detail);',
    ...(hasAnswer ? ['const answer = await response.json();'] : []),
  ].join('\n');
}

// The resources that AI clients can read by URI: resources with an ID, and explanations of problem codes.
import type { ResourceTemplateType } from '@modelcontextprotocol/server';
import type { Caller } from '../../operations/context.ts';
import type { Operation } from '../../operations/operation.ts';
import { ProblemError } from '../../operations/problem-codes.ts';
import { problemCodes } from '../../operations/problem-kinds.ts';
import type { ProblemCode } from '../../operations/problem-codes.ts';
import type { Scope } from '../../operations/scopes.ts';
import { isAllowed } from '../admission/admit.ts';
import type { CallTimer } from '../admission/call-time.ts';
import { callOperation } from '../call.ts';
import { explainProblem, problemType } from '../problem-response.ts';
import type { Service } from '../service.ts';
import { validateInput } from '../validate.ts';

const mimeType = 'application/json';
/**
 * The scheme of resource URIs, followed by the path in the API. Only this server can read them, with the credential of
 * the client. The URI of a problem is its `type`.
 */
const scheme = 'loop:/';

/** The operations that read one resource by its identifier. */
function readers({ operations }: Service): readonly Operation[] {
  return operations.filter(({ method, path }) => method === 'GET' && /^\/[a-z]+\/\{id\}$/.test(path));
}

export function listTemplates(service: Service, scopes: readonly Scope[]): ResourceTemplateType[] {
  const templates = readers(service)
    .filter((operation) => isAllowed(operation, scopes))
    .map(({ tag, path, summary, description }) => ({
      name: tag.replace(/s$/, ''),
      title: summary,
      description: description ?? `${summary}.`,
      uriTemplate: scheme + path,
      mimeType,
    }));
  return [
    ...templates,
    {
      name: 'problem',
      title: 'Explain a problem',
      description: 'Explanation of a problem code. The type of each problem is such a URI.',
      uriTemplate: problemType(service, '{code}'),
      mimeType,
    },
  ];
}

/** The operation that reads a resource, and the ID of the resource; null for any other URI. */
export function readerOf(service: Service, uri: string): { readonly operation: Operation; readonly id: string } | null {
  const [, tag, encoded] = /^loop:\/\/([a-z]+)\/([^/?#]+)$/.exec(uri) ?? [];
  const operation = readers(service).find((candidate) => candidate.path === `/${tag}/{id}`);
  return operation && encoded !== undefined && URL.canParse(uri) ? { operation, id: decoded(encoded) } : null;
}

/**
 * Reads a resource as JSON text.
 * @throws {ProblemError} not_found, and every problem of its operation
 */
export async function readResource(
  service: Service,
  { caller, time }: { readonly caller: Caller; readonly time: CallTimer | null },
  uri: string,
): Promise<{ uri: string; mimeType: string; text: string }> {
  const code = Object.keys(problemCodes).find((candidate) => problemType(service, candidate) === uri);
  if (code !== undefined) return { uri, mimeType, text: JSON.stringify(explainProblem(service, code as ProblemCode)) };
  const found = readerOf(service, uri);
  if (!found) throw new ProblemError('not_found', `There is no resource at ${uri}.`);
  const input = validateInput(found.operation, { params: { id: found.id }, query: {}, body: undefined }, []);
  const { operation } = found;
  const { body } = await callOperation(service, { operation, caller, time, input, idempotencyKey: null });
  return { uri, mimeType, text: body };
}

/** Decodes an ID. An ID that cannot be decoded stays unchanged: the operation will not find it. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

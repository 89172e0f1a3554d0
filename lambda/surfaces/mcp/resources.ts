// What agents can read by its address: each resource that the catalogue reads by its identifier, and what problem codes mean.
import type { ResourceTemplateType } from '@modelcontextprotocol/server';
import type { Caller } from '../../operations/context.ts';
import type { Operation } from '../../operations/operation.ts';
import { ProblemError, problemCodes } from '../../operations/problem-codes.ts';
import type { ProblemCode } from '../../operations/problem-codes.ts';
import type { Scope } from '../../operations/scopes.ts';
import { isAllowed } from '../admit.ts';
import { callOperation } from '../call.ts';
import { explainProblem, problemType } from '../problem-response.ts';
import type { Service } from '../service.ts';
import { validateInput } from '../validate.ts';

const mimeType = 'application/json';
/** Before a path of the API: addresses that only this server reads, with the client's credential. A problem has the address that is its `type`. */
const scheme = 'loop:/';

/** The path below the scheme is that of the API. */
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
      description: 'What a problem code means. The type of each problem is such an address.',
      uriTemplate: problemType(service, '{code}'),
      mimeType,
    },
  ];
}

/** The operation that reads what is at an address, and its identifier; null for everything else. */
export function readerOf(service: Service, uri: string): { readonly operation: Operation; readonly id: string } | null {
  const [, tag, encoded] = /^loop:\/\/([a-z]+)\/([^/?#]+)$/.exec(uri) ?? [];
  const operation = readers(service).find((candidate) => candidate.path === `/${tag}/{id}`);
  return operation && encoded !== undefined && URL.canParse(uri) ? { operation, id: decoded(encoded) } : null;
}

/** JSON text. @throws {ProblemError} not_found for an address that leads to nothing, and whatever its operation refuses */
export async function readResource(
  service: Service,
  caller: Caller,
  uri: string,
): Promise<{ uri: string; mimeType: string; text: string }> {
  const code = Object.keys(problemCodes).find((candidate) => problemType(service, candidate) === uri);
  if (code !== undefined) return { uri, mimeType, text: JSON.stringify(explainProblem(service, code as ProblemCode)) };
  const found = readerOf(service, uri);
  if (!found) throw new ProblemError('not_found', `There is nothing at ${uri}.`);
  const input = validateInput(found.operation, { params: { id: found.id }, query: {}, body: undefined }, []);
  const { body } = await callOperation(service, { operation: found.operation, caller, input, idempotencyKey: null });
  return { uri, mimeType, text: body };
}

/** What cannot be decoded is the name of nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

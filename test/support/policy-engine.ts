// Decides by an independent simulator whether AWS allows a request under the policies that apply to it.
import { runSimulation } from '@cloud-copilot/iam-simulate';
import type { Simulation } from '@cloud-copilot/iam-simulate';
import { accountID } from './concrete-templates.ts';

export interface PolicyDocument {
  readonly Version: string;
  readonly Statement: readonly Statement[];
}

export interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource?: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface NamedPolicy {
  /** STACK/LOGICAL-ID of the resource that holds the policy. */
  readonly name: string;
  readonly policy: PolicyDocument;
}

export type Verdict = 'Allowed' | 'ExplicitlyDenied' | 'ImplicitlyDenied';

export interface JudgedRequest {
  /** ARN of a role's session, or the name of a service. */
  readonly principal: string;
  readonly action: string;
  readonly arn: string;
  /** Condition keys, other than those that are equal for every request. */
  readonly context?: Readonly<Record<string, string>>;
  readonly identityPolicies: readonly NamedPolicy[];
  readonly resourcePolicy?: PolicyDocument | undefined;
  readonly boundary?: NamedPolicy | undefined;
  readonly endpointPolicies?: readonly NamedPolicy[] | undefined;
}

/** Context of every call. All our clients use TLS addresses only. */
const contextOfAll = { 'aws:SecureTransport': 'true', 'aws:PrincipalAccount': accountID, 's3:TlsVersion': '1.3' };

/**
 * @throws if the engine finds the request malformed: an action that does not exist, or not on such a resource, or a
 *   condition key that the action does not have
 */
export function judge(request: JudgedRequest): Promise<Verdict> {
  const question = JSON.stringify(request);
  const known = verdicts.get(question) ?? judgeAnew(request);
  verdicts.set(question, known);
  return known;
}

/** Verdicts by requests with all of their policies: a mutated template changes the requests of one role or resource. */
const verdicts = new Map<string, Promise<Verdict>>();

async function judgeAnew(request: JudgedRequest): Promise<Verdict> {
  const {
    principal,
    action,
    arn,
    context = {},
    identityPolicies,
    resourcePolicy,
    boundary,
    endpointPolicies,
  } = request;
  const simulated = await runSimulation(
    asEngineKnows({
      request: {
        principal,
        action,
        resource: { resource: arn, accountId: arn.split(':')[4] || accountID },
        contextVariables: { ...contextOfAll, ...context },
      },
      identityPolicies: [...identityPolicies],
      resourcePolicy,
      ...(boundary && { permissionBoundaryPolicies: [boundary] }),
      ...(endpointPolicies && { vpcEndpointPolicies: [...endpointPolicies] }),
      serviceControlPolicies: [],
      resourceControlPolicies: [],
    }),
    {},
  );
  if (simulated.resultType === 'error') throw new Error(`${action} on ${arn}: ${JSON.stringify(simulated.errors)}`);
  if (simulated.resultType === 'wildcard') return simulated.overallResult;
  // Most actions ignore the keys that every call has.
  const unknown = (simulated.result.ignoredContextKeys ?? []).filter((key) => !(key in contextOfAll));
  if (unknown.length > 0) throw new Error(`${action} knows no condition key ${unknown.join(', ')}`);
  return simulated.overallResult;
}

/**
 * The engine (0.1.173) forgets keys whose last part the caller chooses after a colon, `kms:EncryptionContext:NAME`, but
 * not those with a slash. So the key is renamed in both policies and requests.
 */
function asEngineKnows(simulation: Simulation): Simulation {
  return JSON.parse(
    JSON.stringify(simulation).replaceAll('"kms:EncryptionContext:', '"aws:PrincipalTag/kms:EncryptionContext:'),
  ) as Simulation;
}

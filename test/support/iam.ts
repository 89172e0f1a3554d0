// Asks an independent policy engine whether AWS allows a call under the policies of synthesized templates.
// Decision D115.
import { accountID } from './concrete-templates.ts';
import type { ConcreteResource, ConcreteTemplates } from './concrete-templates.ts';
import { judge } from './policy-engine.ts';
import type { NamedPolicy, PolicyDocument, Statement, Verdict } from './policy-engine.ts';

/** A request to AWS, in the terms of a stage: it contains no name that AWS chooses. */
export interface AwsCall {
  /** STACK/LOGICAL-ID of the role that signs it, or the name of a calling service such as `s3.amazonaws.com`. */
  readonly caller: string;
  /** Action name as in policies: `sqs:SendMessage`. */
  readonly action: string;
  /** STACK/LOGICAL-ID of the resource, and after `#` its part: an object's key, a database role, a schedule. */
  readonly resource: string;
  /** Values of condition keys, other than those that are equal for every call. */
  readonly context?: Readonly<Record<string, string>>;
}

/** ARNs of the parts of a resource, by the type of that resource. @param part the text after `#` */
const arnsOfParts: Readonly<Record<string, (whole: ConcreteResource, part: string) => string>> = {
  'AWS::S3::Bucket': ({ arn }, key) => `${arn}/${key}`,
  'AWS::RDS::DBProxy': ({ arn }, user) =>
    arn.replace(':rds:', ':rds-db:').replace(':db-proxy:', ':dbuser:') + `/${user}`,
  'AWS::RDS::DBInstance': ({ arn, id }, part) =>
    part === 'master' ? masterSecretArn(arn, id) : `${databaseUserArn(arn, id)}/${part}`,
  'AWS::Scheduler::ScheduleGroup': ({ arn }, name) => `${arn.replace('schedule-group/', 'schedule/')}/${name}`,
  'AWS::Lambda::Function': ({ arn }, version) => `${arn}:${version}`,
  'AWS::ECS::Cluster': ({ arn }, task) => `${arn.replace(':cluster/', ':task/')}/${task}`,
};

const logicalIDOf = (id: string) => id.split('/')[1]!;
const regionOf = (arn: string) => arn.split(':')[3]!;
const masterSecretArn = (arn: string, id: string) =>
  `arn:aws:secretsmanager:${regionOf(arn)}:${accountID}:secret:rds!db-${logicalIDOf(id)}-AbCdEf`;
const databaseUserArn = (arn: string, id: string) =>
  `arn:aws:rds-db:${regionOf(arn)}:${accountID}:dbuser:db-${logicalIDOf(id)}`;

/** Types of policies on resources, with the properties that name their resources. */
const resourcePolicies: readonly (readonly [type: string, subject: string])[] = [
  ['AWS::S3::BucketPolicy', 'Bucket'],
  ['AWS::SQS::QueuePolicy', 'Queues'],
  ['AWS::SNS::TopicPolicy', 'Topics'],
  ['AWS::SecretsManager::ResourcePolicy', 'SecretId'],
];

export class SimulatedAccount {
  readonly #templates: ConcreteTemplates;
  readonly #roles: ReadonlyMap<string, ConcreteResource>;
  readonly #identityPolicies: ReadonlyMap<string, readonly NamedPolicy[]>;
  /** Policies by the ARN or the name that policies use for the resource. */
  readonly #onResources: ReadonlyMap<string, PolicyDocument>;

  constructor(templates: ConcreteTemplates) {
    this.#templates = templates;
    const roles = templates.ofType('AWS::IAM::Role');
    this.#roles = new Map(roles.map((role) => [role.id, role]));
    this.#identityPolicies = identityPoliciesOf(templates, roles);
    this.#onResources = new Map([
      ...resourcePolicies.flatMap(([type, subject]) =>
        templates
          .ofType(type)
          .flatMap(({ properties }) =>
            [properties[subject]].flat().map((name: string) => [name, properties.PolicyDocument] as const),
          ),
      ),
      ...templates.ofType('AWS::KMS::Key').map(({ arn, properties }) => [arn, properties.KeyPolicy] as const),
    ]);
  }

  get roleIDs(): readonly string[] {
    return [...this.#roles.keys()];
  }

  /** STACK/LOGICAL-ID of the role of a function or of a task definition. */
  roleOf(id: string): string {
    const { type } = this.#templates.find(id);
    const { properties } = this.#templates.ofType(type).find((resource) => resource.id === id)!;
    const arn = String(properties.Role ?? properties.TaskRoleArn);
    const role = [...this.#roles.values()].find((candidate) => candidate.arn === arn);
    if (!role) throw new Error(`${id} has no role of the templates`);
    return role.id;
  }

  /** The policies of a role that templates contain. Policies managed by AWS are not included. */
  policiesOf(roleID: string): readonly NamedPolicy[] {
    return this.#identityPolicies.get(roleID) ?? [];
  }

  arnOf(resource: string): string {
    const [id = '', part] = resource.split('#');
    if (id.startsWith('arn:') || id === '*') return resource;
    const whole = this.#templates.find(id);
    if (part === undefined) return whole.arn;
    const ofPart = arnsOfParts[whole.type];
    if (!ofPart) throw new Error(`nothing is known of parts of ${whole.type}`);
    return ofPart(whole, part);
  }

  /**
   * @param without a right to remove first: a denial then shows that the call needs it
   * @throws if the engine finds the request malformed: an action that does not exist or does not apply to the resource
   */
  async verdictOn({ caller, action, resource, context = {} }: AwsCall, without?: TakenRight): Promise<Verdict> {
    const arn = this.arnOf(resource);
    const role = this.#roles.get(caller);
    if (!role && !caller.endsWith('.amazonaws.com')) throw new Error(`no role is called ${caller}`);
    const identityPolicies = role
      ? this.policiesOf(caller).map(({ name, policy }) => ({
          name,
          policy: without ? withoutRight(policy, without) : policy,
        }))
      : [];
    const boundary = role?.properties.PermissionsBoundary;
    return judge({
      principal: role ? `arn:aws:sts::${accountID}:assumed-role/${role.name}/session` : caller,
      action,
      arn,
      context: this.#contextOf(context),
      identityPolicies,
      resourcePolicy: this.#policyOn(arn, action),
      boundary: boundary && this.#boundary(boundary),
      endpointPolicies: this.#endpointPoliciesFor(action, caller),
    });
  }

  #boundary(arn: string): NamedPolicy {
    const found = this.#templates.ofType('AWS::IAM::ManagedPolicy').find((policy) => policy.arn === arn);
    if (!found) throw new Error(`the templates have no permissions boundary ${arn}`);
    return { name: found.id, policy: found.properties.PolicyDocument };
  }

  /** Condition values; a resource as value stands for its ARN. */
  #contextOf(context: Readonly<Record<string, string>>): Record<string, string> {
    const entries = Object.entries(context).map(([key, value]) => [
      key,
      /^[A-Z]\w+\/[A-Z]\w+/.test(value) ? this.arnOf(value) : value,
    ]);
    return Object.fromEntries(entries);
  }

  #policyOn(arn: string, action: string): PolicyDocument | undefined {
    if (arn === '*') return undefined;
    const role = [...this.#roles.values()].find((candidate) => candidate.arn === arn);
    if (isForeign(arn) && action === 'sts:AssumeRole') return trustOfUser;
    // A role's trust policy is the policy on the role for callers that assume it.
    if (role && action.startsWith('sts:')) return role.properties.AssumeRolePolicyDocument;
    const subjects = [...this.#onResources].find(([subject]) => {
      const name = arn.split(':')[5]!.split('/')[0]!;
      return subject === arn || (arn.startsWith('arn:aws:s3:') && subject === name) || subject.endsWith(`/${name}`);
    });
    return subjects?.[1];
  }

  /** Functions and tasks of the VPC reach S3 by its gateway endpoint, whose policy may allow less than their own. */
  #endpointPoliciesFor(action: string, caller: string): { name: string; policy: PolicyDocument }[] | undefined {
    if (!action.startsWith('s3:') || caller.endsWith('.amazonaws.com')) return undefined;
    const policies = this.#templates
      .ofType('AWS::EC2::VPCEndpoint')
      .filter(({ properties }) => String(properties.ServiceName).endsWith('.s3') && properties.PolicyDocument)
      .map(({ id, properties }) => ({ name: id, policy: properties.PolicyDocument }));
    return policies.length > 0 ? policies : undefined;
  }
}

/** Whether an ARN belongs to another account; a bucket's ARN names none. */
const isForeign = (arn: string) => !['', accountID].includes(arn.split(':')[4]!);

/** The text that users must put into the trust policies of their roles (lambda/imports/sources/source-keys.ts). */
const trustOfUser: PolicyDocument = {
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Principal: { AWS: `arn:aws:iam::${accountID}:root` },
      Action: 'sts:AssumeRole',
      Condition: { StringEquals: { 'sts:ExternalId': 'ID' } },
    } as Statement,
  ],
};

/** An action that negative controls remove from a policy. */
export interface TakenRight {
  readonly action: string;
  /** Keeps the action, but for these resources only. */
  readonly resource?: string;
  /** Keeps the action, under a condition that no call meets. */
  readonly condition?: Statement['Condition'];
}

function withoutRight(policy: PolicyDocument, { action, resource, condition }: TakenRight): PolicyDocument {
  const statements = policy.Statement.flatMap((statement) => {
    const actions = [statement.Action].flat();
    if (statement.Effect !== 'Allow' || !actions.includes(action)) return [statement];
    const others = actions.filter((other) => other !== action);
    const changed = {
      ...statement,
      Action: action,
      ...(resource !== undefined && { Resource: resource }),
      ...(condition && { Condition: condition }),
    };
    return [
      ...(others.length > 0 ? [{ ...statement, Action: others }] : []),
      ...(resource !== undefined || condition ? [changed] : []),
    ];
  });
  return { ...policy, Statement: statements };
}

function identityPoliciesOf(
  templates: ConcreteTemplates,
  roles: readonly ConcreteResource[],
): ReadonlyMap<string, readonly NamedPolicy[]> {
  const inline = templates.ofType('AWS::IAM::Policy');
  const managed = templates.ofType('AWS::IAM::ManagedPolicy');
  const named = ({ id, properties }: ConcreteResource) => ({ name: id, policy: properties.PolicyDocument });
  return new Map(
    roles.map((role) => {
      const attached: readonly string[] = role.properties.ManagedPolicyArns ?? [];
      const own = (role.properties.Policies ?? []).map(({ PolicyName, PolicyDocument }: any) => ({
        name: `${role.id} ${PolicyName}`,
        policy: PolicyDocument,
      }));
      const onRole = [...inline, ...managed].filter(({ properties }) => properties.Roles?.includes(role.name));
      const byArn = managed.filter(({ arn }) => attached.includes(arn));
      return [role.id, [...own, ...[...new Set([...onRole, ...byArn])].map(named)]] as const;
    }),
  );
}

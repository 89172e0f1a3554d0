// Pairs of resources that must wait for each other, or must not, each with its reason: policy as data.
import type { GraphResource, TemplateGraph } from '../support/template-graph.ts';

/** Resources of a type, in every stack or in one, whose logical ids begin in a certain way. */
interface Selection {
  readonly type: string;
  readonly stack?: string;
  readonly id?: RegExp;
}

export interface OrderedPair {
  /** Resources that are created first and deleted last. */
  readonly before: Selection;
  readonly after: Selection;
  /** Restricts the pair to related resources; without it each of `after` waits for each of `before`. */
  readonly together?: (graph: TemplateGraph, before: GraphResource, after: GraphResource) => boolean;
  readonly because: string;
}

/** Resources that must not wait for others: a first deployment would otherwise block, or take needlessly long. */
export interface UnorderedPair {
  readonly waiting: Selection;
  readonly notFor: Selection;
  readonly because: string;
}

const names = (graph: TemplateGraph, { Properties, stackId }: GraphResource, property: string, named: GraphResource) =>
  graph.namedIn(Properties[property] ?? [], stackId).includes(named.id);

/** The roles that a function, or the tasks of a service, work with. */
function rolesOf(graph: TemplateGraph, { Type, Properties, stackId }: GraphResource): readonly string[] {
  if (Type !== 'AWS::ECS::Service') return graph.namedIn(Properties.Role ?? [], stackId);
  const task = graph.resourceIn(Properties.TaskDefinition, stackId);
  return graph.namedIn([task.Properties.TaskRoleArn, task.Properties.ExecutionRoleArn], task.stackId);
}

const rightsOf: OrderedPair['together'] = (graph, policy, user) => {
  const roles = rolesOf(graph, user);
  return graph.namedIn(policy.Properties.Roles ?? [], policy.stackId).some((role) => roles.includes(role));
};

const onGpuMachines: OrderedPair['together'] = (graph, association, { Properties, stackId }) =>
  graph
    .namedIn(Properties.CapacityProviderStrategy ?? [], stackId)
    .some((provider) =>
      graph.namedIn(association.Properties.CapacityProviders, association.stackId).includes(provider),
    );

const ofSameSubnet: OrderedPair['together'] = (graph, association, gateway) =>
  graph.resourceIn(association.Properties.SubnetId, association.stackId) ===
  graph.resourceIn(gateway.Properties.SubnetId, gateway.stackId);

/** Whether a route to the internet is in the route table of a gateway's subnet. */
const outOfItsSubnet: OrderedPair['together'] = (graph, route, gateway) => {
  const subnet = graph.resourceIn(gateway.Properties.SubnetId, gateway.stackId);
  return graph
    .ofType('AWS::EC2::SubnetRouteTableAssociation')
    .some(
      ({ Properties, stackId }) =>
        graph.resourceIn(Properties.SubnetId, stackId) === subnet &&
        graph.resourceIn(Properties.RouteTableId, stackId) ===
          graph.resourceIn(route.Properties.RouteTableId, route.stackId),
    );
};

const database = { type: 'AWS::RDS::DBInstance' };
const migration = { type: 'Custom::Trigger', id: /^Migrate/ };
const services = { type: 'AWS::ECS::Service' };
const ownFunctions = {
  type: 'AWS::Lambda::Function',
  id: /^(?:TimersJob|Sweep|Reconcile|Operate|Webhooks|Auth|Rest|Mcp|Graphql|Platforms)/,
};

export const orderedPairs: readonly OrderedPair[] = [
  {
    before: { type: 'AWS::ECS::ClusterCapacityProviderAssociations' },
    after: services,
    together: onGpuMachines,
    because: 'a service may name only providers that its cluster is associated with, and none can leave while in use',
  },
  {
    before: { type: 'AWS::SSM::Parameter', stack: 'Publishing' },
    after: services,
    together: (_graph, parameter, service) =>
      JSON.stringify(parameter.Properties.Value) === JSON.stringify(service.Properties.TaskDefinition),
    because: 'agents of the old release learn from it to end, which ECS waits for',
  },
  {
    before: { type: 'AWS::IAM::Policy' },
    // The CDK's function for single calls is idle until the resource of a call is created, which waits for the right.
    after: { type: 'AWS::Lambda::Function', id: /^(?!AWS679f53fac)/ },
    together: rightsOf,
    because: 'a function that runs without its rights fails, as the first minute of a schedule does',
  },
  {
    before: { type: 'AWS::IAM::Policy' },
    after: services,
    together: rightsOf,
    because: 'tasks begin at once, and without rights the circuit breaker rolls the deployment back',
  },
  {
    before: { type: 'AWS::IAM::Policy', id: /^AgentsGpuPoolMachineRole/ },
    after: { type: 'AWS::AutoScaling::AutoScalingGroup' },
    because: 'a machine that may not register with its cluster does not try for ever',
  },
  {
    before: { type: 'AWS::IAM::Policy', id: /^SiteCorsRule/ },
    after: { type: 'Custom::AWS' },
    because: 'the call is made once, and needs the right',
  },
  {
    before: { type: 'AWS::IAM::Policy', id: /^ProxyRole/ },
    after: { type: 'AWS::RDS::DBProxyTargetGroup' },
    because: 'the proxy signs in to its target with this right, and the target is refused if it cannot',
  },
  {
    before: migration,
    after: { type: 'AWS::RDS::DBProxyTargetGroup' },
    because: 'it makes the role that the proxy signs in as, and proves that the instance takes connections',
  },
  { before: database, after: migration, because: 'it connects' },
  {
    before: { type: 'AWS::EC2::SecurityGroupIngress', stack: 'Database', id: /^DatabaseSecurityGroup/ },
    after: migration,
    because: 'the database lets nobody in before, and a migration that times out rolls the stack back',
  },
  { before: migration, after: services, because: 'tasks meet the schema that they were written for' },
  { before: migration, after: ownFunctions, because: 'functions meet the schema that they were written for' },
  {
    before: { type: 'AWS::RDS::DBProxyTargetGroup' },
    after: ownFunctions,
    because: 'the proxy refuses connections without a target',
  },
  {
    before: { type: 'AWS::EC2::SecurityGroupIngress', stack: 'Database', id: /^ProxySecurityGroup/ },
    after: services,
    because: 'agents end when they cannot reach the database',
  },
  {
    before: { type: 'AWS::Logs::LogGroup' },
    after: { type: 'AWS::Lambda::Function' },
    together: (graph, logs, user) => names(graph, user, 'LoggingConfig', logs),
    because: 'a function that writes first makes the group itself, for ever, and CloudFormation then finds it there',
  },
  {
    before: { type: 'AWS::EC2::VPCGatewayAttachment' },
    after: { type: 'AWS::EC2::Route', id: /Publishers/ },
    because: 'EC2 refuses a route to a gateway that is not attached, and to detach a gateway that addresses use',
  },
  {
    before: { type: 'AWS::EC2::Route', id: /Publishers/ },
    after: { type: 'AWS::EC2::NatGateway' },
    together: outOfItsSubnet,
    because: 'a NAT gateway without a way out is made, and drops what is sent through it',
  },
  {
    before: { type: 'AWS::EC2::SubnetRouteTableAssociation' },
    after: { type: 'AWS::EC2::NatGateway' },
    together: ofSameSubnet,
    because: 'its subnet has the way out by this association only',
  },
  {
    before: { type: 'AWS::EC2::Route', id: /Functions/ },
    after: { type: 'AWS::Lambda::EventSourceMapping' },
    because: 'a function that is called reaches AWS through NAT',
  },
  {
    before: { type: 'AWS::EC2::Route', id: /Functions/ },
    after: migration,
    because: 'the migration reads secrets and unwraps keys through NAT',
  },
  ...['AWS::ApiGateway::Method', 'AWS::ApiGateway::GatewayResponse', 'AWS::ApiGateway::Resource'].map((type) => ({
    before: { type },
    after: { type: 'AWS::ApiGateway::Deployment' },
    because: 'a deployment is a copy of what is there when it is made',
  })),
  {
    before: { type: 'AWS::ApiGateway::Account' },
    after: { type: 'AWS::ApiGateway::Stage' },
    because: 'API Gateway refuses access logs of an account that has not given it a role to write them',
  },
  {
    // https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-apigateway-account.html
    before: { type: 'AWS::ApiGateway::RestApi' },
    after: { type: 'AWS::ApiGateway::Account' },
    because: 'an account that never had an API has no settings to change',
  },
  {
    before: { type: 'AWS::WAFv2::WebACL', stack: 'Edge' },
    after: { type: 'AWS::CloudFront::Distribution' },
    because: 'CloudFront refuses an unknown ACL, and WAF to delete one in use',
  },
  {
    before: { type: 'AWS::WAFv2::WebACLAssociation' },
    after: { type: 'AWS::CloudFront::Distribution' },
    because: 'the API is not public before its guard is up',
  },
  {
    before: { type: 'Custom::CDKBucketDeployment', id: /^PageAssets/ },
    after: { type: 'Custom::CDKBucketDeployment', id: /^PageDocument/ },
    because: 'the document names the assets, and browsers ask for them at once',
  },
  {
    before: { type: 'Custom::CDKBucketDeployment' },
    after: { type: 'Custom::AWS', stack: 'Delivery' },
    because: 'the public address is given out when what is behind it is there',
  },
  {
    before: { type: 'AWS::CloudFront::Distribution' },
    after: { type: 'AWS::CloudWatch::Alarm', stack: 'Monitoring' },
    because: 'alarms would ring while the stage comes up',
  },
  {
    before: { type: 'Custom::AWS', stack: 'Delivery' },
    after: { type: 'AWS::CloudWatch::Alarm', stack: 'Monitoring' },
    because: 'functions refuse to start before they can read the public origin, and alarms would ring',
  },
];

export const unorderedPairs: readonly UnorderedPair[] = [
  {
    waiting: services,
    notFor: { type: 'AWS::CloudFront::Distribution' },
    because: 'the distribution has the API behind it, whose rights name queues: agents would wait in a circle',
  },
  {
    waiting: services,
    notFor: { type: 'AWS::SSM::Parameter', stack: 'Delivery' },
    because: 'agents do not know the public origin, and stand still in vain if a deployment of it fails',
  },
  { waiting: migration, notFor: services, because: 'a release changes its schema before its code' },
  { waiting: migration, notFor: { type: 'AWS::RDS::DBProxyTargetGroup' }, because: 'the target waits for it' },
  {
    waiting: database,
    notFor: { type: 'AWS::Lambda::Function', id: /^Migration/ },
    because: 'the migration waits for the database',
  },
  {
    waiting: { type: 'AWS::WAFv2::WebACL', stack: 'Edge' },
    notFor: { type: 'AWS::ApiGateway::RestApi' },
    because: 'CloudFront’s things in us-east-1 come up while the stage’s region does its own',
  },
];

function selected(graph: TemplateGraph, { type, stack, id = /^/ }: Selection): readonly GraphResource[] {
  return graph
    .ofType(type)
    .filter(({ stackId, logicalId }) => (stack === undefined || stack === stackId) && id.test(logicalId));
}

/** The concrete pairs that match an entry of the list. */
export function pairsOf(graph: TemplateGraph, { before, after, together = () => true }: OrderedPair) {
  return selected(graph, after).flatMap((later) =>
    selected(graph, before).flatMap((earlier) => (together(graph, earlier, later) ? [{ earlier, later }] : [])),
  );
}

/** Faults in the order of a stage, a line each. An entry without concrete pairs is a fault as well. */
export function faultsOfOrder(graph: TemplateGraph): readonly string[] {
  const unheld = orderedPairs.flatMap((pair) => {
    const pairs = pairsOf(graph, pair);
    if (pairs.length === 0) return [`nothing to order: ${pair.before.type} before ${pair.after.type}`];
    return pairs
      .filter(({ earlier, later }) => !graph.awaitedBy(later.id).has(earlier.id))
      .map(({ earlier, later }) => `${later.id} does not wait for ${earlier.id}: ${pair.because}`);
  });
  const held = unorderedPairs.flatMap(({ waiting, notFor, because }) =>
    selected(graph, waiting).flatMap(({ id }) =>
      selected(graph, notFor)
        .filter((other) => graph.awaitedBy(id).has(other.id))
        .map((other) => `${id} waits for ${other.id}: ${because}`),
    ),
  );
  return [...graph.cycles().map((id) => `${id} waits for itself`), ...unheld, ...held, ...earlyReaders(graph)];
}

/** Stacks that read a value of another stack without waiting for it. CloudFormation refuses them. */
function earlyReaders(graph: TemplateGraph): readonly string[] {
  const early = [...graph.resources.values()].flatMap(({ stackId, Properties }) =>
    graph
      .namedIn(Properties, stackId)
      .map((id) => graph.resources.get(id)!.stackId)
      .filter((other) => other !== stackId && !graph.awaitedBy(`${stackId} begins`).has(`${other} is complete`))
      .map((other) => `${stackId} does not wait for ${other}, whose values it has`),
  );
  return [...new Set(early)];
}

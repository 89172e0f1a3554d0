// Templates with deliberate faults: removes one right, dependency, network rule or header rule.
import { TemplateGraph } from '../support/template-graph.ts';
import type { SynthesizedStage } from '../support/synth.ts';

export type MutationKind = 'right' | 'dependency' | 'network rule' | 'header rule';

export interface Mutation {
  readonly kind: MutationKind;
  /** The removed element and its place. */
  readonly taken: string;
  readonly applyTo: (stage: MutableStage) => void;
}

/** A copy of a synthesized stage whose templates and order of stacks can be changed. */
export class MutableStage implements Pick<SynthesizedStage, 'stacks' | 'template' | 'resources' | 'stage'> {
  readonly stage: SynthesizedStage['stage'];
  readonly stacks: SynthesizedStage['stacks'];
  readonly #templates: Map<string, any>;
  /** Ids of the stacks that each stack waits for. */
  readonly dependencies: Map<string, Set<string>>;

  constructor(original: SynthesizedStage, templates = templatesOf(original)) {
    this.stage = original.stage;
    this.#templates = new Map(structuredClone([...templates]));
    this.dependencies = new Map(
      [...original.stacks].map(([id, stack]) => [id, new Set(stack.dependencies.map(({ node }) => node.id))]),
    );
    const dependenciesOf = (id: string) => [...this.dependencies.get(id)!].map((other) => this.stacks.get(other)!);
    this.stacks = new Map(
      [...original.stacks].map(([id, stack]): [string, typeof stack] => [
        id,
        Object.create(stack, { dependencies: { get: () => dependenciesOf(id) } }),
      ]),
    );
  }

  template(stackId: string): any {
    return this.#templates.get(stackId);
  }

  resources(stackId?: string): ReturnType<SynthesizedStage['resources']> {
    const ids = stackId === undefined ? [...this.#templates.keys()] : [stackId];
    return ids.flatMap((id) => Object.entries<any>(this.template(id).Resources));
  }
}

/** Templates by the ids of their stacks. They are read once, because each reading synthesizes. */
export function templatesOf(stage: SynthesizedStage): ReadonlyMap<string, unknown> {
  return new Map([...stage.stacks.keys()].map((id) => [id, stage.template(id)]));
}

type Step = string | number;

function valueAt(stage: MutableStage, stackId: string, logicalId: string, path: readonly Step[]): any {
  return path.reduce((value, step) => value[step], stage.template(stackId).Resources[logicalId]);
}

/** Removes an element of a list, or a property. */
function removal(stackId: string, logicalId: string, path: readonly Step[]): Mutation['applyTo'] {
  return (stage) => {
    const holder = valueAt(stage, stackId, logicalId, path.slice(0, -1));
    const last = path.at(-1)!;
    if (Array.isArray(holder)) holder.splice(Number(last), 1);
    else delete holder[last];
  };
}

/** Paths of the policies of a resource. */
function policiesOf({ Type, Properties }: any): readonly (readonly Step[])[] {
  if (Type === 'AWS::KMS::Key') return [['Properties', 'KeyPolicy']];
  if (/^AWS::(?:IAM::(?:Managed)?Policy|S3::BucketPolicy|SQS::QueuePolicy|SNS::TopicPolicy)$/.test(Type))
    return [['Properties', 'PolicyDocument']];
  if (Type !== 'AWS::IAM::Role') return [];
  const own = [...(Properties.Policies ?? []).keys()].map((index) => [
    'Properties',
    'Policies',
    index,
    'PolicyDocument',
  ]);
  return [['Properties', 'AssumeRolePolicyDocument'], ...own];
}

/** One statement, or one action of a statement that has several. */
function rights(stage: MutableStage): readonly Mutation[] {
  const policies = eachResource(stage).flatMap(({ stackId, logicalId, resource }) =>
    policiesOf(resource).map((path) => ({ stackId, logicalId, path })),
  );
  return policies.flatMap(({ stackId, logicalId, path }) => {
    const { Statement: statements } = valueAt(stage, stackId, logicalId, path);
    return statements.flatMap((statement: any, index: number): Mutation[] => {
      const at = [...path, 'Statement', index];
      const actions = [statement.Action].flat();
      const whole = `statement ${index + 1} (${statement.Effect} ${actions.join(', ')}) of ${stackId}/${logicalId}`;
      const single = actions.map((action, place): Mutation => ({
        kind: 'right',
        taken: `${action} of statement ${index + 1} of ${stackId}/${logicalId}`,
        applyTo: removal(stackId, logicalId, [...at, 'Action', place]),
      }));
      return [
        { kind: 'right', taken: whole, applyTo: removal(stackId, logicalId, at) },
        ...(actions.length > 1 ? single : []),
      ];
    });
  });
}

/** Removes an entry of `DependsOn` or a dependency between stacks, unless a reference implies it anyway. */
function dependencies(stage: MutableStage): readonly Mutation[] {
  const inStacks = eachResource(stage).flatMap(({ stackId, logicalId, resource }) =>
    [resource.DependsOn ?? []].flat().map((name: string, index: number) => ({
      from: `${stackId}/${logicalId}`,
      to: `${stackId}/${name}`,
      applyTo: removal(stackId, logicalId, ['DependsOn', index]),
    })),
  );
  const between = [...stage.dependencies].flatMap(([stackId, others]) =>
    [...others].map((other) => ({
      from: `${stackId} begins`,
      to: `${other} is complete`,
      applyTo: (changed: MutableStage) => void changed.dependencies.get(stackId)!.delete(other),
    })),
  );
  const templates = new Map([...stage.stacks.keys()].map((id) => [id, stage.template(id)]));
  return [...inStacks, ...between]
    .filter(({ from, to, applyTo }) => {
      const changed = new MutableStage(stage, templates);
      applyTo(changed);
      return !new TemplateGraph(changed).awaitedBy(from).has(to);
    })
    .map(({ from, to, applyTo }) => ({ kind: 'dependency', taken: `${from} after ${to}`, applyTo }));
}

/**
 * Removes a rule of a security group, a membership in one, a route, or its table's association. A group without egress
 * rules allows all egress, so a mutation that removes its allow-all rule changes nothing and is omitted.
 */
function networkRules(stage: MutableStage): readonly Mutation[] {
  const types = new Set(['SecurityGroupIngress', 'SecurityGroupEgress', 'Route', 'SubnetRouteTableAssociation']);
  return eachResource(stage).flatMap(({ stackId, logicalId, resource }): Mutation[] => {
    if (types.has(resource.Type.replace('AWS::EC2::', '')))
      return [
        {
          kind: 'network rule',
          taken: `${stackId}/${logicalId}`,
          applyTo: (changed) => {
            const template = changed.template(stackId);
            delete template.Resources[logicalId];
            for (const other of Object.values<any>(template.Resources))
              if (other.DependsOn) other.DependsOn = [other.DependsOn].flat().filter((id: string) => id !== logicalId);
          },
        },
      ];
    const memberships: (readonly Step[])[] = [
      ['Properties', 'VpcConfig', 'SecurityGroupIds'],
      ['Properties', 'NetworkConfiguration', 'AwsvpcConfiguration', 'SecurityGroups'],
      ['Properties', 'VpcSecurityGroupIds'],
      ['Properties', 'VPCSecurityGroups'],
      ['Properties', 'LaunchTemplateData', 'SecurityGroupIds'],
    ];
    return memberships.flatMap((path) =>
      elementsAt(resource, path).map((index) => ({
        kind: 'network rule',
        taken: `security group ${index + 1} of ${stackId}/${logicalId}`,
        applyTo: removal(stackId, logicalId, [...path, index]),
      })),
    );
  });
}

/** Removes a header, a directive, a behaviour or its rule, from the distribution or from API Gateway's own answers. */
function headerRules(stage: MutableStage): readonly Mutation[] {
  const kind = 'header rule';
  return eachResource(stage).flatMap(({ stackId, logicalId, resource }): Mutation[] => {
    const id = `${stackId}/${logicalId}`;
    const without = (path: readonly Step[], what = path.join('.')): Mutation => ({
      kind,
      taken: `${what} of ${id}`,
      applyTo: removal(stackId, logicalId, path),
    });
    if (resource.Type === 'AWS::CloudFront::ResponseHeadersPolicy') {
      const config = ['Properties', 'ResponseHeadersPolicyConfig'];
      return Object.entries<any>(resource.Properties.ResponseHeadersPolicyConfig).flatMap(([group, headers]) =>
        typeof headers === 'object' ? Object.keys(headers).map((name) => without([...config, group, name])) : [],
      );
    }
    if (resource.Type === 'AWS::ApiGateway::GatewayResponse')
      return [
        ...Object.keys(resource.Properties.ResponseParameters ?? {}).map((name) =>
          without(['Properties', 'ResponseParameters', name]),
        ),
        {
          kind,
          taken: id,
          applyTo: (changed) => {
            const { Resources } = changed.template(stackId);
            delete Resources[logicalId];
            for (const other of Object.values<any>(Resources))
              if (other.DependsOn)
                other.DependsOn = [other.DependsOn].flat().filter((name: string) => name !== logicalId);
          },
        },
      ];
    if (resource.Type !== 'AWS::CloudFront::Distribution') return [];
    const path = ['Properties', 'DistributionConfig'];
    const { CacheBehaviors, DefaultCacheBehavior, Origins } = resource.Properties.DistributionConfig;
    const rulesOf = (at: readonly Step[], behavior: any) =>
      ['ResponseHeadersPolicyId', 'OriginRequestPolicyId', 'FunctionAssociations', 'LambdaFunctionAssociations']
        .filter((name) => name in behavior)
        .map((name) => without([...at, name], `${name} of ${behavior.PathPattern ?? 'the page'}`));
    return [
      ...rulesOf([...path, 'DefaultCacheBehavior'], DefaultCacheBehavior),
      ...CacheBehaviors.flatMap((behavior: any, index: number) => [
        without([...path, 'CacheBehaviors', index], behavior.PathPattern),
        ...rulesOf([...path, 'CacheBehaviors', index], behavior),
      ]),
      ...Origins.flatMap(({ OriginCustomHeaders = [] }: any, index: number) =>
        OriginCustomHeaders.map(({ HeaderName }: any, place: number) =>
          without([...path, 'Origins', index, 'OriginCustomHeaders', place], HeaderName),
        ),
      ),
    ];
  });
}

/** All mutations of a stage, kind by kind. */
export function mutationsOf(stage: MutableStage): ReadonlyMap<MutationKind, readonly Mutation[]> {
  return new Map([
    ['right', rights(stage)],
    ['dependency', dependencies(stage)],
    ['network rule', networkRules(stage)],
    ['header rule', headerRules(stage)],
  ]);
}

function eachResource(stage: MutableStage) {
  return [...stage.stacks.keys()].flatMap((stackId) =>
    Object.entries<any>(stage.template(stackId).Resources).map(([logicalId, resource]) => ({
      stackId,
      logicalId,
      resource,
    })),
  );
}

/** Indices of a list; empty if there is no list. */
function elementsAt(resource: any, path: readonly Step[]): number[] {
  const list = path.reduce((value, step) => value?.[step], resource);
  return Array.isArray(list) ? [...list.keys()] : [];
}

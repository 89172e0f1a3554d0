// Possible connections in a stage, from its routes, addresses and security groups, as a readable table.
import type { SynthesizedStage } from './synth.ts';
import { type GraphResource, TemplateGraph } from './template-graph.ts';

/** A resource with addresses in the VPC. */
interface Endpoint {
  readonly name: string;
  /** STACK/LOGICAL-ID of each subnet. */
  readonly subnets: readonly string[];
  readonly securityGroups: readonly string[];
  readonly publicAddress: boolean;
}

interface Rule {
  readonly protocol: string;
  readonly ports: string;
  /** STACK/LOGICAL-ID of a security group, or a CIDR. */
  readonly peer: string;
}

const everywhere = new Set(['0.0.0.0/0', '::/0']);

/**
 * Readers of a resource's subnets and security groups, by type. A service in the network of its machines has only their
 * addresses. @returns null for a resource that is in no VPC
 */
const placesOf: Readonly<Record<string, (properties: any) => readonly [subnets: unknown, groups: unknown] | null>> = {
  'AWS::Lambda::Function': ({ VpcConfig }) => VpcConfig && [VpcConfig.SubnetIds, VpcConfig.SecurityGroupIds],
  'AWS::ECS::Service': ({ NetworkConfiguration: { AwsvpcConfiguration: own } = {} as any }) =>
    own && [own.Subnets, own.SecurityGroups],
  'AWS::ElasticLoadBalancingV2::LoadBalancer': ({ Subnets, SecurityGroups }) => [Subnets, SecurityGroups],
  'AWS::RDS::DBProxy': ({ VpcSubnetIds, VpcSecurityGroupIds }) => [VpcSubnetIds, VpcSecurityGroupIds],
  'AWS::RDS::DBInstance': ({ DBSubnetGroupName, VPCSecurityGroups }) => [DBSubnetGroupName, VPCSecurityGroups],
  'AWS::AutoScaling::AutoScalingGroup': ({ VPCZoneIdentifier, LaunchTemplate, MixedInstancesPolicy }) => [
    VPCZoneIdentifier,
    (LaunchTemplate ?? MixedInstancesPolicy.LaunchTemplate.LaunchTemplateSpecification).LaunchTemplateId,
  ],
};

/**
 * The ports of engines whose instances define none.
 * https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_PostgreSQL.html
 */
const defaultPorts: Readonly<Record<string, number>> = { postgres: 5432 };

/** A sorted line for each open connection: `SOURCE → TARGET: PORTS`. Pairs without a line are unreachable. */
export function reachOf(stage: Pick<SynthesizedStage, 'stacks' | 'template'>): readonly string[] {
  const network = new Network(new TemplateGraph(stage));
  const lines = network.endpoints.flatMap((source) =>
    [
      ...network.endpoints.flatMap((target) =>
        network.portsBetween(source, target).map((ports) => [target.name, ports]),
      ),
      ...network.waysOut(source),
    ].map(([target, ports]) => `${source.name} → ${target}: ${ports}`),
  );
  const inward = network.endpoints.flatMap((target) =>
    network.portsFromInternet(target).map((ports) => `internet → ${target.name}: ${ports}`),
  );
  return [...(inward.length > 0 ? inward : ['internet → nothing in the VPC']), ...lines].sort();
}

class Network {
  readonly endpoints: readonly Endpoint[];
  readonly #graph: TemplateGraph;

  constructor(graph: TemplateGraph) {
    this.#graph = graph;
    this.endpoints = Object.entries(placesOf).flatMap(([type, placesIn]) =>
      graph.ofType(type).flatMap((resource) => {
        const places = placesIn(resource.Properties);
        return places ? [this.#endpoint(resource, ...places)] : [];
      }),
    );
  }

  /** Ports of a target that a source can reach: the source may send to them and the target accepts the source there. */
  portsBetween(source: Endpoint, target: Endpoint): readonly string[] {
    const sendable = this.#egressOf(source).filter(
      ({ peer }) => everywhere.has(peer) || target.securityGroups.includes(peer),
    );
    return this.#ingressOf(target)
      .filter(({ peer }) => everywhere.has(peer) || source.securityGroups.includes(peer))
      .filter((rule) =>
        sendable.some(
          ({ protocol, ports }) => protocol === '-1' || (protocol === rule.protocol && ports === rule.ports),
        ),
      )
      .map(({ protocol, ports }) => portText(protocol, ports));
  }

  /** Ports of a target that are open to the internet: rules have no effect without an address and a route. */
  portsFromInternet(target: Endpoint): readonly string[] {
    const routed = target.publicAddress && target.subnets.some((subnet) => this.#defaultRoute(subnet) === 'gateway');
    return routed
      ? this.#ingressOf(target)
          .filter(({ peer }) => /^[\d:]/.test(peer))
          .map(({ protocol, ports, peer }) => `${portText(protocol, ports)} from ${peer}`)
      : [];
  }

  /** The internet and S3, each as far as the source's egress rules and the routes of all of its subnets allow. */
  waysOut(source: Endpoint): readonly (readonly [target: string, ports: string])[] {
    const allowed = this.#egressOf(source)
      .filter(({ peer }) => everywhere.has(peer))
      .map((rule) => portText(rule.protocol, rule.ports));
    const ports = [...new Set(allowed)].join(', ');
    if (ports === '') return [];
    const routes = source.subnets.map((subnet) => {
      const route = this.#defaultRoute(subnet);
      return route === 'gateway' && !source.publicAddress ? 'none' : route;
    });
    const ways = Map.groupBy(routes, (route) => route);
    const internet = [...ways]
      .filter(([way]) => way !== 'none')
      .map(([way, { length }]): [string, string] => {
        const by = way === 'gateway' ? 'by its own address' : 'through NAT';
        return [
          `internet ${by}`,
          length === routes.length ? ports : `${ports}, from ${length} of ${routes.length} subnets`,
        ];
      });
    const toS3 = source.subnets.filter((subnet) => this.#hasS3Endpoint(subnet)).length;
    const some = toS3 === routes.length ? ports : `${ports}, from ${toS3} of ${routes.length} subnets`;
    return [...internet, ...(toS3 > 0 ? [['S3 by the gateway endpoint', some] as const] : [])];
  }

  #endpoint({ logicalId, stackId, Type, Properties }: GraphResource, subnets: unknown, groups: unknown): Endpoint {
    const subnetsOf = this.#behind(subnets, stackId, 'AWS::EC2::Subnet');
    const mapped = subnetsOf.every((id) => this.#graph.resources.get(id)?.Properties.MapPublicIpOnLaunch === true);
    const asked = Properties.NetworkConfiguration?.AwsvpcConfiguration.AssignPublicIp === 'ENABLED';
    return {
      name: `${stackId}/${logicalId.replace(/(?:Service|ASG)?[0-9A-F]{8}$/, '')}`,
      subnets: subnetsOf,
      securityGroups: this.#behind(groups, stackId, 'AWS::EC2::SecurityGroup'),
      publicAddress:
        asked ||
        (Type === 'AWS::AutoScaling::AutoScalingGroup' && mapped) ||
        Properties.PubliclyAccessible === true ||
        Properties.Scheme === 'internet-facing',
    };
  }

  /** Resources of a type that a value names, directly or through another resource such as a subnet group. */
  #behind(value: unknown, stackId: string, type: string): readonly string[] {
    return this.#graph.namedIn(value, stackId).flatMap((id) => {
      const resource = this.#graph.resources.get(id)!;
      return resource.Type === type ? [id] : this.#directly(resource, type);
    });
  }

  #directly({ Properties, stackId }: GraphResource, type: string): readonly string[] {
    return this.#graph.namedIn(Properties, stackId).filter((id) => this.#graph.resources.get(id)?.Type === type);
  }

  #ingressOf({ securityGroups }: Endpoint): readonly Rule[] {
    return securityGroups.flatMap((id) => [
      ...this.#ownRules(id, 'SecurityGroupIngress'),
      ...this.#rulesFor(id, 'AWS::EC2::SecurityGroupIngress'),
    ]);
  }

  /**
   * “When you create a security group without egress rules, it has one that allows all.”
   * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ec2-securitygroup.html
   */
  #egressOf({ securityGroups }: Endpoint): readonly Rule[] {
    return securityGroups.flatMap((id) => {
      const rules = [
        ...this.#ownRules(id, 'SecurityGroupEgress'),
        ...this.#rulesFor(id, 'AWS::EC2::SecurityGroupEgress'),
      ];
      return rules.length > 0 ? rules : [{ protocol: '-1', ports: '', peer: '0.0.0.0/0' }];
    });
  }

  #ownRules(id: string, property: string): readonly Rule[] {
    const { Properties, stackId } = this.#graph.resources.get(id)!;
    return (Properties[property] ?? []).map((rule: any) => this.#rule(rule, stackId));
  }

  #rulesFor(id: string, type: string): readonly Rule[] {
    return this.#graph
      .ofType(type)
      .filter(({ Properties, stackId }) => this.#graph.resourceIn(Properties.GroupId, stackId).id === id)
      .map(({ Properties, stackId }) => this.#rule(Properties, stackId));
  }

  #rule(rule: any, stackId: string): Rule {
    const group = rule.SourceSecurityGroupId ?? rule.DestinationSecurityGroupId;
    const [from, to] = [this.#port(rule.FromPort, stackId), this.#port(rule.ToPort, stackId)];
    return {
      protocol: String(rule.IpProtocol),
      ports: from === to ? from : `${from}-${to}`,
      peer: group ? this.#graph.resourceIn(group, stackId).id : String(rule.CidrIp ?? rule.CidrIpv6),
    };
  }

  /** @param port a number, or the attribute of an instance */
  #port(port: unknown, stackId: string): string {
    if (port === undefined) return '';
    if (typeof port === 'number' || typeof port === 'string') return String(port);
    const { Properties } = this.#graph.resourceIn(port, stackId);
    return String(Properties.Port ?? defaultPorts[Properties.Engine]);
  }

  #routeTableOf(subnetId: string): string | undefined {
    const association = this.#graph
      .ofType('AWS::EC2::SubnetRouteTableAssociation')
      .find(({ Properties, stackId }) => this.#graph.resourceIn(Properties.SubnetId, stackId).id === subnetId);
    return association && this.#graph.resourceIn(association.Properties.RouteTableId, association.stackId).id;
  }

  /** Default route of a subnet. A NAT gateway or instance leads nowhere if its own subnet has no route. */
  #defaultRoute(subnetId: string): 'gateway' | 'NAT' | 'none' {
    const table = this.#routeTableOf(subnetId);
    const route = this.#graph
      .ofType('AWS::EC2::Route')
      .find(
        ({ Properties, stackId }) =>
          everywhere.has(Properties.DestinationCidrBlock) &&
          this.#graph.resourceIn(Properties.RouteTableId, stackId).id === table,
      );
    if (!route) return 'none';
    if (route.Properties.GatewayId) return 'gateway';
    const { NatGatewayId, InstanceId } = route.Properties;
    const nat = this.#graph.resourceIn(NatGatewayId ?? InstanceId, route.stackId);
    const subnet = nat.Properties.SubnetId ?? nat.Properties.NetworkInterfaces[0].SubnetId;
    const behind = this.#graph.resourceIn(subnet, nat.stackId).id;
    return this.#defaultRoute(behind) === 'gateway' ? 'NAT' : 'none';
  }

  #hasS3Endpoint(subnetId: string): boolean {
    const table = this.#routeTableOf(subnetId);
    return this.#graph
      .ofType('AWS::EC2::VPCEndpoint')
      .some(
        ({ Properties, stackId }) =>
          JSON.stringify(Properties.ServiceName).includes('.s3') &&
          table !== undefined &&
          this.#graph.namedIn(Properties.RouteTableIds ?? [], stackId).includes(table),
      );
  }
}

function portText(protocol: string, ports: string): string {
  return protocol === '-1' ? 'every port' : `${protocol} ${ports}`;
}

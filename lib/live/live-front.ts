// The front of the live ingest: a load balancer in public subnets, with a name and a certificate if there is a domain.
// Decision D249.
import { Duration } from 'aws-cdk-lib';
import { Certificate, CertificateValidation } from 'aws-cdk-lib/aws-certificatemanager';
import { type IVpc, Peer, Port, SecurityGroup, SubnetType } from 'aws-cdk-lib/aws-ec2';
import {
  type INetworkLoadBalancerTarget,
  NetworkLoadBalancer,
  type NetworkTargetGroup,
  Protocol,
  SslPolicy,
} from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { ARecord, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { LoadBalancerTarget } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import { coresOfTask, coresOfUnfunded, liveApplication, livePort } from '../../lambda/live/environment.ts';
import type { Settings } from '../../lambda/settings.ts';
import { acknowledge, acknowledgeForCheckov } from '../shared/acknowledge.ts';
import type { StageSettings } from '../stage-settings.ts';
import type { StageZone } from '../web/stage-zone.ts';

const ports = { rtmp: 1935, rtmps: 443 } as const;

export interface LiveFrontProps {
  readonly settings: Pick<StageSettings, 'domain'>;
  readonly vpc: IVpc;
  readonly zone: StageZone;
}

export class LiveFront extends Construct {
  /** The protocol of contributors. The load balancer decrypts RTMPS. */
  readonly protocol: 'rtmp' | 'rtmps';
  /** The addresses for contributors. */
  readonly addresses: Settings['liveIngest'];
  readonly balancer: NetworkLoadBalancer;
  /** The group of the tasks, which only the load balancer reaches. */
  readonly taskGroup: SecurityGroup;
  readonly #certificates: Certificate[];

  constructor(scope: Construct, id: string, { settings, vpc, zone }: LiveFrontProps) {
    super(scope, id);
    this.protocol = settings.domain === null ? 'rtmp' : 'rtmps';
    this.taskGroup = new SecurityGroup(this, 'Tasks', { vpc, description: 'Live ingests' });
    const group = this.#balancerGroup(vpc);
    this.taskGroup.addIngressRule(group, Port.tcp(livePort), 'Contributors, by the load balancer');
    group.addEgressRule(this.taskGroup, Port.tcp(livePort), 'Contributors');
    this.balancer = new NetworkLoadBalancer(this, 'Balancer', {
      vpc,
      vpcSubnets: { subnetType: SubnetType.PUBLIC },
      internetFacing: true,
      // Traffic between zones costs money, and a zone without a task is not in the name's addresses.
      crossZoneEnabled: false,
      securityGroups: [group],
    });
    this.#acknowledgeBalancer();
    const { host, certificates } = this.#name(settings.domain, zone);
    this.#certificates = certificates;
    const at = `${host}/${liveApplication}`;
    const cores = { cores: coresOfTask, coresOfUnfunded };
    this.addresses =
      this.protocol === 'rtmp'
        ? { ...cores, rtmpURL: `rtmp://${at}` }
        : { ...cores, rtmpsURL: `rtmps://${host}:${ports.rtmps}/${liveApplication}` };
  }

  /** Sends contributors to a service, each connection with their address in a PROXY header. */
  forwardTo(target: INetworkLoadBalancerTarget): NetworkTargetGroup {
    const isSecure = this.protocol === 'rtmps';
    const listener = this.balancer.addListener('Listener', {
      port: ports[this.protocol],
      protocol: isSecure ? Protocol.TLS : Protocol.TCP,
      ...(isSecure && { certificates: this.#certificates, sslPolicy: SslPolicy.RECOMMENDED_TLS }),
    });
    return listener.addTargets('Tasks', {
      port: livePort,
      protocol: Protocol.TCP,
      proxyProtocolV2: true,
      // Until then, ECS does not ask a task to end. Its contributors stay connected.
      deregistrationDelay: Duration.seconds(10),
      healthCheck: { protocol: Protocol.TCP, interval: Duration.seconds(10) },
      targets: [target],
    });
  }

  #balancerGroup(vpc: IVpc): SecurityGroup {
    const group = new SecurityGroup(this, 'Contributors', {
      vpc,
      description: 'Load balancer of the live ingests',
      allowAllOutbound: false,
    });
    group.addIngressRule(Peer.anyIpv4(), Port.tcp(ports[this.protocol]), 'Contributors');
    acknowledge(
      group,
      'Contributors come from anywhere. A live input may allow some addresses only, which the ingest checks.',
      'AwsSolutions-EC23',
    );
    return group;
  }

  /** The name for contributors, and its certificate if it is ours. */
  #name(domain: StageSettings['domain'], zones: StageZone): { host: string; certificates: Certificate[] } {
    if (domain === null) return { host: this.balancer.loadBalancerDnsName, certificates: [] };
    const domainName = `ingest.${domain.name}`;
    const zone = zones.in(this);
    // The distribution's certificate is in us-east-1, and a load balancer takes one of its own region only.
    const validation = CertificateValidation.fromDns(zone);
    const certificate = new Certificate(this, 'Certificate', { domainName, validation });
    const target = RecordTarget.fromAlias(new LoadBalancerTarget(this.balancer));
    new ARecord(this, 'Record', { zone, recordName: `${domainName}.`, target });
    return { host: domainName, certificates: [certificate] };
  }

  #acknowledgeBalancer(): void {
    acknowledge(
      this.balancer,
      'The ingest logs who was refused and who contributed, with their addresses.',
      'AwsSolutions-ELB2',
    );
    acknowledgeForCheckov(this.balancer, 'The ingest logs contributors with their addresses.', 'CKV_AWS_91');
    acknowledgeForCheckov(this.balancer, 'Traffic between zones would cost money.', 'CKV_AWS_152');
    acknowledgeForCheckov(this.balancer, 'It keeps nothing, and a setting turns it off.', 'CKV_AWS_150');
  }
}

// The network of a stage: public subnets for agents, private ones for functions, isolated ones for the database.
import { Stack } from 'aws-cdk-lib';
import {
  type CfnInstance,
  FlowLogDestination,
  FlowLogTrafficType,
  GatewayVpcEndpointAwsService,
  type IVpc,
  Port,
  SecurityGroup,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import type { Construct } from 'constructs';
import { agentPeerPort } from '../../lambda/publisher/environment.ts';
import { acknowledge, acknowledgeCdkFunction } from '../shared/acknowledge.ts';
import { ServiceLogs } from '../shared/service-logs.ts';
import { zonesOfStage } from '../stage-settings.ts';
import type { StageSettings } from '../stage-settings.ts';
import type { GivenNetwork } from '../taken-settings.ts';
import { NatInstances } from './nat-instances.ts';
import { StageAddresses } from './stage-addresses.ts';

export interface NetworkStackProps {
  readonly settings: StageSettings;
}

export class NetworkStack extends Stack {
  readonly vpc: IVpc;
  /** Members of this security group can reach the database. */
  readonly databaseClients: SecurityGroup;
  /**
   * The security group of agents and media workers, and of their machines. Its members reach each other at one port.
   */
  readonly publishers: SecurityGroup;
  /** The machines that stand in for NAT gateways, if any. */
  natInstances: readonly CfnInstance[] = [];
  readonly #zones: string[];

  constructor(scope: Construct, id: string, { settings }: NetworkStackProps) {
    super(scope, id);
    this.#zones = zonesOfStage(settings);

    this.vpc = settings.network === null ? this.#newVpc(settings) : this.#givenVpc(settings.network);

    this.databaseClients = new SecurityGroup(this, 'DatabaseClients', {
      vpc: this.vpc,
      description: 'Functions and tasks that use the database',
    });
    this.publishers = new SecurityGroup(this, 'Publishers', { vpc: this.vpc, description: 'Agents and media workers' });
    // Apart from HTTPS and Postgres, this is the only open port of the platform.
    this.publishers.addIngressRule(this.publishers, Port.tcp(agentPeerPort), 'Agents ask their peers');
  }

  #newVpc(settings: StageSettings): Vpc {
    const bits = Number(settings.vpcCidr.split('/')[1]);
    const flowLogs = new ServiceLogs(this, 'FlowLogs', settings.logRetentionDays);
    const natInstances = settings.nat === 'instance' ? new NatInstances(settings.vpcCidr) : null;
    const vpc = new Vpc(this, 'Vpc', {
      ipAddresses: new StageAddresses(settings),
      natGateways: settings.natGateways,
      ...(natInstances && { natGatewayProvider: natInstances }),
      // Agents send some Mbit/s for each stream, for months. From public subnets this traffic needs no NAT gateway,
      // which would charge for it.
      subnetConfiguration: [
        { name: 'Publishers', subnetType: SubnetType.PUBLIC, cidrMask: bits + 4 },
        { name: 'Functions', subnetType: SubnetType.PRIVATE_WITH_EGRESS, cidrMask: bits + 4 },
        { name: 'Database', subnetType: SubnetType.PRIVATE_ISOLATED, cidrMask: bits + 8 },
      ],
      // This endpoint is free, and traffic to and from S3 through it needs no NAT gateway.
      gatewayEndpoints: { S3: { service: GatewayVpcEndpointAwsService.S3 } },
      flowLogs: {
        Rejected: {
          destination: FlowLogDestination.toCloudWatchLogs(flowLogs),
          trafficType: FlowLogTrafficType.REJECT,
        },
      },
    });
    acknowledge(
      vpc,
      'Zones are given by the stage: looking them up would need credentials at synth.',
      'CloudFormation-Validate::W3010',
    );

    this.natInstances = natInstances?.instances ?? [];

    // This function of the CDK empties the default security group, which has no members.
    acknowledgeCdkFunction(
      this.node.findChild('Custom::VpcRestrictDefaultSGCustomResourceProvider').node.findChild('Handler'),
    );
    return vpc;
  }

  /** A VPC that is given in the settings. Its owner configures endpoints, flow logs and NAT. */
  #givenVpc({ vpcId, cidr, ...subnets }: GivenNetwork): IVpc {
    const vpc = Vpc.fromVpcAttributes(this, 'Vpc', {
      vpcId,
      vpcCidrBlock: cidr,
      availabilityZones: this.#zones,
      publicSubnetIds: [...subnets.publisherSubnetIds],
      privateSubnetIds: [...subnets.functionSubnetIds],
      isolatedSubnetIds: [...subnets.databaseSubnetIds],
    });
    acknowledge(vpc, 'Nothing here asks for their route tables.', 'Annotation::@aws-cdk/aws-ec2:noSubnetRouteTableId');
    return vpc;
  }

  /** The zones in the settings of the stage. The CDK would look them up, which needs credentials. */
  override get availabilityZones(): string[] {
    return this.#zones;
  }
}

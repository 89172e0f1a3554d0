// The machines with a GPU that ffmpeg agents and media workers run on: as many as their tasks need, and a warm few.
import { RemovalPolicy } from 'aws-cdk-lib';
import { AutoScalingGroup, GroupMetrics } from 'aws-cdk-lib/aws-autoscaling';
import {
  BlockDeviceVolume,
  EbsDeviceVolumeType,
  InstanceType,
  LaunchTemplate,
  SubnetType,
  UserData,
} from 'aws-cdk-lib/aws-ec2';
import { AmiHardwareType, AsgCapacityProvider, type Cluster, EcsOptimizedImage } from 'aws-cdk-lib/aws-ecs';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { NetworkStack } from '../network/network-stack.ts';
import { acknowledge, acknowledgeForCheckov } from '../shared/acknowledge.ts';
import type { StageSettings } from '../stage-settings.ts';

export interface GpuPoolProps {
  readonly settings: StageSettings;
  readonly network: NetworkStack;
  readonly cluster: Cluster;
}

/** A task that asks for a GPU has a machine to itself: they have one each. */
export class GpuPool extends Construct {
  /** Names the pool in a service's capacity strategy. */
  readonly capacityProviderName: string;

  constructor(scope: Construct, id: string, { settings, network, cluster }: GpuPoolProps) {
    super(scope, id);
    const role = new Role(this, 'MachineRole', { assumedBy: new ServicePrincipal('ec2.amazonaws.com') });
    acknowledge(
      role,
      'The rights that the ECS agent of a machine needs, as the CDK grants them.',
      'AwsSolutions-IAM5[Action::ecs:Submit*]',
      'AwsSolutions-IAM5[Resource::*]',
    );
    const userData = UserData.forLinux();
    // Agents tell each other the address of their machine, which ECS writes into a file for them.
    userData.addCommands('echo ECS_ENABLE_CONTAINER_METADATA=true >> /etc/ecs/ecs.config');
    const machine = new LaunchTemplate(this, 'Machine', {
      instanceType: new InstanceType(settings.gpuInstanceType),
      // Its id is a parameter of the template, read by CloudFormation at each deployment.
      machineImage: EcsOptimizedImage.amazonLinux2023(AmiHardwareType.GPU),
      userData,
      role,
      securityGroup: network.publishers,
      associatePublicIpAddress: true,
      requireImdsv2: true,
      // From containers it is a hop further: they cannot take on the machine's role.
      httpPutResponseHopLimit: 1,
      blockDevices: [
        {
          deviceName: '/dev/xvda',
          volume: BlockDeviceVolume.ebs(60, { encrypted: true, volumeType: EbsDeviceVolumeType.GP3 }),
        },
      ],
    });
    machine.addSecurityGroup(network.databaseClients);
    acknowledgeForCheckov(
      machine,
      'A public address that nobody gets in at: media does not pay for a NAT gateway.',
      'CKV_AWS_88',
    );

    const machines = new AutoScalingGroup(this, 'Machines', {
      vpc: network.vpc,
      vpcSubnets: { subnetType: SubnetType.PUBLIC },
      launchTemplate: machine,
      minCapacity: settings.gpuMachinesMin,
      maxCapacity: settings.gpuMachinesMax,
      // ECS ends machines, and only those without tasks.
      newInstancesProtectedFromScaleIn: true,
      groupMetrics: [GroupMetrics.all()],
    });
    machines.applyRemovalPolicy(RemovalPolicy.DESTROY);
    acknowledge(
      machines,
      'ECS adds and removes machines, and alarms watch it; a notice of each would be noise.',
      'AwsSolutions-AS3',
    );

    const provider = new AsgCapacityProvider(this, 'CapacityProvider', {
      autoScalingGroup: machines,
      enableManagedScaling: true,
      enableManagedTerminationProtection: true,
      enableManagedDraining: true,
    });
    cluster.addAsgCapacityProvider(provider);
    acknowledgeForCheckov(
      role.node.findChild('DefaultPolicy'),
      'The rights that the ECS agent of a machine needs; containers cannot take on the role.',
      'CKV_AWS_111',
    );
    this.capacityProviderName = provider.capacityProviderName;
  }
}

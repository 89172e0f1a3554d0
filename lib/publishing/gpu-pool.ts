// The GPU machines for ffmpeg agents and media workers: one for each task, and some spare ones.
// The pool may have more machines than its services may have tasks: a deployment starts a task before it ends another.
// A machine gets a new machine image by being replaced, at a release or after its maximum lifetime.
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AutoScalingGroup, GroupMetrics, TerminationPolicy } from 'aws-cdk-lib/aws-autoscaling';
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
import { acknowledge, acknowledgeForCheckov } from '../shared/acknowledge.ts';
import type { StageSettings } from '../stage-settings.ts';
import type { TaskNetwork } from './task-surroundings.ts';

/** GiB of a machine's gp3 volume, for its system, the image, and the media that agents keep. */
export const gpuMachineDiskGiB = 60;

export interface GpuPoolProps {
  readonly settings: Pick<StageSettings, 'gpuInstanceType' | 'gpuMachinesMax' | 'gpuMachinesMin'>;
  readonly network: TaskNetwork;
  readonly cluster: Cluster;
}

/** A machine has one GPU, so a task that requests a GPU has a machine to itself. */
export class GpuPool extends Construct {
  /** The name of the pool, for a service's capacity provider strategy. */
  readonly capacityProviderName: string;

  constructor(scope: Construct, id: string, { settings, network, cluster }: GpuPoolProps) {
    super(scope, id);
    const role = new Role(this, 'MachineRole', { assumedBy: new ServicePrincipal('ec2') });
    acknowledge(
      role,
      'The rights that the ECS agent of a machine needs, as the CDK grants them.',
      'AwsSolutions-IAM5[Action::ecs:Submit*]',
      'AwsSolutions-IAM5[Resource::*]',
    );
    const userData = UserData.forLinux();
    // Agents exchange the addresses of their machines. With this setting, ECS writes the address into a file for them.
    userData.addCommands('echo ECS_ENABLE_CONTAINER_METADATA=true >> /etc/ecs/ecs.config');
    const machine = new LaunchTemplate(this, 'Machine', {
      instanceType: new InstanceType(settings.gpuInstanceType),
      // The id of the image is a parameter of the template. CloudFormation reads its value at each deployment.
      machineImage: EcsOptimizedImage.amazonLinux2023(AmiHardwareType.GPU),
      userData,
      role,
      securityGroup: network.publishers,
      associatePublicIpAddress: true,
      requireImdsv2: true,
      // A request from a container needs one hop more, so containers cannot get the credentials of the machine's role.
      httpPutResponseHopLimit: 1,
      blockDevices: [
        {
          deviceName: '/dev/xvda',
          volume: BlockDeviceVolume.ebs(gpuMachineDiskGiB, { encrypted: true, volumeType: EbsDeviceVolumeType.GP3 }),
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
      // Only ECS may end machines, and it ends only machines without tasks.
      newInstancesProtectedFromScaleIn: true,
      // A machine reads its image once, when it is created. A release moves the tasks off a machine, and of the
      // machines without tasks the oldest end first. The maximum lifetime replaces machines that are always in use or
      // always spare.
      terminationPolicies: [TerminationPolicy.OLDEST_LAUNCH_TEMPLATE, TerminationPolicy.OLDEST_INSTANCE],
      maxInstanceLifetime: Duration.days(30),
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

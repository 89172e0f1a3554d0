// Small machines instead of NAT gateways: for a third of the price, and without their availability.
// Decision D186.
import { createHash } from 'node:crypto';
import { natMachineScript } from '#artifacts';
import {
  CfnWaitCondition,
  CfnWaitConditionHandle,
  CrossStackReferences,
  Fn,
  ReferenceStrength,
  Stack,
} from 'aws-cdk-lib';
import {
  AmazonLinuxCpuType,
  BlockDeviceVolume,
  CfnInstance,
  type ConfigureNatOptions,
  EbsDeviceVolumeType,
  type GatewayConfig,
  InstanceType,
  LaunchTemplate,
  MachineImage,
  NatProvider,
  Peer,
  Port,
  type PrivateSubnet,
  type PublicSubnet,
  RouterType,
  SecurityGroup,
  UserData,
} from 'aws-cdk-lib/aws-ec2';
import { Construct } from 'constructs';
import { acknowledge, acknowledgeForCheckov } from '../shared/acknowledge.ts';

/** 1 GiB of memory: with half of it, a package manager dies beside the machine's other processes. */
const machineType = 't4g.micro';
/**
 * Raise it to replace the machines, with the newest image. Nothing else replaces them, apart from another script or
 * type: a release does not, though AWS publishes images all the time.
 */
const renewal = 1;
/** Seconds after which a deployment fails whose machine has not reported. The script reports earlier. */
const reportSeconds = 2400;

interface NatMachine {
  readonly zone: string;
  readonly instance: CfnInstance;
  readonly ready: CfnWaitCondition;
}

/** A route leads to a machine only once the machine has reported that it forwards. */
export class NatInstances extends NatProvider {
  readonly #cidr: string;
  readonly #machines: NatMachine[] = [];

  /** @param cidr addresses of the network, whose packets are forwarded */
  constructor(cidr: string) {
    super();
    this.#cidr = cidr;
  }

  get configuredGateways(): GatewayConfig[] {
    return this.#machines.map(({ zone: az, instance }) => ({ az, gatewayId: instance.ref }));
  }

  get instances(): readonly CfnInstance[] {
    return this.#machines.map(({ instance }) => instance);
  }

  configureNat({ vpc, natSubnets, privateSubnets }: ConfigureNatOptions): void {
    const group = new SecurityGroup(vpc, 'NatSecurityGroup', { vpc, description: 'NAT machines' });
    group.addIngressRule(Peer.ipv4(this.#cidr), Port.allTraffic());
    for (const subnet of natSubnets) this.#machines.push(this.#machineIn(subnet, group));
    for (const subnet of privateSubnets) this.configureSubnet(subnet);
  }

  configureSubnet(subnet: PrivateSubnet): void {
    const inZone = this.#machines.find(({ zone }) => zone === subnet.availabilityZone);
    const { instance, ready } = inZone ?? this.#machines[0]!;
    subnet.addRoute('DefaultRoute', {
      routerType: RouterType.INSTANCE,
      routerId: instance.ref,
      enablesInternetConnectivity: true,
    });
    subnet.node.findChild('DefaultRoute').node.addDependency(ready);
  }

  /** A machine with another script, type or renewal has other ids: it reports for itself before the old one ends. */
  #machineIn(subnet: PublicSubnet, group: SecurityGroup): NatMachine {
    const revision = createHash('sha256').update(JSON.stringify([natMachineScript(), machineType, renewal]));
    const scope = new Construct(subnet, `Nat${revision.digest('hex').slice(0, 8)}`);
    const handle = new CfnWaitConditionHandle(scope, 'Handle');
    const template = this.#templateIn(scope, handle);
    const instance = new CfnInstance(scope, 'Machine', {
      // The image is a value of this version. Later versions have newer images, and no machine uses them.
      launchTemplate: { launchTemplateId: template.launchTemplateId!, version: '1' },
      sourceDestCheck: false,
      networkInterfaces: [
        {
          deviceIndex: '0',
          associatePublicIpAddress: true,
          subnetId: subnet.subnetId,
          groupSet: [group.securityGroupId],
        },
      ],
    });
    // Its alarm reads the id. An imported one could not be replaced.
    CrossStackReferences.of(instance).produce(ReferenceStrength.WEAK);
    instance.node.addDependency(subnet.internetConnectivityEstablished);
    const ready = new CfnWaitCondition(scope, 'Ready', { handle: handle.ref, timeout: `${reportSeconds}` });
    ready.addResourceDependency(instance);
    const reason = 'It keeps nothing: another one is made.';
    acknowledge(instance, reason, 'AwsSolutions-EC28', 'AwsSolutions-EC29');
    acknowledgeForCheckov(instance, reason, 'CKV_AWS_126', 'CKV_AWS_135');
    acknowledgeForCheckov(instance, 'It is what has the public address.', 'CKV_AWS_88');
    return { zone: subnet.availabilityZone, instance, ready };
  }

  #templateIn(scope: Construct, handle: CfnWaitConditionHandle): LaunchTemplate {
    const { region, urlSuffix } = Stack.of(scope);
    const userData = UserData.forLinux();
    userData.addCommands(
      Fn.sub("export NAT_CIDR='${cidr}' NAT_READY_URL='${ready}' NAT_PROBE_URL='https://sts.${region}.${suffix}/'", {
        cidr: this.#cidr,
        ready: handle.ref,
        region,
        suffix: urlSuffix,
      }),
      natMachineScript(),
    );
    const volume = BlockDeviceVolume.ebs(8, { encrypted: true, volumeType: EbsDeviceVolumeType.GP3 });
    return new LaunchTemplate(scope, 'Template', {
      instanceType: new InstanceType(machineType),
      machineImage: MachineImage.latestAmazonLinux2023({ cpuType: AmazonLinuxCpuType.ARM_64 }),
      userData,
      requireImdsv2: true,
      httpPutResponseHopLimit: 1,
      blockDevices: [{ deviceName: '/dev/xvda', volume }],
    });
  }
}

// Small machines instead of NAT gateways: for a fifth of the price, and without their availability.
import {
  type CfnInstance,
  EbsDeviceVolumeType,
  InstanceType,
  NatInstanceProviderV2,
  NatTrafficDirection,
  Peer,
  Port,
} from 'aws-cdk-lib/aws-ec2';
import { acknowledge, acknowledgeForCheckov } from '../shared/acknowledge.ts';

/** Image and user data are those of the CDK: Amazon Linux, which forwards packets of the private subnets. */
export class NatInstances extends NatInstanceProviderV2 {
  constructor() {
    super({
      instanceType: new InstanceType('t4g.nano'),
      associatePublicIpAddress: true,
      defaultAllowedTraffic: NatTrafficDirection.OUTBOUND_ONLY,
    });
  }

  /** Lets the machines forward packets from the network only. @param cidr addresses of the network */
  letIn(cidr: string): void {
    this.connections.allowFrom(Peer.ipv4(cidr), Port.allTraffic());
    for (const machine of this.gatewayInstances) {
      const resource = machine.node.defaultChild as CfnInstance;
      const { deviceName, volume } = rootDisk;
      resource.blockDeviceMappings = [{ deviceName, ebs: { encrypted: true, ...volume } }];
      resource.metadataOptions = { httpTokens: 'required', httpPutResponseHopLimit: 1 };
      const reason = 'It keeps nothing: another one is made.';
      acknowledge(machine, reason, 'AwsSolutions-EC28', 'AwsSolutions-EC29');
      acknowledgeForCheckov(machine, reason, 'CKV_AWS_126', 'CKV_AWS_135');
      acknowledgeForCheckov(machine, 'It is what has the public address.', 'CKV_AWS_88');
    }
  }
}

const rootDisk = { deviceName: '/dev/xvda', volume: { volumeSize: 8, volumeType: EbsDeviceVolumeType.GP3 } } as const;

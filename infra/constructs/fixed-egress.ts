import * as ec2 from 'aws-cdk-lib/aws-ec2';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { prefixOf, type Stage } from '../stages.ts';
import { logGroupOf } from './log-group.ts';

interface FixedEgressProps {
  readonly stage: Stage;
  /** Allocation ids of the addresses, one for each zone. */
  readonly addresses: readonly string[];
  readonly logsKey: IKey;
}

export class FixedEgress extends Construct {
  readonly vpc: ec2.IVpc;
  readonly securityGroup: ec2.ISecurityGroup;

  constructor(scope: Construct, id: string, { stage, addresses, logsKey }: FixedEgressProps) {
    super(scope, id);
    const vpc = new ec2.Vpc(this, 'Vpc', {
      vpcName: prefixOf(stage),
      ipAddresses: ec2.IpAddresses.cidr('10.20.0.0/22'),
      maxAzs: addresses.length,
      natGateways: addresses.length,
      natGatewayProvider: ec2.NatProvider.gateway({ eipAllocationIds: addresses.slice() }),
      subnetConfiguration: [
        { name: 'out', subnetType: ec2.SubnetType.PUBLIC, cidrMask: 27, mapPublicIpOnLaunch: false },
        { name: 'functions', subnetType: ec2.SubnetType.PRIVATE_WITH_EGRESS, cidrMask: 24 },
      ],
      // Most of the traffic goes to the table, and NAT costs by the gigabyte.
      gatewayEndpoints: { table: { service: ec2.GatewayVpcEndpointAwsService.DYNAMODB } },
    });
    vpc.addFlowLog('Refused', {
      trafficType: ec2.FlowLogTrafficType.REJECT,
      destination: ec2.FlowLogDestination.toCloudWatchLogs(
        logGroupOf(this, 'RefusedLog', `/${prefixOf(stage)}/egress`, { stage, key: logsKey }),
      ),
    });
    this.vpc = vpc;
    this.securityGroup = new ec2.SecurityGroup(this, 'Functions', {
      vpc: this.vpc,
      description: 'Functions that call out; nothing calls in',
      allowAllOutbound: true,
    });
  }
}

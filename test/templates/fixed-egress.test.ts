import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FUNCTIONS } from '#infra/functions.ts';
import { everythingOn, filledInProd, Synthesised } from '../makers/synthesised.ts';

const stage = everythingOn();
const without = filledInProd();
const inside = (operation: string) => 'VpcConfig' in stage.functionOf(operation).properties;
const CALL_OUT = ['submit-analyses', 'test-webhook', 'poll-bank-outcomes', 'deliver-webhook'];

it('only functions that call the operator or partners use the fixed addresses', () => {
  expect(
    FUNCTIONS.filter(({ operation }) => inside(operation))
      .map(({ operation }) => operation)
      .sort(),
  ).toEqual([...CALL_OUT].sort());
});

it('each zone has a NAT gateway with an address that the data stack retains', () => {
  const gateways = stage.serviceResources('AWS::EC2::NatGateway');
  expect(gateways).toHaveLength(2);
  const addresses = gateways.map(([, { Properties }]) => JSON.stringify(Properties['AllocationId']));
  expect(addresses[0]).toContain('EgressAddressA');
  expect(addresses[1]).toContain('EgressAddressB');
});

it('the network of fixed addresses reaches the table without NAT, and accepts no calls', () => {
  const [[, endpoint] = []] = stage.serviceResources('AWS::EC2::VPCEndpoint');
  expect(JSON.stringify(endpoint?.Properties['ServiceName'])).toContain('dynamodb');
  for (const [, { Properties }] of stage.serviceResources('AWS::EC2::SecurityGroup'))
    expect(Properties).not.toHaveProperty('SecurityGroupIngress');
  stage.service.resourceCountIs('AWS::EC2::SecurityGroupIngress', 0);
});

it('fixed addresses are off by default, and only functions that call outside may have network interfaces', () => {
  for (const type of ['VPC', 'NatGateway', 'EIP']) expect(without.serviceResources(`AWS::EC2::${type}`)).toEqual([]);
  const allowed = FUNCTIONS.filter(({ operation }) =>
    stage.statementsOf(operation).some(({ Action }) => Action.includes('ec2:CreateNetworkInterface')),
  );
  expect(allowed.map(({ operation }) => operation).sort()).toEqual(CALL_OUT.toSorted());
});

it('the documentation shows fixed addresses only if calls leave from them', () => {
  const told = (one: Synthesised) => {
    const { Variables } = one.functionOf('get-docs').properties['Environment'] as { Variables: object };
    return Variables;
  };
  const addresses = JSON.stringify(told(stage));
  for (const zone of ['A', 'B'])
    expect(addresses).toMatch(new RegExp(`"WEBHOOK_ADDRESSES".*Ref\\w*EgressAddress${zone}`));
  const reserved = Synthesised.with('prod', { egressAddresses: true });
  expect(told(reserved)).not.toHaveProperty('WEBHOOK_ADDRESSES');
});

it('the README deploys the administration first to give up fixed addresses, because it imports the network', () => {
  const imports = ({ administration }: Synthesised) =>
    [...JSON.stringify(administration.toJSON()).matchAll(/"Fn::ImportValue":"partner-credit-prod-service:([^"]*)"/g)]
      .map(([, name]) => name!)
      .filter((name) => /Egress/.test(name));
  expect(new Set(imports(stage)).size).toBe(3);
  expect(imports(without)).toEqual([]);
  const readme = readFileSync('infra/README.md', 'utf8');
  expect(readme).toMatch(
    /`fixedEgress` off: `npx cdk deploy partner-credit-prod-administration --exclusively -c stage=prod` first/,
  );
});

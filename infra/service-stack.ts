import { Fn, Stack, type StackProps } from 'aws-cdk-lib';
import type { Code, IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { createSimulation, getAccount, getDocs, getLead, ROUTES, submitAnalyses } from '../shared/contract/routes.ts';
import { FixedEgress } from './constructs/fixed-egress.ts';
import { GradualRelease } from './constructs/gradual-release.ts';
import type { Touchable } from './constructs/role-statements.ts';
import { Poller, ServiceFunction, type ServiceFunctionProps } from './constructs/service-function.ts';
import { WorkQueue } from './constructs/work-queue.ts';
import type { DataStack, EgressAddress } from './data-stack.ts';
import { DELIVERY_WORKER, FALLBACK, FUNCTIONS, POLLERS, PROBE } from './functions.ts';
import { Gateway } from './gateway.ts';
import { PERMISSIONS } from './permissions.ts';
import type { Stage } from './stages.ts';

export type CodeOf = (operation: string) => Code;

function partnerFacts(
  { support, dataProtectionOfficer, fixedEgress }: Stage,
  addresses: readonly EgressAddress[],
): Record<string, string> {
  const facts: Record<string, string> = {
    SUPPORT_EMAIL: support.email,
    SUPPORT_HOURS: support.hours,
    CONTACT_UNTIL: support.contactUntil,
    DPO_NAME: dataProtectionOfficer.name,
    DPO_EMAIL: dataProtectionOfficer.email,
  };
  if (support.statusPage !== undefined) facts['STATUS_PAGE'] = support.statusPage;
  // Partners must not put an address on their allowlist that is not in use.
  if (fixedEgress) facts['WEBHOOK_ADDRESSES'] = addresses.map(({ ip }) => ip).join(' ');
  return facts;
}

export class ServiceStack extends Stack {
  /** CDK would otherwise ask an account for the names of its zones during the synthesis. */
  override get availabilityZones(): string[] {
    return [Fn.select(0, Fn.getAzs()), Fn.select(1, Fn.getAzs())];
  }

  readonly touchable: Touchable;
  /** Undefined if the stage has no fixed addresses. */
  readonly egress: FixedEgress | undefined;

  constructor(scope: Construct, id: string, stage: Stage, data: DataStack, codeOf: CodeOf, props: StackProps) {
    super(scope, id, props);

    const deliveries = new WorkQueue(this, 'Deliveries', stage);
    const logsKey = data.operationsKey;
    const release = new GradualRelease(this, 'Release', stage);
    this.egress = stage.fixedEgress
      ? new FixedEgress(this, 'Egress', {
          stage,
          addresses: data.egressAddresses.map(({ allocationId }) => allocationId),
          logsKey,
        })
      : undefined;
    const { table, erasureLedger, key, secrets } = data;
    const touchable = { table, erasureLedger, key, secrets, deliveries };
    this.touchable = touchable;
    const rate = { RATE_DAYS: `${stage.rateDays}` };
    const consent = { CONSENT_DAYS: `${stage.consentDays}` };
    const retention = { LEAD_RETENTION: JSON.stringify(stage.leadRetention ?? null) };
    const environments: Readonly<Record<string, Record<string, string>>> = {
      [getDocs.operation]: { ...partnerFacts(stage, data.egressAddresses), ...consent, ...rate, ...retention },
      [submitAnalyses.operation]: consent,
      [createSimulation.operation]: rate,
      [getAccount.operation]: retention,
      [getLead.operation]: retention,
      [POLLERS.erasures]: { ...retention, ...consent, ...rate },
    };
    const propsOf = (operation: string): ServiceFunctionProps => {
      const row = FUNCTIONS.find((candidate) => candidate.operation === operation);
      const permission = PERMISSIONS[operation];
      if (!row || !permission) throw new Error(`${operation} has no row in infra/functions.ts or infra/permissions.ts`);
      return {
        stage,
        row,
        permission,
        touchable,
        code: codeOf(operation),
        logsKey,
        release,
        egress: this.egress,
        environment: environments[operation] ?? {},
      };
    };

    const api = new Map<string, IFunction>();
    for (const { operation } of ROUTES) {
      api.set(operation, new ServiceFunction(this, operation, propsOf(operation)).live);
    }
    const fallback = new ServiceFunction(this, FALLBACK, propsOf(FALLBACK)).live;
    const gateway = new Gateway(this, 'Gateway', {
      stage,
      logsKey,
      functions: api,
      fallback,
    });

    const worker = new ServiceFunction(this, DELIVERY_WORKER, propsOf(DELIVERY_WORKER));
    // Five attempts of at most 15 s run at the same time within the worker's 30 s.
    deliveries.feed(worker.live, { batchSize: 5, maxConcurrency: stage.webhookConcurrency });

    new Poller(this, POLLERS.outcomes, {
      ...propsOf(POLLERS.outcomes),
      inputs: Array.from({ length: stage.pollShards }, (_, shard) => ({ shard, shards: stage.pollShards })),
    });
    for (const sweeper of [POLLERS.sweeper, POLLERS.erasures])
      new Poller(this, sweeper, { ...propsOf(sweeper), inputs: [{}] });
    new Poller(this, PROBE, { ...propsOf(PROBE), serviceUrl: gateway.url, inputs: [{}] });
  }
}

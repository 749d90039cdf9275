import { operatorDesk } from '../banks/desk.ts';
import { deskToken } from '../banks/desk-token.ts';
import { measureDesk } from '../banks/measure.ts';
import { forcedOutcome, sandboxDesk } from '../banks/sandbox-desk.ts';
import type { Clock } from '../domain/clock.ts';
import type { Cpf } from '../domain/cpf.ts';
import type { Environment } from '../domain/partner.ts';
import type {
  Analyses,
  Consents,
  Cursors,
  Deliveries,
  DeliveryQueue,
  Desk,
  Gate,
  Leads,
  Partners,
  Simulations,
  WebhookSender,
} from '../domain/ports.ts';
import { sqsDeliveryQueue } from '../queue/deliveries.ts';
import { tableAnalyses } from '../table/analyses.ts';
import { tableConsents } from '../table/consents.ts';
import { tableCursors } from '../table/cursors.ts';
import { tableDeliveries } from '../table/deliveries.ts';
import { tableGate } from '../table/gate.ts';
import { tableLeads } from '../table/leads.ts';
import { tablePartners } from '../table/partners.ts';
import { tableSimulations } from '../table/simulations.ts';
import { dnsResolve } from '../webhook/address.ts';
import { webhookSender } from '../webhook/send.ts';
import * as env from './env.ts';

/** Which adapter stands behind each port. A function bundles only what it names here; nothing is made before it is asked for. */
export function clock(): Clock {
  return Date.now;
}

export function gate(): Gate {
  return tableGate(clock());
}

export function partners(): Partners {
  return tablePartners();
}

export function leads(): Leads {
  return tableLeads(clock());
}

export function simulations(): Simulations {
  return tableSimulations(clock());
}

export function analyses(): Analyses {
  return tableAnalyses(clock());
}

export function consents(): Consents {
  return tableConsents();
}

export function deliveries(): Deliveries {
  return tableDeliveries();
}

export function cursors(): Cursors {
  return tableCursors();
}

export function deliveryQueue(): DeliveryQueue {
  return sqsDeliveryQueue();
}

/** The desk of each environment: sandbox submissions never leave the process. */
export function desks(): (environment: Environment) => Desk {
  const sandbox = sandboxDesk(clock());
  let production: Desk | undefined;
  return (environment) => {
    if (environment === 'sandbox') return sandbox;
    const { url, tokenSecret } = env.desk();
    production ??= operatorDesk({ url, token: deskToken(tokenSecret), observe: measureDesk });
    return production;
  };
}

/** The outcome that a CPF forces in the sandbox. */
export function sandboxOutcome(): (cpf: Cpf) => string {
  return forcedOutcome;
}

export function sender(): WebhookSender {
  return webhookSender({
    resolve: dnsResolve(),
    allowLocal: env.localWebhookTargets(),
    clock: clock(),
  });
}

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { drawId, idOf, type PartnerId, type UnitId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS, type Environment } from '#shared/domain/values/tenancy.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { createKey } from '#shared/table/partners/api-keys.ts';
import {
  createPartner,
  createUnit,
  setIncidentContact,
  setLimits,
  validatePartner,
} from '#shared/table/partners/partner-register.ts';
import { changeWebhookUrl, enableWebhook, setWebhook } from '#shared/table/webhooks/webhook-endpoints.ts';

export interface DemoPartner {
  readonly keys: Readonly<Record<Environment, string>>;
  readonly inbox: { readonly url: string; readonly secrets: Readonly<Record<Environment, string>> };
}

interface DemoContext {
  readonly environment: Readonly<Record<string, string>>;
  readonly inboxUrl: string;
  /** Calls a minute, in each environment. */
  readonly rate: number;
  /** The table holds only hashes of the keys, so this file remembers the keys. Undefined keeps them in memory. */
  readonly file: string | undefined;
}

const rememberedFormat = z.object({
  partnerId: z.pipe(z.number(), z.transform(idOf<PartnerId>)),
  keys: z.object({ sandbox: z.string(), producao: z.string() }),
  secrets: z.object({ sandbox: z.string(), producao: z.string() }),
});
type Remembered = Readonly<z.infer<typeof rememberedFormat>>;

export const DEMO_NAMES = {
  partner: 'Imobiliária Demonstração',
  unit: 'Unidade Centro',
  consultant: 'Consultor Demonstração',
};

/** The demo partner's contact for security incidents, so that `doctor --local` finds one. */
const DEMO_INCIDENT_CONTACT = 'seguranca@demonstracao.example, (11) 3456-7890';

/** Writes rows with the table's own adapters, which read the same environment as functions. */
export async function seedDemoPartner(context: DemoContext): Promise<DemoPartner> {
  Object.assign(process.env, context.environment);
  const known =
    context.file && existsSync(context.file)
      ? rememberedFormat.parse(JSON.parse(readFileSync(context.file, 'utf8')))
      : undefined;
  const demo = known ?? (await create());
  const limits = { sandbox: context.rate, producao: context.rate };
  await setLimits(demo.partnerId, limits);
  await setIncidentContact(demo.partnerId, DEMO_INCIDENT_CONTACT);
  const { partnerId, keys, secrets } = demo;
  // The inbox listens on another port after each start. The secrets stay the same.
  const now = Date.now();
  for (const environment of ENVIRONMENTS) {
    const owner = { partnerId, environment };
    if (await setWebhook(owner, context.inboxUrl, secrets[environment], now)) continue;
    await changeWebhookUrl(owner, context.inboxUrl, now);
    await enableWebhook(owner, now);
  }
  if (context.file) writeFileSync(context.file, JSON.stringify(demo), { mode: 0o600 });
  return { keys, inbox: { url: context.inboxUrl, secrets } };
}

async function create(): Promise<Remembered> {
  const now = Date.now();
  const partnerId = drawId<PartnerId>(now);
  const unitId = drawId<UnitId>(now);
  await createPartner(partnerId, DEMO_NAMES.partner, now);
  await validatePartner(partnerId, now);
  await createUnit(partnerId, unitId, DEMO_NAMES.unit, now);
  const consultant = { id: drawId<number>(now), name: DEMO_NAMES.consultant };
  const sandbox = await createKey({ partnerId, unitId, environment: 'sandbox', consultant }, now);
  const producao = await createKey({ partnerId, unitId, environment: 'producao', consultant }, now);
  return {
    partnerId,
    keys: { sandbox: sandbox.text, producao: producao.text },
    secrets: { sandbox: newWebhookSecret(), producao: newWebhookSecret() },
  };
}

export const PROBE_PARTNER = 'Sonda externa';

/** Returns an API key that shows no other partner's data. */
export async function makeProbePartner(): Promise<string> {
  const now = Date.now();
  const partnerId = drawId<PartnerId>(now);
  const unitId = drawId<UnitId>(now);
  await createPartner(partnerId, PROBE_PARTNER, now);
  await createUnit(partnerId, unitId, 'Sonda', now);
  return (await createKey({ partnerId, unitId, environment: 'sandbox' }, now)).text;
}

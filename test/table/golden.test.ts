/**
 * Rows as a release has written them, one of each kind in keys.ts, and what today's adapters read in them. The rows of
 * a release are never changed. A release with another layout adds a file, and reads the older ones for as long as such
 * rows may exist. `read` is what the release that wrote the rows read in them. `keys` are the keys of this file only.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseCpf } from '#shared/domain/values/cpf.ts';
import type { LeadId, OpportunityId, PartnerId, UnitId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import { keysSecret, tableName } from '#shared/runtime/env.ts';
import { putSecret } from '#shared/runtime/secret.ts';
import { TableCursors } from '#shared/table/analyses/analyses.ts';
import { readAnalysisList } from '#shared/table/analyses/analysis-list.ts';
import { readAnalysis } from '#shared/table/analyses/analysis-row.ts';
import { readableWithdrawals } from '#shared/table/analyses/consent-withdrawals.ts';
import { TableConsents } from '#shared/table/analyses/consents.ts';
import { spouseByCpf } from '#shared/table/analyses/spouses.ts';
import { formOf } from '#shared/table/analyses/submissions.ts';
import { TableApprovals } from '#shared/table/audit/approvals.ts';
import { TableAuditTrail } from '#shared/table/audit/audit.ts';
import { TableErasures } from '#shared/table/leads/lead-erasure.ts';
import { authState, listKeys } from '#shared/table/partners/api-keys.ts';
import { getPartner, listUnits, TablePartnerRegister } from '#shared/table/partners/partner-register.ts';
import { TablePartners } from '#shared/table/partners/partners.ts';
import { TableRefusedCalls } from '#shared/table/partners/refused-calls.ts';
import { readSteps } from '#shared/table/partners/sandbox-checklist.ts';
import { sandboxLeadsOf } from '#shared/table/partners/sandbox-leads.ts';
import type { Item } from '#shared/table/rows/client.ts';
import { leadByCpf } from '#shared/table/rows/cpf-row.ts';
import { forgetServiceKeys } from '#shared/table/rows/encryption.ts';
import { confirmIndexKeys } from '#shared/table/rows/index-keys.ts';
import { useOf } from '#shared/table/rows/key-use.ts';
import { readLead } from '#shared/table/rows/living-lead.ts';
import { readDelivery } from '#shared/table/rows/outbox.ts';
import { ROW_VERSION } from '#shared/table/rows/row-format.ts';
import { opportunityIdsOf, TableSimulations } from '#shared/table/simulations/simulations.ts';
import { TableWebhookEndpoints } from '#shared/table/webhooks/webhook-endpoints.ts';
import { usePeers } from '../makers/peers.ts';
import { writeRows } from '../makers/rows.ts';

interface Golden {
  /** Name of the table to which the sealed parts are bound. */
  readonly table: string;
  readonly keys: string;
  readonly rows: Readonly<Record<string, { readonly row: Item; readonly read: unknown }>>;
}

const FOLDER = join(import.meta.dirname, 'golden');
/** The files write bytes as `{ "bytes": base64 }`. */
const bytesBack = (_: string, value: unknown) =>
  typeof value === 'object' && value !== null && 'bytes' in value && typeof value.bytes === 'string'
    ? Buffer.from(value.bytes, 'base64')
    : value;
const goldenOf = (file: string): Golden => JSON.parse(readFileSync(join(FOLDER, file), 'utf8'), bytesBack);

const NOW = Date.UTC(2026, 10, 23, 12);
const clock = () => NOW;
const partnerId = 3 as PartnerId;
const tenancy: Tenancy = { unitId: 7 as UnitId, environment: 'sandbox' };
const claim = { tenancy, operation: 'create-lead', key: 'golden', content: '{"a":1}', expiresAt: NOW + 3_600_000 };

/** Returns the first partner of the register, whose page reads the list and the index. */
async function listedPartner(): Promise<unknown> {
  const checklist = { checklist: () => Promise.reject(), noteSteps: () => Promise.reject() };
  const register = new TablePartnerRegister(checklist, () => {
    throw new Error('a read makes no event');
  });
  return (await register.page(1)).items;
}

/** Reads a row of each kind, through its port if it has one. */
const READERS: Readonly<Record<string, (row: Item, leadId: LeadId) => unknown>> = {
  auth: async () => {
    const state = await authState(partnerId);
    return state && { ...state, keys: [...state.keys] };
  },
  partner: () => getPartner(partnerId),
  'listed partner': () => listedPartner(),
  unit: () => listUnits(partnerId),
  'its number': () => new TablePartners().agent(tenancy.unitId),
  key: () => listKeys(partnerId),
  'steps made': readSteps,
  webhook: () => new TableWebhookEndpoints().get({ partnerId, environment: 'sandbox' }),
  // `uses` was written before any release read it.
  lead: async (row) => ({ ...(await readLead(tenancy, row)), uses: undefined }),
  'its analyses': (_, leadId) => readAnalysisList(tenancy, leadId).then((list) => list?.analyses),
  simulated: (_, leadId) => opportunityIdsOf(tenancy, leadId),
  erasure: (_, leadId) => new TableErasures(clock).get(tenancy, leadId),
  'sandbox lead': () => sandboxLeadsOf(tenancy.unitId),
  'lead by CPF': () => leadByCpf(tenancy, parseCpf('90000000175')!),
  idempotency: (_, leadId) =>
    new TableSimulations(clock).prepare(tenancy, leadId, claim).then(({ earlier }) => earlier),
  simulations: () => new TableSimulations(clock).get(tenancy, 512 as OpportunityId),
  form: (row) => formOf(tenancy, Number(String(row['pk']).split('#').at(-1)) as Parameters<typeof formOf>[1], NOW),
  'spouse by CPF': () => spouseByCpf(tenancy, parseCpf('90000000256')!, NOW),
  analysis: readAnalysis,
  consent: (_, leadId) => new TableConsents(clock).ofLead(tenancy, leadId),
  withdrawal: (_, leadId) => readableWithdrawals(tenancy, leadId),
  delivery: readDelivery,
  'refused call': () => new TableRefusedCalls().newest(tenancy, NOW),
  audit: () => new TableAuditTrail().newest(partnerId, 10),
  approval: () => new TableApprovals(() => true).list(NOW),
  cursor: () => new TableCursors().read('golden'),
  "key's use": () => useOf([1]),
  'index keys': () => confirmIndexKeys().then(() => 'the ones held'),
};

/** The kinds of rows in the head of keys.ts. A line for an index entry only has no key. */
const source = readFileSync(join(import.meta.dirname, '../../shared/table/rows/keys.ts'), 'utf8');
const kinds = [...source.matchAll(/^ \* \| +([\w' ]+?) +\| [A-Z]+#\S+/gm)].map(([, kind]) => kind);

usePeers();

it('every kind of row in keys.ts has a golden row and a reader', () => {
  expect(kinds.length).toBeGreaterThan(20);
  expect(Object.keys(READERS)).toEqual(kinds);
  expect(Object.keys(goldenOf(`layout-${ROW_VERSION}.json`).rows)).toEqual(kinds);
});

describe.each(readdirSync(FOLDER))('the rows of %s', (file) => {
  const { table, keys, rows } = goldenOf(file);
  beforeAll(async () => {
    // The sealed parts are bound to the name of the table.
    expect(tableName()).toBe(table);
    await putSecret(keysSecret(), keys);
    forgetServiceKeys();
    await writeRows(Object.values(rows).map(({ row }) => row));
  });

  it.each(Object.entries(rows))(
    'a golden row of the kind %s is read as by the release that wrote it',
    async (kind, { row, read }) => {
      const value = await READERS[kind]!(row, rows['lead']!.row['id'] as LeadId);
      expect(JSON.parse(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(read)));
    },
  );
});

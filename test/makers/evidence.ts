import { FIRST_PAGE } from '#shared/domain/personal-data/ports.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import { readableWithdrawals } from '#shared/table/analyses/consent-withdrawals.ts';
import { readableConsents } from '#shared/table/analyses/consents.ts';

/** Returns the newest consents of a lead that are kept at `now`, a page at most. */
export const consentsOf = async (tenancy: Tenancy, leadId: LeadId, now: Instant) =>
  (await readableConsents(tenancy, leadId, FIRST_PAGE.consent, now)).items;

/** Returns the newest withdrawals of a lead that are kept at `now`, a page at most. */
export const withdrawalsOf = async (tenancy: Tenancy, leadId: LeadId, now: Instant) =>
  (await readableWithdrawals(tenancy, leadId, FIRST_PAGE.withdrawal, now)).items;

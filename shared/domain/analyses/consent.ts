import type { Bank } from '../values/bank.ts';
import type { AnalysisId, ConsentId, KeyId, LeadId } from '../values/ids.ts';

/** The evidence that a person allowed a credit query; never changed once written. */
export interface Consent {
  readonly id: ConsentId;
  readonly leadId: LeadId;
  /** When the person consented, as the partner wrote it (date-time with offset). */
  readonly givenAt: string;
  /** The end customer's address, not the partner's. */
  readonly ip: string;
  readonly channel: string;
  /** What the partner calls the text that it showed. */
  readonly textVersion?: string | undefined;
  readonly analysisIds: readonly AnalysisId[];
  readonly banks: readonly Bank[];
  readonly keyId: KeyId;
}

/** How long the evidence is kept: 5 years, in milliseconds. */
export const CONSENT_KEPT = 5 * 366 * 86_400_000;

import type { AnswerOf } from '../../../../shared/administration/operations.ts';

export type PartnerDetails = AnswerOf<'show-partner'>['partner'];

/** What each part of a partner's page works with. */
export interface PartProps {
  readonly partner: PartnerDetails;
  /** Reads the partner anew after a change. */
  readonly onChanged: () => void;
}

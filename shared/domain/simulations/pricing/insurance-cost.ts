// The effective cost of the housing insurances (CESH, Resolução CNSP 447/2022, Circular SUSEP 677/2022): the present
// value of all MIP and DFI premiums at 0.8 % a month, as a percentage of the principal with 4 decimals,
//   100 / PV x sum((MIP_k + DFI_k) / 1.008^(12 x days_k / 365)),
// days_k from the contract to the due date. The rate of 0.8 % is the one at which eleven published sheets come out.
import { type Day, daysBetween } from '../../values/clock.ts';
import type { Centavos } from '../../values/money.ts';
import type { Instalment } from '../simulation.ts';

const MONTHLY_DISCOUNT = 1.008;

/** CESH of a schedule, percent of the principal with 4 decimals. */
export function insuranceCost(
  principal: Centavos,
  contractDay: Day,
  schedule: readonly Pick<Instalment, 'mip' | 'dfi' | 'dueDate'>[],
): number {
  let value = 0;
  for (const { mip, dfi, dueDate } of schedule)
    value += (mip + dfi) / MONTHLY_DISCOUNT ** ((12 * daysBetween(contractDay, dueDate)) / 365);
  return Math.round((value / principal) * 1_000_000) / 10_000;
}

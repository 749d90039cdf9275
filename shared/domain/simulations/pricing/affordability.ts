import { type Centavos, centavos } from '../../values/money.ts';
import { portion, type Ratio } from './ratio.ts';

/** The income that a first instalment needs: the instalment over the bank's share of the income, HALF_UP to the centavo. */
export function requiredIncome(firstInstalment: Centavos, incomePerInstalment: Ratio): Centavos {
  return portion(firstInstalment, incomePerInstalment);
}

/**
 * The highest financed value, to the centavo, whose required income an income carries; undefined where it does not
 * even carry the least. `required` gives the income needed for a financed value and never falls as that rises.
 */
export function maxAffordableLoan(
  income: Centavos,
  least: Centavos,
  required: (financedValue: Centavos) => Centavos,
): Centavos | undefined {
  if (required(least) > income) return undefined;
  let [carried, tooMuch] = [least, centavos(least * 2)];
  while (required(tooMuch) <= income) [carried, tooMuch] = [tooMuch, centavos(tooMuch * 2)];
  while (tooMuch - carried > 1) {
    const middle = centavos(Math.floor((carried + tooMuch) / 2));
    if (required(middle) <= income) carried = middle;
    else tooMuch = middle;
  }
  return carried;
}

import { type Centavos, centavos } from '../../values/money.ts';
import { portion, type Ratio } from './ratio.ts';

/** The income that a first instalment needs: the instalment over the bank's share of the income, HALF_UP to the centavo. */
export function requiredIncome(firstInstalment: Centavos, incomePerInstalment: Ratio): Centavos {
  return portion(firstInstalment, incomePerInstalment);
}

/**
 * The highest financed value from `least` to `most`, to the centavo, whose required income an income carries; undefined
 * where it does not even carry the least. `required` gives the income needed for a financed value and never falls as
 * that rises, so that halving the range finds it in some 40 steps.
 */
export function maxAffordableLoan(
  income: Centavos,
  least: Centavos,
  most: Centavos,
  required: (financedValue: Centavos) => Centavos,
): Centavos | undefined {
  if (most < least || required(least) > income) return undefined;
  if (required(most) <= income) return most;
  let [carried, tooMuch] = [least, most];
  while (tooMuch - carried > 1) {
    const middle = centavos(Math.floor((carried + tooMuch) / 2));
    if (required(middle) <= income) carried = middle;
    else tooMuch = middle;
  }
  return carried;
}

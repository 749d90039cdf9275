import type { Centavos } from '#shared/domain/values/money.ts';
import { decimalFromRatio, ratioFromDecimal, root } from './rate.ts';
import { percent, portion, type Ratio, ratio, remembered } from './ratio.ts';
import type { MarketMip, MipAnchor } from './tables/table.ts';

/** Monthly rate of the death and disability insurance (MIP) for an age in completed years, as a share of the balance. */
export type MipRates = (age: number) => Ratio;

const LAST_BAND = 12;

/** The five-year band of an age in completed years: 0 for up to 20, 1 for 21 to 25, ... 12 for 76 and above. */
export const mipBand = (age: number): number => Math.min(Math.max(Math.ceil(age / 5) - 4, 0), LAST_BAND);

/** The last age of a five-year band. */
const oldestIn = (band: number): number => (band + 4) * 5;

/** The market's rate for an age in completed years; an age above all bands takes the last one. */
function marketMipRate(market: MarketMip, age: number): Ratio {
  const band = market.bands.find((candidate) => age <= candidate.to) ?? market.bands.at(-1);
  if (band === undefined) throw new RangeError(`${market.version} has no bands`);
  return percent(band.rate.value);
}

function between(before: MipAnchor, after: MipAnchor, band: number): Ratio {
  const rate = decimalFromRatio(percent(before.rate.value));
  const growth = decimalFromRatio(percent(after.rate.value)).div(rate);
  const start = mipBand(before.age);
  return ratioFromDecimal(rate.times(root(growth, mipBand(after.age) - start).pow(band - start)));
}

function beyond(anchor: MipAnchor, market: MarketMip, band: number): Ratio {
  const rate = percent(anchor.rate.value);
  const there = marketMipRate(market, oldestIn(band));
  const here = marketMipRate(market, oldestIn(mipBand(anchor.age)));
  return ratio(
    rate.numerator * there.numerator * here.denominator,
    rate.denominator * there.denominator * here.numerator,
  );
}

function bandRate(anchors: readonly MipAnchor[], market: MarketMip, band: number): Ratio {
  const before = anchors.findLast((anchor) => mipBand(anchor.age) <= band);
  const after = anchors.find((anchor) => mipBand(anchor.age) >= band);
  if (before !== undefined && mipBand(before.age) === band) return percent(before.rate.value);
  if (before !== undefined && after !== undefined) return between(before, after, band);
  if (before !== undefined) return beyond(before, market, band);
  if (after !== undefined) return percent(after.rate.value);
  throw new RangeError('no age has a rate');
}

/**
 * MIP rates of a bank from the figures it publishes for single ages (in their order), one for each five-year band. An
 * anchor's figure stands on its whole band. Bands between two anchors are interpolated geometrically, in equal steps
 * from band to band. Below the first anchor its figure holds; above the last it grows as the market's does, read at
 * the last age of either band. Interpolated rates are held to 30 decimals, all others exactly; none is rounded to a
 * displayed figure. A bank without anchors takes the market's own bands.
 */
export function mipRates(anchors: readonly MipAnchor[], market: MarketMip): MipRates {
  if (anchors.length === 0) return remembered((age: number) => marketMipRate(market, age));
  const ofBand = remembered((band: number) => bandRate(anchors, market, band));
  return (age) => ofBand(mipBand(age));
}

/** The property insurance (DFI) of each month, in centavos: the rate of the property's value, HALF_UP. */
export const dfiPremium = (propertyValue: Centavos, rate: Ratio): Centavos => portion(propertyValue, rate);

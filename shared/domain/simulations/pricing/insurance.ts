import type { Centavos } from '#shared/domain/values/money.ts';
import { decimalFromRatio, ratioFromDecimal, root } from './rate.ts';
import { percent, portion, type Ratio, ratio, remembered } from './ratio.ts';
import type { MarketMip, MipAnchor } from './tables/table.ts';

/** Monthly, as a part of the balance, at an age in completed years. */
export type MipRates = (age: number) => Ratio;

const LAST_BAND = 12;

/** 0 for up to 20 years, 1 for 21 to 25, ... 12 for 76 and above. */
export const mipBand = (age: number): number => Math.min(Math.max(Math.ceil(age / 5) - 4, 0), LAST_BAND);

const oldestIn = (band: number): number => (band + 4) * 5;

/** An age above all bands has the rate of the last band. */
function marketMipRate(market: MarketMip, age: number): Ratio {
  const band = market.bands.find((candidate) => age <= candidate.to) ?? market.bands.at(-1);
  if (band === undefined) throw new RangeError(`${market.version} has no bands`);
  return percent(band.rate.value);
}

function rateBetween(before: MipAnchor, after: MipAnchor, band: number): Ratio {
  const rate = decimalFromRatio(percent(before.rate.value));
  const growth = decimalFromRatio(percent(after.rate.value)).div(rate);
  const start = mipBand(before.age);
  return ratioFromDecimal(rate.times(root(growth, mipBand(after.age) - start).pow(band - start)));
}

function rateAbove(anchor: MipAnchor, market: MarketMip, band: number): Ratio {
  const rate = percent(anchor.rate.value);
  const marketInBand = marketMipRate(market, oldestIn(band));
  const marketAtAnchor = marketMipRate(market, oldestIn(mipBand(anchor.age)));
  return ratio(
    rate.numerator * marketInBand.numerator * marketAtAnchor.denominator,
    rate.denominator * marketInBand.denominator * marketAtAnchor.numerator,
  );
}

function bandRate(anchors: readonly MipAnchor[], market: MarketMip, band: number): Ratio {
  const before = anchors.findLast((anchor) => mipBand(anchor.age) <= band);
  const after = anchors.find((anchor) => mipBand(anchor.age) >= band);
  if (before !== undefined && mipBand(before.age) === band) return percent(before.rate.value);
  if (before !== undefined && after !== undefined) return rateBetween(before, after, band);
  if (before !== undefined) return rateAbove(before, market, band);
  if (after !== undefined) return percent(after.rate.value);
  throw new RangeError('no age has a rate');
}

/**
 * The anchors' figures hold as shared/domain/simulations/pricing/README.md, rule 21, says. Interpolated rates have 30
 * decimals, all other rates are exact. No rate is rounded to a displayed figure.
 */
export function mipRates(anchors: readonly MipAnchor[], market: MarketMip): MipRates {
  if (anchors.length === 0) return remembered((age: number) => marketMipRate(market, age));
  const ofBand = remembered((band: number) => bandRate(anchors, market, band));
  return (age) => ofBand(mipBand(age));
}

export const dfiPremium = (propertyValue: Centavos, rate: Ratio): Centavos => portion(propertyValue, rate);

import { describe, expect, it } from 'vitest';
import { SRGB_PROFILE as profile } from '../../../shared/pdf/archive.ts';

/** The tags of a profile, as another program finds them. */
const tags = new Map(
  Array.from({ length: profile.readUInt32BE(128) }, (_, index) => {
    const entry = 132 + index * 12;
    const start = profile.readUInt32BE(entry + 4);
    const content = profile.subarray(start, start + profile.readUInt32BE(entry + 8));
    return [profile.toString('latin1', entry, entry + 4), content];
  }),
);
const numbers = (tag: string) => {
  const content = tags.get(tag)!;
  return Array.from({ length: (content.length - 8) / 4 }, (_, index) => content.readInt32BE(8 + index * 4) / 65_536);
};

describe('the colour profile', () => {
  it('is an RGB display profile of its own length, its tags on multiples of four', () => {
    expect(profile.readUInt32BE(0)).toBe(profile.length);
    expect(profile.toString('latin1', 12, 24)).toBe('mntrRGB XYZ ');
    expect(profile.toString('latin1', 36, 40)).toBe('acsp');
    expect([...tags.keys()].sort()).toEqual(
      ['bTRC', 'bXYZ', 'chad', 'cprt', 'desc', 'gTRC', 'gXYZ', 'rTRC', 'rXYZ', 'wtpt'].sort(),
    );
    for (const content of tags.values()) expect(content.byteOffset % 4).toBe(profile.byteOffset % 4);
  });

  // The matrix of sRGB under D50 as it is published: W3C, CSS Color 4, sample code, and B. Lindbloom.
  it.each([
    ['rXYZ', [0.4361, 0.2225, 0.0139]],
    ['gXYZ', [0.3851, 0.7169, 0.0971]],
    ['bXYZ', [0.1431, 0.0606, 0.7141]],
  ])('has the published colour %s', (tag, published) => {
    numbers(tag).forEach((value, index) => {
      expect(value).toBeCloseTo(published[index]!, 3);
    });
  });

  it('gives the white of the connection space for full red, green and blue', () => {
    const white = numbers('wtpt');
    white.forEach((value, index) => {
      const sum = ['rXYZ', 'gXYZ', 'bXYZ'].reduce((total, tag) => total + numbers(tag)[index]!, 0);
      expect(Math.abs(sum - value)).toBeLessThan(0.0001);
    });
  });

  it('turns a middle grey of 128 of 255 into 21.6 % of the light', () => {
    const curve = tags.get('rTRC')!;
    const [gamma, a, b] = Array.from({ length: 3 }, (_, index) => curve.readInt32BE(12 + index * 4) / 65_536);
    expect((a! * (128 / 255) + b!) ** gamma!).toBeCloseTo(0.2159, 3);
  });
});

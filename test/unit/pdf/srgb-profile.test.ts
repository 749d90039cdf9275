import { expect, it } from 'vitest';
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

const LIGHTS = ['rXYZ', 'gXYZ', 'bXYZ'].map(numbers);
const HEAD = ['mntrRGB XYZ ', 'acsp'];

it('is an RGB display profile of its own length, its tags on multiples of four', () => {
  expect(profile.readUInt32BE(0)).toBe(profile.length);
  expect([profile.toString('latin1', 12, 24), profile.toString('latin1', 36, 40)]).toEqual(HEAD);
  expect([...tags.keys()].sort().join(' ')).toBe('bTRC bXYZ chad cprt desc gTRC gXYZ rTRC rXYZ wtpt');
  for (const content of tags.values()) expect(content.byteOffset % 4).toBe(profile.byteOffset % 4);
});

it('has the published red, green and blue, which make the white of the connection space, and its curve', () => {
  // The matrix of sRGB under D50 as it is published: W3C, CSS Color 4, sample code, and B. Lindbloom.
  const published = [0.4361, 0.2225, 0.0139, 0.3851, 0.7169, 0.0971, 0.1431, 0.0606, 0.7141];
  for (const [index, value] of LIGHTS.flat().entries()) expect(value).toBeCloseTo(published[index]!, 3);
  for (const [index, white] of numbers('wtpt').entries())
    expect(Math.abs(LIGHTS.reduce((sum, light) => sum + light[index]!, 0) - white)).toBeLessThan(0.0001);
  // A middle grey of 128 of 255 is 21.6 % of the light.
  const curve = tags.get('rTRC')!;
  const [gamma, a, b] = Array.from({ length: 3 }, (_, index) => curve.readInt32BE(12 + index * 4) / 65_536);
  expect((a! * (128 / 255) + b!) ** gamma!).toBeCloseTo(0.2159, 3);
});

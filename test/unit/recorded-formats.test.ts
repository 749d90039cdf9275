import { describe, expect, it } from 'vitest';
import { lossesInFormats, recordFormats } from '#test/record/formats.ts';
import { asRecorded } from '#test/record/recorded.ts';

const formats = asRecorded(recordFormats());

describe('lossesInFormats', () => {
  const changed = (name: string, change: { given?: unknown; made?: unknown }) =>
    lossesInFormats({ ...formats, [name]: { ...formats[name]!, ...change } });

  it('it finds no loss in the formats of today', () => {
    expect(lossesInFormats(formats)).toEqual([]);
  });

  it('it refuses a message that is no longer read', () => {
    expect(changed('message of a delivery', { given: '{"event":"evt_0123456789"}' })).toEqual([
      expect.stringMatching(/^message of a delivery: was {"eventId".*}, and is now "refused: /),
    ]);
  });

  it('it refuses another event id, and a text that nothing reads any more', () => {
    expect(changed('ids of the events of an analysis', { made: ['evt_other'] })).toEqual([
      expect.stringMatching(/^ids of the events of an analysis: was \["evt_other"\], and is now /),
    ]);
    expect(lossesInFormats({ parcel: { given: '', made: '' } })).toEqual(['parcel: nothing reads it any more']);
  });
});

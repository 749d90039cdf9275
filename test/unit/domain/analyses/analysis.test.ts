import { describe, expect, it } from 'vitest';
import * as analysis from '#shared/domain/analyses/analysis.ts';
import { makeAnalysis } from '#test/makers/analysis.ts';

describe('transition', () => {
  const { SITUATIONS } = analysis;
  it.each(SITUATIONS.flatMap((from) => SITUATIONS.map((to) => [from, to] as const)))(
    'an analysis moves only from em_analise to a final situation: %s to %s',
    (from, to) => {
      const legal = from === 'em_analise' && to !== 'em_analise';
      expect(analysis.canTransition(from, to)).toBe(legal);
      const told = { situation: to, rawStatus: 'x', queryNumber: 'N-1' };
      const after = analysis.transition(makeAnalysis({ situation: from }), told);
      if (legal) expect(after).toMatchObject({ ...told, sequence: 1 });
      else if (from === 'em_analise') expect(after).toMatchObject({ situation: to, sequence: 0, rawStatus: 'x' });
      else expect(after).toBeUndefined();
    },
  );
});

describe('isFormExpired', () => {
  const { FORM_KEPT, isFormExpired } = analysis;
  const NOW = 1_780_000_000_000;
  const ended = (concludedAt: number) => makeAnalysis({ situation: 'aprovado', concludedAt });

  it('a form is kept for 180 days after the last of its analyses has ended', () => {
    expect(FORM_KEPT).toBe(180 * 24 * 3_600_000);
    const analyses = [ended(NOW - 99), ended(NOW), ended(NOW - 7)];
    expect(isFormExpired(analyses, NOW + FORM_KEPT - 1)).toBe(false);
    expect(isFormExpired(analyses, NOW + FORM_KEPT)).toBe(true);
  });

  it('a form is kept while one of its analyses is pending', () => {
    expect(isFormExpired([ended(NOW), makeAnalysis()], NOW + 10 * FORM_KEPT)).toBe(false);
    expect(isFormExpired([], NOW + 10 * FORM_KEPT)).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import { canTransition, isPending, SITUATIONS, transition } from '../../../../shared/domain/analyses/analysis.ts';
import { makeAnalysis } from '../../../makers/analysis.ts';

describe('the moves of an analysis', () => {
  it.each(SITUATIONS.flatMap((from) => SITUATIONS.map((to) => [from, to] as const)))('%s to %s', (from, to) => {
    const legal = from === 'em_analise' && to !== 'em_analise';
    expect(canTransition(from, to)).toBe(legal);
    const after = transition(makeAnalysis({ situation: from }), { situation: to, rawStatus: 'x', queryNumber: 'N-1' });
    if (legal) expect(after).toMatchObject({ situation: to, sequence: 1, rawStatus: 'x', queryNumber: 'N-1' });
    else if (from === 'em_analise') expect(after).toMatchObject({ situation: to, sequence: 0, rawStatus: 'x' });
    else expect(after).toBeUndefined();
  });

  it('end where nothing is pending', () => {
    expect(SITUATIONS.filter(isPending)).toEqual(['em_analise']);
  });
});

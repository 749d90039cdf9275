import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { parseWithdrawal, withdrawalRecorded } from '#shared/contract/consent-withdrawal.ts';
import { Failure } from '#shared/domain/values/failure.ts';

const NOW = Date.parse('2026-11-27T12:00:00Z');
const CHANNEL = 'app';

/** Returns what a channel's text is refused for. Undefined if it is accepted. */
function reasonAgainst(canal: string): string | undefined {
  try {
    parseWithdrawal({ revogado_em: '2026-11-26T12:00:00Z', canal }, NOW);
    return undefined;
  } catch (failure) {
    if (failure instanceof Failure) return failure.fields?.[0]?.reason;
    throw failure;
  }
}

it.each(['2025-11-26T12:00:00Z', '2026-05-31T11:59:59.999Z'])(
  'a withdrawal of %s, which may be a mistaken year, has a notice',
  (revogado_em) => {
    const { notices } = parseWithdrawal({ revogado_em, canal: CHANNEL }, NOW);
    expect(notices).toEqual([{ campo: 'revogado_em', motivo: expect.stringContaining('confira o ano') }]);
  },
);

it.each(['2026-05-31T12:00:00Z', '2026-11-27T12:04:00Z'])('a withdrawal of %s has no notice', (revogado_em) => {
  expect(parseWithdrawal({ revogado_em, canal: CHANNEL }, NOW).notices).toEqual([]);
});

it.each(['cliente 900.000.001-75', '+55119 8765 4321', 'maria﹫gmail.com', 'whsec_c2VjcmV0'])(
  'the channel "%s" is refused, because it is kept for years',
  (canal) => {
    expect(reasonAgainst(canal)).toContain('fica guardado por anos');
  },
);

it.each(['web\u200b', 'web\u202ebew', 'RG 12\u200b345678x'])(
  'the channel %j is refused, because it shows another text',
  (canal) => {
    expect(reasonAgainst(canal)).toContain('caracteres invisíveis');
  },
);

it.each(['web', 'presencial na agência 12', 'e-mail'])('the channel "%s" is accepted', (canal) => {
  expect(reasonAgainst(canal)).toBeUndefined();
});

it('the description of enviada says that a sending under way may still reach the bank after the withdrawal', () => {
  const { enviada } = withdrawalRecorded.def.shape.analises.def.element.def.shape;
  expect(z.globalRegistry.get(enviada)?.description).toContain(
    'Um envio em curso na hora da revogação ainda pode chegar',
  );
});

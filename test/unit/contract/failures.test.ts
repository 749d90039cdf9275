import { describe, expect, it } from 'vitest';
import { FAILURES } from '#shared/contract/failures.ts';
import { keyReused, leadNotFound } from '#shared/contract/request-failures.ts';

describe('FAILURES', () => {
  const serverFaults = Object.entries(FAILURES).filter(([, { status }]) => status >= 500);

  it.each(serverFaults)(
    'the sentence of %s asks for the same Idempotency-Key, as the bank may have the query',
    (...of) => {
      const [, { erro }] = of;
      expect(erro).toContain('com a mesma Idempotency-Key');
    },
  );

  it('the sentence of idempotency_conflito names the original body before a new key', () => {
    expect(FAILURES.idempotency_conflito.erro).toMatch(/envie o corpo dele; só um pedido novo leva uma chave nova/);
  });
});

describe('keyReused', () => {
  it('the reason of a reused Idempotency-Key names the original call before a new key', () => {
    const [fault] = keyReused().fields ?? [];
    expect(fault?.reason).toMatch(/repita o pedido original como foi, ou use uma chave nova/);
  });
});

describe('leadNotFound', () => {
  // While an erasure waits for a bank, POST /v1/leads returns the lead that a submission calls unknown.
  it('the sentence of lead_nao_encontrado ends the circle of creating the lead and sending it again', () => {
    expect(FAILURES.lead_nao_encontrado.erro).toMatch(/se a criação devolve o mesmo lead_id, não repita/);
  });

  it('the reason of lead_nao_encontrado names a requested erasure', () => {
    const [fault] = leadNotFound().fields ?? [];
    expect(fault?.reason).toMatch(/ou a eliminação dos dados foi pedida; .* não repita com o mesmo/);
  });
});

import { afterEach, expect, it } from 'vitest';
import type { OperatorFaultOrder } from '#infra/local/operator/faults.ts';
import { administration, because } from '#test/makers/administration.ts';
import { useScene } from '#test/makers/scene.ts';
import { passTime } from '#test/makers/test-clock.ts';

const scene = useScene();
afterEach(() => {
  scene.operator.control.clear();
});

/**
 * Polls a pending analysis that the operator has never received, while the operator has a fault. Returns the answer
 * and its row of the audit.
 */
async function pollLost(fault: OperatorFaultOrder) {
  scene.operator.control.fault({ kind: 'lost_before', operation: 'submit', times: 1 });
  const person = await scene.person();
  const [{ analise_id: id }] = (await scene.submit(person, ['itau'], fault.kind)).body.analises;
  scene.operator.control.fault(fault);
  passTime(61_000);
  const place = { unit_id: scene.partner.unitId, environment: scene.environment };
  const { status, body } = await administration('poll-analysis', {
    params: { analysis_id: id },
    body: { ...place, ...because },
  });
  const { entries } = (await administration('list-audit', { query: { partner_id: scene.partner.partnerId } })).body;
  return { answer: [status, body.code], row: entries[0], reference: scene.reference(id) };
}

const acceptedOf = (reference: string) => scene.operator.control.state().references[reference]?.accepted;

it('poll-analysis does not send an analysis that never arrived at the operator: only the poller does', async () => {
  const { answer, row, reference } = await pollLost({ kind: 'stalled', operation: 'submit' });
  expect(acceptedOf(reference)).toBe(0);
  expect(answer).toEqual([200, undefined]);
  expect(row).toMatchObject({ action: 'poll-analysis', outcome: 'done' });
});

it('poll-analysis changes nothing if the operator gives no usable answer', async () => {
  const { answer, row, reference } = await pollLost({ kind: 'error_500', operation: 'query' });
  expect(acceptedOf(reference)).toBe(0);
  expect(answer).toEqual([502, 'operator_failed']);
  expect(row).toMatchObject({ action: 'poll-analysis', outcome: 'failed' });
});

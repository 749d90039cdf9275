import { beforeEach, describe, expect, it } from 'vitest';
import { SUBMIT_LEASE, SUBMIT_LIMIT } from '../../../../shared/domain/analyses/analysis.ts';
import { submitIfAbsent } from '../../../../shared/domain/analyses/bank-submission.ts';
import type { BankSubmission } from '../../../../shared/domain/analyses/ports.ts';
import { makeAnalysis } from '../../../makers/analysis.ts';

const NOW = 1_780_000_000_000;
const ACCEPTED: BankSubmission = { kind: 'accepted', queryNumber: 'IT-9', rawStatus: 'Em análise' };

describe('an analysis that the operator has never received', () => {
  let calls: string[] = [];
  let now = NOW;
  beforeEach(() => {
    calls = [];
    now = NOW;
  });

  interface Circumstances {
    readonly signal?: AbortSignal;
    /** Milliseconds that taking the lease takes. */
    readonly held?: number;
    readonly toBeErased?: boolean;
    /** Whether the lease is this run's. */
    readonly granted?: boolean;
    readonly age?: number;
  }

  const submit = ({
    signal = new AbortController().signal,
    held = 0,
    toBeErased = false,
    granted = true,
    age = SUBMIT_LEASE,
  }: Circumstances = {}) =>
    submitIfAbsent(makeAnalysis({ queryNumber: '', createdAt: NOW - age }), { cpf: '90000000175' }, NOW, {
      operator: {
        openFor: () => undefined,
        query: () => Promise.reject(new Error('it was asked before')),
        submit: async () => {
          calls.push('submit');
          return ACCEPTED;
        },
      },
      analyses: {
        acquireSubmitLease: async () => {
          calls.push('lease');
          now += held;
          return granted;
        },
        isToBeErased: async () => {
          calls.push('erasure');
          return toBeErased;
        },
      },
      clock: () => now,
      signal,
    });

  it('is sent under its lease, once nobody is found who wants the person erased', async () => {
    expect(await submit()).toEqual(ACCEPTED);
    expect(calls).toEqual(['lease', 'erasure', 'submit']);
  });

  it('takes no lease and sends nothing once its signal is aborted', async () => {
    expect(await submit({ signal: AbortSignal.abort() })).toEqual({ kind: 'unknown' });
    expect(calls).toEqual([]);
  });

  it.each([
    [SUBMIT_LEASE - 10_001, true],
    [SUBMIT_LEASE - 10_000, false],
  ])(
    'sends nothing where its lease may be over before the bank has answered: after %i ms, sent %s',
    async (held, sent) => {
      expect(await submit({ held })).toEqual(sent ? ACCEPTED : { kind: 'unknown' });
      expect(calls.includes('submit')).toBe(sent);
    },
  );

  it('is withdrawn where the person is to be erased', async () => {
    expect(await submit({ toBeErased: true })).toEqual({ kind: 'withdrawn' });
    expect(calls).toEqual(['lease', 'erasure']);
  });

  it('is sent by none but the one who holds its lease', async () => {
    expect(await submit({ granted: false })).toBeUndefined();
    expect(calls).toEqual(['lease']);
  });

  it('is refused under its lease once it is older than 48 hours, and sent up to then', async () => {
    expect(await submit({ age: SUBMIT_LIMIT + 1 })).toEqual({
      kind: 'refused',
      rawStatus: 'Falha no envio: prazo de 48 horas encerrado',
      reason: 'too_late',
    });
    expect(calls).toEqual(['lease']);
    expect(await submit({ age: SUBMIT_LIMIT })).toEqual(ACCEPTED);
    expect(SUBMIT_LIMIT).toBe(48 * 3_600_000);
  });
});

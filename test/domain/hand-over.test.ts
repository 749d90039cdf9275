import { describe, expect, it } from 'vitest';
import { readStatus } from '../../shared/banks/statuses.ts';
import { eventOf } from '../../shared/contract/event.ts';
import { type Analysis, type AnalysisForm, HANDOVER_LEASE, PENDING_LIMIT } from '../../shared/domain/analysis.ts';
import { expired, followUp } from '../../shared/domain/follow-up.ts';
import { handOverAll } from '../../shared/domain/hand-over.ts';
import type { Desk, DeskStatus, HandOver } from '../../shared/domain/ports.ts';
import { makeAnalysis } from '../makers/analysis.ts';

const NOW = 1_780_000_000_000;
const FORM = { cpf: '90000000175' };
const KNOWN: DeskStatus = { kind: 'known', queryNumber: 'IT-9', rawStatus: 'Em análise' };
const ACCEPTED: HandOver = { kind: 'accepted', queryNumber: 'IT-9', rawStatus: 'Em análise' };

/** A desk of fixed answers that notes what it was asked. */
function desk(status: DeskStatus, handOver: HandOver = ACCEPTED): Desk & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    async query() {
      asked.push('query');
      return status;
    },
    async submit() {
      asked.push('submit');
      return handOver;
    },
  };
}

const holding = (granted: boolean) => ({ takeHandOver: async () => granted });
const unconfirmed = (age: number) => makeAnalysis({ queryNumber: '', createdAt: NOW - age });

describe('a first hand-over', () => {
  const first = (age: number, at: Desk) =>
    handOverAll([unconfirmed(age)], FORM, false, eventOf, { desk: at, analyses: holding(true), clock: () => NOW });

  it('is sent without a question', async () => {
    const at = desk({ kind: 'absent' });
    const [change] = await first(100, at);
    expect(at.asked).toEqual(['submit']);
    expect(change?.after).toMatchObject({ situation: 'em_analise', queryNumber: 'IT-9' });
  });

  it('is not sent by a run that was held up until the poller may have sent it', async () => {
    const at = desk({ kind: 'absent' });
    const [change] = await first(HANDOVER_LEASE - 10_000, at);
    expect(at.asked).toEqual([]);
    expect(change?.after).toBe(change?.before);
  });
});

describe('a hand-over that is resumed', () => {
  const resumed = (at: Desk, granted = true) =>
    handOverAll([unconfirmed(HANDOVER_LEASE)], FORM, true, eventOf, {
      desk: at,
      analyses: holding(granted),
      clock: () => NOW,
    });

  it.each([
    ['known', KNOWN, true, ['query'], 'IT-9'],
    ['absent', { kind: 'absent' }, true, ['query', 'submit'], 'IT-9'],
    ['absent, and someone else sends it', { kind: 'absent' }, false, ['query'], ''],
    ['without an answer', { kind: 'unavailable' }, true, ['query'], ''],
  ] as const)('asks first: %s', async (_, status, granted, asked, queryNumber) => {
    const at = desk(status);
    const [change] = await resumed(at, granted);
    expect(at.asked).toEqual(asked);
    expect(change?.after.queryNumber).toBe(queryNumber);
  });

  it('leaves banks alone that have confirmed', async () => {
    const at = desk({ kind: 'absent' });
    const ports = { desk: at, analyses: holding(true), clock: () => NOW };
    await handOverAll([makeAnalysis(), makeAnalysis({ situation: 'erro' })], FORM, true, eventOf, ports);
    expect(at.asked).toEqual([]);
  });
});

describe('a poll of one analysis', () => {
  const ask = (analysis: Analysis, at: Desk, { form = FORM as AnalysisForm, granted = true } = {}) =>
    followUp(analysis, {
      desk: at,
      analyses: holding(granted),
      form: async () => form ?? undefined,
      read: readStatus,
      event: eventOf,
      clock: () => NOW,
      signal: new AbortController().signal,
    });

  it('leaves a hand-over to the request that is making it', async () => {
    const at = desk(KNOWN);
    expect(await ask(unconfirmed(HANDOVER_LEASE - 1), at)).toEqual({ kind: 'no_news', unknownStatus: false });
    expect(at.asked).toEqual([]);
  });

  it('without news writes nothing', async () => {
    const same: DeskStatus = { kind: 'known', queryNumber: 'IT-1', rawStatus: 'Em análise' };
    expect(await ask(makeAnalysis(), desk(same))).toEqual({ kind: 'no_news', unknownStatus: false });
  });

  it('counts a text that no rule reads, each time, and guesses nothing', async () => {
    const odd: DeskStatus = { kind: 'known', queryNumber: 'IT-1', rawStatus: 'Situação 17-B' };
    expect(await ask(makeAnalysis(), desk(odd))).toMatchObject({ kind: 'note', unknownStatus: true });
    expect(await ask(makeAnalysis({ rawStatus: 'Situação 17-B' }), desk(odd))).toEqual({
      kind: 'no_news',
      unknownStatus: true,
    });
  });

  it('never sends again what has a number, whatever the desk has forgotten', async () => {
    const at = desk({ kind: 'absent' });
    expect(await ask(makeAnalysis(), at)).toEqual({ kind: 'unavailable' });
    expect(at.asked).toEqual(['query']);
  });

  it('sends what the desk never received, unless someone else does or the form is gone', async () => {
    const lost = unconfirmed(HANDOVER_LEASE);
    expect(await ask(lost, desk({ kind: 'absent' }))).toMatchObject({ kind: 'note', queryNumber: 'IT-9' });
    expect(await ask(lost, desk({ kind: 'absent' }), { granted: false })).toMatchObject({ kind: 'no_news' });
    const at = desk({ kind: 'absent' });
    expect(await ask(lost, at, { form: null as never })).toMatchObject({ kind: 'no_news' });
    expect(at.asked).toEqual(['query']);
  });
});

describe('after 30 days', () => {
  it('an analysis is given up, with its event, and not a millisecond before', () => {
    const old = (age: number) => expired(makeAnalysis({ createdAt: NOW - age }), eventOf, NOW);
    expect(old(PENDING_LIMIT)).toBeUndefined();
    const change = old(PENDING_LIMIT + 1);
    expect(change?.after).toMatchObject({ situation: 'cancelado', queryNumber: 'IT-1', sequence: 1 });
    expect(change?.delivery?.type).toBe('analise.resultado');
  });
});

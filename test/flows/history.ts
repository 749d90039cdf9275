import type { Situation } from '#shared/domain/analyses/analysis.ts';
import { readStatus } from '#shared/domain/analyses/statuses.ts';

/** When an operation began and ended, by a counter that each beginning and each end increments. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** An operation's answer. `lost`: a failure was injected into the operation, so that its answer proves nothing. */
interface Seen extends Span {
  readonly status: number;
  readonly text: string;
  readonly lost: boolean;
}

/** An analysis as one answer showed it. */
interface Sight extends Span {
  readonly situation: Situation;
  readonly queryNumber: string | undefined;
}

const isBefore = (a: Span, b: Span) => a.end < b.start;

/**
 * A model that knows which answers of the service are possible after the calls so far. A CPF has one lead. A lead's
 * income is a register. A key has one body and one answer. An analysis is a state machine. Each rule collects the
 * answers that contradict it.
 */
export class History {
  readonly faults: string[] = [];
  readonly #mayBeUnavailable: boolean;
  readonly #leads = new Map<string, (Seen & { readonly lead: number; readonly replayed: boolean })[]>();
  readonly #incomes = new Map<number, (Seen & { readonly value: number })[]>();
  readonly #incomesRead: (Span & { readonly lead: number; readonly value: number })[] = [];
  readonly #keys = new Map<string, (Seen & { readonly body: string; readonly codigo: string })[]>();
  readonly #sights = new Map<number, Sight[]>();
  readonly #texts = new Map<number, Set<string>>();

  /** `mayBeUnavailable`: table, queues and secrets fail at times, so that any answer may be a 503. */
  constructor(mayBeUnavailable = false) {
    this.#mayBeUnavailable = mayBeUnavailable;
  }

  /** Whether an injected failure explains an unexpected answer. */
  #isExcused({ status, lost }: Pick<Seen, 'status' | 'lost'>): boolean {
    return lost || (this.#mayBeUnavailable && status === 503);
  }

  #expect(holds: boolean, said: string): void {
    if (!holds) this.faults.push(said);
  }

  /** Records a 5xx that no injected failure explains. */
  answered(what: string, seen: Pick<Seen, 'status' | 'lost'>): void {
    this.#expect(seen.status < 500 || this.#isExcused(seen), `${what}: ${seen.status} without a failure`);
  }

  lead(cpf: string, seen: Seen & { readonly lead: number; readonly replayed: boolean }): void {
    this.answered('lead', seen);
    const all = this.#leads.get(cpf) ?? [];
    this.#leads.set(cpf, [...all, seen]);
    if (seen.status >= 300) return void this.#expect(this.#isExcused(seen), `lead ${cpf}: ${seen.status}`);
    const others = all.filter(({ status }) => status < 300);
    this.#expect(
      others.every(({ lead }) => lead === seen.lead),
      `lead ${cpf}: two ids`,
    );
    if (seen.status !== 201 || seen.replayed) return;
    this.#expect(!others.some(({ status, replayed }) => status === 201 && !replayed), `lead ${cpf}: created twice`);
    this.#expect(!others.some((other) => isBefore(other, seen)), `lead ${cpf}: reused before it was created`);
  }

  changedIncome(lead: number, seen: Seen & { readonly value: number }): void {
    this.answered('patch', seen);
    if (seen.status < 300) this.#expect(seen.text.includes('renda'), `patch: ${seen.text}`);
    this.#incomes.set(lead, [...(this.#incomes.get(lead) ?? []), seen]);
  }

  readIncome(lead: number, value: number, seen: Span): void {
    this.#incomesRead.push({ ...seen, lead, value });
  }

  /**
   * Checks that each income that was read had been written and not yet overwritten. Called at the end of the story,
   * since a value may be read before the call that wrote it has answered.
   */
  incomesAgree(initial: number): void {
    for (const { lead, value, ...seen } of this.#incomesRead) {
      const writes = this.#incomes.get(lead) ?? [];
      const sure = writes.filter(({ status }) => status < 300);
      const overwritten = (write: Span) => sure.some((later) => isBefore(write, later) && isBefore(later, seen));
      const found = writes.find((write) => write.value === value);
      const explained = found
        ? found.start < seen.end && !overwritten(found)
        : value === initial && !sure.some((write) => isBefore(write, seen));
      this.#expect(explained, `lead ${lead}: read ${value}`);
    }
  }

  submitted(key: string, seen: Seen & { readonly body: string; readonly codigo: string }): void {
    this.answered('submission', seen);
    const all = [...(this.#keys.get(key) ?? []), seen];
    this.#keys.set(key, all);
    const known = seen.status === 202 || seen.status === 409 || seen.codigo === 'idempotency_conflito';
    this.#expect(known || this.#isExcused(seen), `key ${key}: ${seen.status} ${seen.codigo}`);
  }

  /** Checks at the end of the story that the answers of each key agree. `asked` has every attempt, answered or not. */
  keysAgree(asked: ReadonlyMap<string, readonly (Span & { readonly body: string })[]>): void {
    for (const [key, all] of this.#keys) {
      const accepted = all.filter(({ status }) => status === 202);
      this.#expect(accepted.length > 0, `key ${key}: never answered`);
      this.#expect(new Set(accepted.map(({ text }) => text)).size === 1, `key ${key}: two answers`);
      const [body] = accepted.map((one) => one.body);
      this.#expect(
        accepted.every((one) => one.body === body),
        `key ${key}: two bodies`,
      );
      for (const one of all) {
        const others = (asked.get(key) ?? []).filter((other) => other.start < one.end && other.start !== one.start);
        if (one.codigo === 'idempotency_conflito') {
          this.#expect(one.body !== body, `key ${key}: its own body is another`);
          this.#expect(
            others.some((other) => other.body === body),
            `key ${key}: conflict with nothing`,
          );
        }
        if (one.status === 409)
          this.#expect(
            others.some((other) => other.body === one.body),
            `key ${key}: waits for nothing`,
          );
      }
    }
  }

  said(analysis: number, text: string): void {
    this.#texts.set(analysis, (this.#texts.get(analysis) ?? new Set()).add(text));
  }

  saw(analysis: number, sight: Sight): void {
    const all = this.#sights.get(analysis) ?? [];
    this.#sights.set(analysis, [...all, sight]);
    for (const other of all) {
      const [first, second] = isBefore(other, sight) ? [other, sight] : isBefore(sight, other) ? [sight, other] : [];
      if (first && second) {
        const final = first.situation !== 'em_analise';
        this.#expect(!final || second.situation === first.situation, `analysis ${analysis}: final, then not`);
        if (first.queryNumber && second.queryNumber !== undefined)
          this.#expect(first.queryNumber === second.queryNumber, `analysis ${analysis}: number changed`);
      }
    }
    if (sight.situation === 'em_analise') return;
    const possible = [...(this.#texts.get(analysis) ?? []), 'Aprovado'].map((text) => readStatus(text).situation);
    this.#expect(possible.includes(sight.situation), `analysis ${analysis}: ${sight.situation} that no bank said`);
  }

  listed(ids: readonly number[], expected: readonly (Span & { readonly id: number })[], seen: Span): void {
    for (const one of expected) {
      if (isBefore(one, seen)) this.#expect(ids.includes(one.id), `list: analysis ${one.id} is missing`);
    }
  }

  contradicts(said: string): void {
    this.faults.push(said);
  }
}

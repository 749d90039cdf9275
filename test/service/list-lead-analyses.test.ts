import { beforeAll, describe, expect, it } from 'vitest';
import { BANKS } from '../../shared/domain/values/bank.ts';
import { type Person, useScene } from '../makers/scene.ts';
import { passTime } from '../makers/test-clock.ts';

const scene = useScene();
let person: Person;
const submitted: { id: number; banco: string }[] = [];
const SUBMISSIONS = 20;

beforeAll(async () => {
  person = await scene.person();
  for (let index = 0; index < SUBMISSIONS; index++) {
    const { body } = await scene.submit(person, BANKS, `key-${index}`);
    for (const [at, { analise_id }] of body.analises.entries()) submitted.push({ id: analise_id, banco: BANKS[at]! });
    passTime(1_000);
  }
});

describe('GET /v1/leads/{id}/analises', () => {
  it('lists every analysis once over its pages, newest first, and says when there are more', async () => {
    const seen: { analise_id: number; banco: string }[] = [];
    for (let offset = 0, more = true; more; offset += 50) {
      const { body } = await scene.analyses(person.lead, { limit: '50', offset: String(offset) });
      expect(body).toMatchObject({ ok: true, limit: 50, offset, pendentes: submitted.length });
      more = body.tem_mais;
      seen.push(...body.analises);
      expect(more).toBe(seen.length < submitted.length);
    }
    const ids = seen.map(({ analise_id }) => analise_id);
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    expect(new Map(seen.map(({ analise_id, banco }) => [analise_id, banco]))).toEqual(
      new Map(submitted.map(({ id, banco }) => [id, banco])),
    );
  });
});

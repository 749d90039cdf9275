import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { eventsOf, eventually, request, startLocalService } from '../makers/local-service.ts';
import { analysisBody, cpfFrom, leadBody } from '../makers/people.ts';

const folder = mkdtempSync(join(tmpdir(), 'partner-credit-kept-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a service killed without warning loses no lead, no analysis and no event', async () => {
  const first = await startLocalService({ folder });
  const people = Array.from({ length: 20 }, (_, index) => cpfFrom(index));
  const leads = await Promise.all(
    people.map(async (cpf) => (await request(first, 'POST', '/v1/leads', { body: leadBody({ cpf }) })).body.lead_id),
  );
  const submissions = await Promise.all(
    people.slice(0, 4).map(async (cpf, index) => ({
      key: index % 2 === 0 ? ('sandbox' as const) : ('producao' as const),
      body: analysisBody(
        index % 2 === 0
          ? leads[index]
          : (await request(first, 'POST', '/v1/leads', { body: leadBody({ cpf }), key: first.keys.producao })).body
              .lead_id,
        { cpf, bancos: ['itau', 'inter'] },
      ),
      headers: { 'idempotency-key': `kept-${index}` },
    })),
  );
  const answers = await Promise.all(
    submissions.map(({ key, body, headers }) =>
      request(first, 'POST', '/v1/analises', { body, headers, key: first.keys[key] }),
    ),
  );
  await first.end('SIGKILL');

  const second = await startLocalService({ folder });
  try {
    expect(second.keys).toEqual(first.keys);
    for (const lead of leads) expect((await request(second, 'GET', `/v1/leads/${lead}`)).status).toBe(200);
    for (const [index, { key, body, headers }] of submissions.entries()) {
      const again = await request(second, 'POST', '/v1/analises', { body, headers, key: second.keys[key] });
      expect(again.status).toBe(202);
      expect(again.text).toBe(answers[index]!.text);
      expect(again.headers['idempotent-replay']).toBe('true');
      for (const { analise_id } of again.body.analises) {
        const analise = await eventually('the outcome', async () => {
          const { body: found } = await request(second, 'GET', `/v1/analises/${analise_id}/status`, {
            key: second.keys[key],
          });
          return found.analise.pendente ? undefined : found.analise;
        });
        expect(analise.situacao).toBe('aprovado');
        await eventually('the webhook', async () =>
          (await eventsOf(second, analise_id)).length > 0 ? true : undefined,
        );
      }
    }
  } finally {
    await second.end();
  }
});

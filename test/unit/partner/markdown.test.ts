import { expect, it } from 'vitest';
import { expand, render } from '#shared/partner/docs/markdown.ts';

const html = (source: string) => render(source, (link) => link).html;

it('render keeps a number on one line with its unit and its currency', () => {
  const told = html('De 8,5 % a R$ 10,00, até 64 KiB, em 5 min; em 20 minutos, 2 simulações.');
  expect(told).toContain('De 8,5\u00a0% a R$\u00a010,00, até 64\u00a0KiB, em 5\u00a0min; em 20 minutos, 2 simulações.');
});

it('render keeps an operation’s method on one line with its path in a cell', () => {
  const cell = (code: string) => html(`| a |\n|---|\n| \`${code}\` |`);
  expect(cell('POST /v1/webhooks/entregas/{id}/reenvio')).not.toContain('class="long"');
  expect(cell('{webhook-id}.{webhook-timestamp}.{corpo}')).toContain('class="long"');
});

it('the include of an example leaves out the field that it names', () => {
  const shown = (include: string) => JSON.parse(expand(`{{exemplo GET ${include}}}`).replaceAll(/```\w*/g, ''));
  const { validacao, ...rest } = shown('/v1/me 200 unidade');
  expect(validacao).toBeDefined();
  expect(shown('/v1/me 200 unidade sem validacao')).toEqual(rest);
});

it('the table of attempts has one row for attempts with equal waits', () => {
  const rows = expand('{{tabela tentativas}}').trim().split('\n').slice(2);
  expect(rows).toHaveLength(7);
  expect(rows.at(-2)).toBe('| 6 | — | 5 h depois |');
  expect(rows.at(-1)).toBe('| 7 a 12 | — | 10 h depois |');
});

it('render names a tab after its language or framework, and shows the first tab', () => {
  const page = html('```python aba:Flask\n```\n\n```php aba:verificar.php\n```');
  expect(
    [...page.matchAll(/<input type="radio" name="aba-0" id="([^"]+)"( checked)?><label for="([^"]+)">(\w+)/g)].map(
      ([, ...tab]) => tab,
    ),
  ).toEqual([
    ['aba-0-0', ' checked', 'aba-0-0', 'Flask'],
    ['aba-0-1', undefined, 'aba-0-1', 'PHP'],
  ]);
});

it('the include `simulada` shows the answer to the bodies of the shell blocks', () => {
  const { resultado } = JSON.parse(expand('{{simulada lead.sh simulacao.sh}}').replaceAll(/```\w*/g, ''));
  const [bradesco, itau] = resultado.resultados;
  expect(bradesco).toMatchObject({ banco: 'bradesco', valor_financiado: 250_000, prazo_meses: 240, entrada: 250_000 });
  expect(itau).toMatchObject({ banco: 'itau', sistema_amortizacao: 'SAC', renda_suficiente: true });
});

import type { ComponentChildren } from 'preact';
import { Facts } from './basics.tsx';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const WRITTEN: Readonly<Record<string, string>> = {
  cpf: 'CPF',
  rg: 'RG',
  cep: 'CEP',
  uf: 'UF',
  fgts: 'FGTS',
  cet: 'CET',
  pdf: 'PDF',
  id: '(número)',
  simulacoes: 'simulações',
  analises: 'análises',
  analise: 'análise',
  formularios: 'formulários',
  observacao: 'observação',
  conjuge: 'cônjuge',
  imovel: 'imóvel',
  email: 'e-mail',
  situacao: 'situação',
  revogacao: 'revogação',
  revogacoes: 'revogações',
};

const wordOf = (name: string) => {
  if (name === 'id') return 'Número';
  const text = name.replace(/[^_]+/g, (word) => WRITTEN[word] ?? word).replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};

function leaf(value: unknown): ComponentChildren {
  if (value === null || value === undefined || value === '') return <span class="soft">—</span>;
  if (typeof value === 'boolean') return value ? 'sim' : 'não';
  return String(value);
}

export function StoredData({ value }: { readonly value: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(value);
  const nested = entries.filter(([, field]) => typeof field === 'object' && field !== null);
  const single = entries.filter(([, field]) => typeof field !== 'object' || field === null);
  return (
    <div class="held">
      {single.length > 0 && <Facts rows={single.map(([name, field]) => [wordOf(name), leaf(field)])} />}
      {nested.map(([name, field]) => (
        <details key={name} open={name === 'lead'}>
          <summary>
            {wordOf(name)}
            {Array.isArray(field) && ` (${field.length})`}
          </summary>
          {Array.isArray(field) ? <List rows={field} /> : isObject(field) && <StoredData value={field} />}
        </details>
      ))}
    </div>
  );
}

function List({ rows }: { readonly rows: readonly unknown[] }) {
  if (rows.length === 0) return <p class="soft">Nada.</p>;
  return (
    <ol class="rows">
      {rows.map((row, index) => (
        // The index is a good key here: rows need not differ, and never change places.
        <li key={index}>{isObject(row) ? <StoredData value={row} /> : leaf(row)}</li>
      ))}
    </ol>
  );
}

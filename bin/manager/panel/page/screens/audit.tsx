import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { type AnswerOf, AUDITED } from '#shared/administration/operations.ts';
import { dayInSaoPaulo } from '#shared/domain/values/clock.ts';
import { usePages, useWork } from '../answers.ts';
import { ask, type PartProps, runPages } from '../api.ts';
import { type AuditSearch, auditPage, KEY_TEXT, WHOLE_AUDIT } from '../audit-search.ts';
import { actionShown, callerShown, targetShown } from '../audit-words.ts';
import { zoneAt } from '../moments.ts';
import { Badge, Button, Failed, Heading, Long, Moment, Progress, Refresh, type Tone } from '../parts/basics.tsx';
import { allOr, SelectField, TextField } from '../parts/fields.tsx';
import { PartnerPicker, type Picked } from '../parts/partner-picker.tsx';
import { type Column, List } from '../parts/table.tsx';
import { OUTCOME, operationText } from '../words.ts';

type Entry = AnswerOf<'list-audit'>['entries'][number];

const TONES: Readonly<Record<Entry['outcome'], Tone>> = { started: 'warn', done: 'good', failed: 'bad' };

type Units = PartProps['partner']['units'];

const columnsOf = (units: Units): readonly Column<Entry>[] => [
  { title: 'Quando', cell: (row) => <Moment at={row.at} /> },
  { title: 'Quem', cell: (row) => <Who arn={row.who} /> },
  {
    title: 'O quê',
    cell: (row) => (
      <>
        <strong>{actionShown(row)}</strong>
        <Target target={row.target} units={units} />
      </>
    ),
  },
  { title: 'Desfecho', cell: (row) => <Badge tone={TONES[row.outcome]}>{OUTCOME[row.outcome]}</Badge> },
  { title: 'Por quê', cell: (row) => <Long text={row.reason} /> },
];

export function Who({ arn }: { readonly arn: string }) {
  return (
    <span class="long" title={arn}>
      {callerShown(arn)}
    </span>
  );
}

export function Target({ target, units = [] }: Pick<Entry, 'target'> & { readonly units?: Units }) {
  const facts = targetShown(target, units);
  if (facts.length === 0) return null;
  return (
    <small class="soft target">
      {facts.map((fact, index) => (
        <Fragment key={fact}>
          {index > 0 && ' · '}
          <Long text={fact} />
        </Fragment>
      ))}
    </small>
  );
}

const OPERATIONS = AUDITED.map((name) => [name, operationText(name)] as const).sort(([, one], [, other]) =>
  one.localeCompare(other, 'pt-BR'),
);

function Search({ onSearch }: { readonly onSearch: (search: AuditSearch) => void }) {
  const [search, setSearch] = useState(WHOLE_AUDIT);
  const set = (change: Partial<AuditSearch>) => setSearch({ ...search, ...change });
  const submit = (event: Event) => {
    event.preventDefault();
    onSearch(search);
  };
  const zone = `Pelo relógio deste computador (${zoneAt(Date.now())})`;
  return (
    <search>
      <form class="filters" onSubmit={submit}>
        <TextField
          label="Quem"
          hint="Parte do e-mail ou do nome"
          value={search.who ?? ''}
          onChange={(who) => set({ who })}
        />
        <SelectField
          label="O quê"
          value={search.operation ?? ''}
          onChange={(operation) => set({ operation })}
          options={allOr('Tudo', OPERATIONS)}
        />
        <TextField
          label="Chave"
          value={search.key ?? ''}
          onChange={(key) => set({ key })}
          pattern={KEY_TEXT}
          wrong="O número, de 5 letras e algarismos, ou um começo da chave: 18 caracteres, 26 se for do sandbox"
          hint="O número dela, ou um começo"
        />
        <TextField
          label="Desde"
          type="datetime-local"
          hint={zone}
          value={search.since}
          onChange={(since) => set({ since })}
        />
        <TextField
          label="Até"
          type="datetime-local"
          hint={zone}
          value={search.until}
          onChange={(until) => set({ until })}
        />
        <Button submits>Filtrar</Button>
      </form>
    </search>
  );
}

function Entries({ partnerId, units = [] }: { readonly partnerId: number | undefined; readonly units?: Units }) {
  const [search, setSearch] = useState(WHOLE_AUDIT);
  const list = usePages((cursor) => auditPage(partnerId, search, cursor), [partnerId, search]);
  return (
    <>
      <Search onSearch={setSearch} />
      <p class="actions start">
        <Refresh of={list} />
      </p>
      <List
        of={list}
        caption="Auditoria"
        columns={columnsOf(units)}
        keyOf={(row) => `${row.at} ${row.action} ${JSON.stringify(row.target)}`}
        empty={search === WHOLE_AUDIT ? 'Nada foi feito ainda.' : 'Nada foi feito com estes filtros.'}
      />
    </>
  );
}

export function PartnerAudit({ partner }: PartProps) {
  return (
    <>
      <h2>Auditoria</h2>
      <Entries partnerId={partner.partner_id} units={partner.units} />
    </>
  );
}

export function AuditScreen() {
  const [about, setAbout] = useState<'partner' | 'service'>('partner');
  const [partner, setPartner] = useState<Picked>();
  return (
    <>
      <Heading
        title="Auditoria"
        about="Quem fez o quê, quando e por quê. O serviço a escreve; ninguém a muda nem apaga."
        help="auditoria"
      />
      <div class="filters">
        <SelectField
          label="Sobre"
          value={about}
          onChange={setAbout}
          options={[
            ['partner', 'Um parceiro'],
            ['service', 'O serviço inteiro'],
          ]}
        />
        {about === 'partner' && <PartnerPicker picked={partner} onPick={setPartner} />}
      </div>
      {about === 'service' && <Entries partnerId={undefined} />}
      {about === 'partner' && partner && <Entries partnerId={partner.partnerId} />}
      {about === 'partner' && !partner && <p class="empty">Escolha um parceiro para ver o que foi feito nele.</p>}
      <MonthExport />
    </>
  );
}

function MonthExport() {
  const [month, setMonth] = useState(() => dayInSaoPaulo(Date.now()).slice(0, 7));
  const [done, setDone] = useState<number>();
  const { busy, error, run } = useWork();
  const save = async (event: Event) => {
    event.preventDefault();
    const parts: string[] = [];
    let rows = 0;
    await run(async () => {
      await runPages(
        (cursor) => ask('export-audit', { query: { month, cursor } }),
        (page) => {
          parts.push(page.lines);
          rows += page.rows;
          setDone(rows);
        },
      );
      const address = URL.createObjectURL(new Blob(parts, { type: 'application/jsonl' }));
      Object.assign(document.createElement('a'), { href: address, download: `auditoria-${month}.jsonl` }).click();
      URL.revokeObjectURL(address);
    });
  };
  return (
    <section class="card narrow">
      <h2>Exportar um mês</h2>
      <p class="soft">
        Um arquivo JSON Lines com todas as linhas do mês, no horário de São Paulo, para a conformidade.
      </p>
      <form onSubmit={save}>
        <TextField
          label="Mês"
          value={month}
          onChange={setMonth}
          pattern="[0-9]{4}-(0[1-9]|1[0-2])"
          wrong="Ano e mês: 2026-11"
          hint="Ano e mês: 2026-11"
          required
        />
        <Button submits busy={busy}>
          Salvar arquivo
        </Button>
      </form>
      {done !== undefined && <Progress label="Linhas" done={done} total={busy ? null : done} />}
      <Failed error={error} />
    </section>
  );
}

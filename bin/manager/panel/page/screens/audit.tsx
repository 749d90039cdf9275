import { useState } from 'preact/hooks';
import type { AnswerOf } from '#shared/administration/operations.ts';
import { usePages, useWork } from '../answers.ts';
import { ask, type PartProps, runPages } from '../api.ts';
import { Badge, Button, Failed, Heading, Moment, Progress, Refresh, type Tone } from '../parts/basics.tsx';
import { SelectField, TextField } from '../parts/fields.tsx';
import { PartnerPicker, type Picked } from '../parts/partner-picker.tsx';
import { type Column, List } from '../parts/table.tsx';
import { AUDIT_TARGET, OUTCOME, operationText } from '../words.ts';

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
        <strong>{operationText(row.action)}</strong>
        <Target target={row.target} units={units} />
      </>
    ),
  },
  { title: 'Desfecho', cell: (row) => <Badge tone={TONES[row.outcome]}>{OUTCOME[row.outcome]}</Badge> },
  { title: 'Por quê', cell: (row) => <span class="long">{row.reason}</span> },
];

export function Who({ arn }: { readonly arn: string }) {
  // For a person of the user pool: the e-mail, and the duty at the end of the role's name. For another role: role and
  // session. For an IAM user: the name.
  const [, role = '', ...rest] = arn.split('/');
  const shown = rest.length > 2 ? [rest.at(-1), role.split('-').at(-1)] : [role, ...rest.slice(-1)];
  return (
    <span class="long" title={arn}>
      {shown.join(' / ')}
    </span>
  );
}

/** Shows the subject of a change. A unit among `units` is shown with its name too. */
export function Target({ target, units = [] }: Pick<Entry, 'target'> & { readonly units?: Units }) {
  const called = (number: string) => units.find(({ unit_id }) => String(unit_id) === number)?.name;
  const shown = ([name, value]: readonly [string, unknown]) => {
    const unit = name === 'unit' ? called(String(value)) : undefined;
    return `${AUDIT_TARGET[name] ?? name} ${value}${unit === undefined ? '' : ` (${unit})`}`;
  };
  const facts = Object.entries(target).filter(([, value]) => value !== '');
  if (facts.length === 0) return null;
  return <small class="soft target">{facts.map(shown).join(' · ')}</small>;
}

/** Who has done what, when and why: for one partner, or for the service as a whole. */
function Entries({ partnerId, units = [] }: { readonly partnerId: number | undefined; readonly units?: Units }) {
  const list = usePages(
    async (cursor) => {
      const about =
        partnerId === undefined ? ({ service: 'true' } as const) : ({ partner_id: String(partnerId) } as const);
      const { entries, next_cursor: next } = await ask('list-audit', { query: { ...about, limit: '50', cursor } });
      return { rows: entries, next };
    },
    [partnerId],
  );
  return (
    <>
      <p class="actions start">
        <Refresh of={list} />
      </p>
      <List
        of={list}
        caption="Auditoria"
        columns={columnsOf(units)}
        keyOf={(row) => `${row.at} ${row.action} ${JSON.stringify(row.target)}`}
        empty="Nada foi feito ainda."
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

/** Saves the whole audit of a month as JSON Lines, for compliance. */
function MonthExport() {
  const [month, setMonth] = useState(() => new Date().toISOString().slice(0, 7));
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
      <p class="soft">Um arquivo JSON Lines com todas as linhas do mês (UTC), para a conformidade.</p>
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

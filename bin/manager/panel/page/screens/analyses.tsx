import { useEffect, useState } from 'preact/hooks';
import type { AnswerOf } from '#shared/administration/operations.ts';
import { PENDING_LIMIT } from '#shared/domain/analyses/analysis.ts';
import { BANKS, bankName } from '#shared/domain/values/bank.ts';
import { days } from '#shared/domain/values/time.ts';
import { useAnswer } from '../answers.ts';
import { ask, runPages } from '../api.ts';
import { distance } from '../moments.ts';
import { Badge, Button, FailedRead, Heading, Long, Moment, Notice, Progress, Refresh } from '../parts/basics.tsx';
import { ChangeDialog } from '../parts/change-dialog.tsx';
import { allOr, Check, SelectField } from '../parts/fields.tsx';
import { PartnerPicker, type Picked, partnerColumn } from '../parts/partner-picker.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { ENVIRONMENT, POLL_OUTCOME, SITUATION } from '../words.ts';

type Analysis = AnswerOf<'list-pending-analyses'>['analyses'][number];
type Bank = Analysis['bank'];

const BANK_OPTIONS = allOr(
  'Todos',
  BANKS.map((bank) => [bank, bankName(bank)] as const),
);

const ENOUGH_ROWS = 200;

export function Analyses() {
  const [partner, setPartner] = useState<Picked>();
  const [bank, setBank] = useState<Bank | ''>('');
  const [unanswerable, setUnanswerable] = useState(false);
  const { rows, parts, query } = usePending(partner?.partnerId, bank, unanswerable);
  const [polled, setPolled] = useState<Analysis>();
  const [outcome, setOutcome] = useState<AnswerOf<'poll-analysis'>>();
  const columns: readonly Column<Analysis>[] = [
    {
      title: 'Espera há',
      cell: (row) => <strong title={row.created_at}>{distance(row.created_at, Date.now()).replace(/^há /, '')}</strong>,
    },
    { title: 'Análise', cell: (row) => row.analysis_id, numeric: true },
    { title: 'Banco', cell: (row) => bankName(row.bank) },
    partnerColumn(),
    { title: 'Ambiente', cell: (row) => ENVIRONMENT[row.environment] },
    {
      title: 'O banco diz',
      cell: (row) => (
        <>
          {row.raw_status ? <Long text={row.raw_status} /> : <span class="soft">ainda nada</span>}
          {row.query_number && <small class="soft"> nº {row.query_number}</small>}
        </>
      ),
    },
    { title: 'Sem resposta desde', cell: (row) => <Moment at={row.unanswerable_since} far /> },
    {
      title: 'Ações',
      cell: (row) => (
        <Button kind="quiet" onClick={() => setPolled(row)} label={`Consultar agora a análise ${row.analysis_id}`}>
          Consultar agora
        </Button>
      ),
    },
  ];
  return (
    <>
      <Heading
        title="Análises em espera"
        about={`Enviadas ao banco e ainda sem resultado. Com ${PENDING_LIMIT / days(1)} dias, o serviço pergunta uma última vez e, sem decisão, as cancela.`}
        help="analises"
      >
        <Refresh of={query} />
      </Heading>
      <search>
        <div class="filters">
          <PartnerPicker picked={partner} onPick={setPartner} />
          <SelectField label="Banco" value={bank} onChange={setBank} options={BANK_OPTIONS} />
          <Check label="Só as que o operador não sabe responder" checked={unanswerable} onChange={setUnanswerable} />
        </div>
      </search>
      <FailedRead of={query} />
      {query.loading && parts && <Progress label="Partes do índice vistas" {...parts} />}
      {outcome && (
        <Notice tone={outcome.outcome === 'change' ? 'good' : 'calm'}>
          <p>
            Análise {outcome.analysis.analysis_id}: {POLL_OUTCOME[outcome.outcome]}{' '}
            <Badge tone="calm">{SITUATION[outcome.analysis.situation]}</Badge>
          </p>
        </Notice>
      )}
      {rows && (rows.length > 0 || query.answer) && (
        <Table
          caption="Análises em espera"
          columns={columns}
          rows={rows}
          keyOf={(row) => `${row.unit_id} ${row.analysis_id}`}
          empty="Nenhuma análise espera."
        />
      )}
      {rows && rows.length >= ENOUGH_ROWS && <p class="soft">Há mais: escolha um parceiro ou um banco.</p>}
      {polled && (
        <ChangeDialog
          title={`Consultar a análise ${polled.analysis_id}`}
          submit="Consultar agora"
          onClose={() => setPolled(undefined)}
          run={async (notes) => {
            const { analysis_id, unit_id, environment } = polled;
            const body = { unit_id, environment, ...notes };
            setOutcome(await ask('poll-analysis', { params: { analysis_id }, body }));
            setPolled(undefined);
            query.reload();
          }}
        >
          <p>
            O serviço pergunta ao operador por esta análise, sem esperar a próxima consulta automática. Um resultado é
            registrado e enviado ao parceiro.
          </p>
        </ChangeDialog>
      )}
    </>
  );
}

/** Reads pending analyses, part by part of their index, until there are enough. */
function usePending(partnerId: number | undefined, bank: Bank | '', unanswerable: boolean) {
  const [seen, setSeen] = useState<{ rows: readonly Analysis[]; parts: { done: number; total: number } }>();
  const by = [partnerId, bank, unanswerable];
  useEffect(() => setSeen(undefined), by);
  const query = useAnswer(async (current) => {
    let rows: readonly Analysis[] = [];
    await runPages(
      (cursor) =>
        ask('list-pending-analyses', {
          query: {
            partner_id: partnerId === undefined ? '' : String(partnerId),
            bank,
            cursor,
            unanswerable: unanswerable ? 'true' : '',
          },
        }),
      (page) => {
        rows = rows.concat(page.analyses).sort((a, b) => a.created_at.localeCompare(b.created_at));
        if (current()) setSeen({ rows, parts: page });
      },
      () => current() && rows.length < ENOUGH_ROWS,
    );
    return rows;
  }, by);
  return { ...seen, query };
}

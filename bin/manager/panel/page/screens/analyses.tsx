import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { AnswerOf } from '../../../../../shared/administration/operations.ts';
import { ask, onFailedChange, runPages } from '../api.ts';
import { distance } from '../moments.ts';
import { Badge, Button, Failed, Heading, Moment, Notice, Progress, Refresh } from '../parts/basics.tsx';
import { ChangeDialog } from '../parts/change-dialog.tsx';
import { Check, optionsOf, SelectField } from '../parts/fields.tsx';
import { Named, PartnerPicker, type Picked } from '../parts/partner-picker.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { partnerHref } from '../router.ts';
import { BANK, ENVIRONMENT, POLL_OUTCOME, SITUATION } from '../words.ts';

type Analysis = AnswerOf<'list-pending-analyses'>['analyses'][number];
type Bank = Analysis['bank'];

/** Rows after which the screen stops to ask the service for more. */
const ENOUGH = 200;

/** The analyses that wait for their bank, the longest first, and a way to ask the operator now. */
export function Analyses() {
  const [partner, setPartner] = useState<Picked>();
  const [bank, setBank] = useState<Bank | ''>('');
  const [unanswerable, setUnanswerable] = useState(false);
  const { rows, parts, error, busy, readAt, look } = usePending(partner?.partnerId, bank, unanswerable);
  const [polled, setPolled] = useState<Analysis>();
  const [outcome, setOutcome] = useState<AnswerOf<'poll-analysis'>>();
  const columns: readonly Column<Analysis>[] = [
    {
      title: 'Espera há',
      cell: (row) => <strong title={row.created_at}>{distance(row.created_at, Date.now()).replace(/^há /, '')}</strong>,
    },
    { title: 'Análise', cell: (row) => row.analysis_id, numeric: true },
    { title: 'Banco', cell: (row) => BANK[row.bank] },
    {
      title: 'Parceiro',
      cell: (row) => (
        <a href={partnerHref(row.partner_id)}>
          <Named partnerId={row.partner_id} />
        </a>
      ),
    },
    { title: 'Ambiente', cell: (row) => ENVIRONMENT[row.environment] },
    {
      title: 'O banco diz',
      cell: (row) => (
        <>
          {row.raw_status || <span class="soft">ainda nada</span>}
          {row.query_number && <small class="soft"> nº {row.query_number}</small>}
        </>
      ),
    },
    {
      title: 'Sem resposta desde',
      cell: (row) =>
        row.unanswerable_since ? <Moment at={row.unanswerable_since} far /> : <span class="soft">—</span>,
    },
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
        about="Enviadas ao banco e ainda sem resultado. Com 30 dias, o serviço pergunta uma última vez e, sem decisão, as cancela."
        help="analises"
      >
        <Refresh of={{ readAt, loading: busy, reload: look }} />
      </Heading>
      <search>
        <div class="filters">
          <PartnerPicker picked={partner} onPick={setPartner} />
          <SelectField label="Banco" value={bank} onChange={setBank} options={[['', 'Todos'], ...optionsOf(BANK)]} />
          <Check label="Só as que o operador não sabe responder" checked={unanswerable} onChange={setUnanswerable} />
        </div>
      </search>
      <Failed error={error} />
      {busy && parts && <Progress label="Partes do índice vistas" {...parts} />}
      {outcome && (
        <Notice tone={outcome.outcome === 'change' ? 'good' : 'calm'}>
          <p>
            Análise {outcome.analysis.analysis_id}: {POLL_OUTCOME[outcome.outcome]}{' '}
            <Badge tone="calm">{SITUATION[outcome.analysis.situation]}</Badge>
          </p>
        </Notice>
      )}
      {rows && (rows.length > 0 || (!busy && error === undefined)) && (
        <Table
          caption="Análises em espera"
          columns={columns}
          rows={rows}
          keyOf={(row) => `${row.unit_id} ${row.analysis_id}`}
          empty="Nenhuma análise espera."
        />
      )}
      {rows && rows.length >= ENOUGH && <p class="soft">Há mais: escolha um parceiro ou um banco.</p>}
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
            look();
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

/** The pending analyses, looked for part by part of the index until there are enough. */
function usePending(partnerId: number | undefined, bank: Bank | '', unanswerable: boolean) {
  const [rows, setRows] = useState<readonly Analysis[]>();
  const [parts, setParts] = useState<{ done: number; total: number }>();
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(true);
  const [readAt, setReadAt] = useState<number>();
  const round = useRef(0);
  const look = useCallback(async () => {
    const own = ++round.current;
    const current = () => own === round.current;
    setBusy(true);
    setError(undefined);
    let found: readonly Analysis[] = [];
    try {
      await runPages(
        (cursor) =>
          ask('list-pending-analyses', {
            query: {
              ...{ partner_id: partnerId === undefined ? '' : String(partnerId), bank, cursor },
              unanswerable: unanswerable ? 'true' : '',
            },
          }),
        (page) => {
          found = [...found, ...page.analyses].sort((a, b) => a.created_at.localeCompare(b.created_at));
          if (!current()) return;
          setRows(found);
          setParts(page);
          setReadAt(Date.now());
        },
        () => current() && found.length < ENOUGH,
      );
    } catch (thrown) {
      if (current()) setError(thrown);
    } finally {
      if (current()) setBusy(false);
    }
  }, [partnerId, bank, unanswerable]);
  useEffect(() => {
    setRows(undefined);
    const reload = () => void look();
    reload();
    onFailedChange.add(reload);
    return () => {
      onFailedChange.delete(reload);
      round.current++;
    };
  }, [look]);
  return { rows, parts, error, busy, readAt, look: () => void look() };
}

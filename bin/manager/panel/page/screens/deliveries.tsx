import { useState } from 'preact/hooks';
import type { AnswerOf } from '#shared/administration/operations.ts';
import { usePages } from '../answers.ts';
import { ask, CallError, type PartnerDetails } from '../api.ts';
import { momentOf } from '../moments.ts';
import { Badge, Button, Heading, Moment, Notice, PartHeading, Refresh } from '../parts/basics.tsx';
import { ChangeDialog, type DialogProps } from '../parts/change-dialog.tsx';
import { allOr, IdField, optionsOf, SelectField, TextField, unitOptions } from '../parts/fields.tsx';
import { NamedUnit, PartnerPicker, partnerColumn } from '../parts/partner-picker.tsx';
import { type Column, List } from '../parts/table.tsx';
import { deliveryHref, partnerHref } from '../router.ts';
import { causeText, DELIVERY_STATE, type DeliveryFilters, ENVIRONMENT, EVENT_TYPE, stateOf } from '../words.ts';
import { Replay } from './replay.tsx';

type Row = AnswerOf<'list-deliveries'>['deliveries'][number];

const ALL: DeliveryFilters = { state: '', environment: '', unit: '', analysis: '', since: '', until: '' };

export function DeliveriesScreen() {
  const [eventId, setEventId] = useState('');
  const open = (event: Event) => {
    event.preventDefault();
    location.hash = deliveryHref(eventId.trim());
  };
  return (
    <>
      <Heading
        title="Entregas"
        about="O parceiro diz que um evento não chegou? Procure pelo número do evento, ou pelo parceiro."
        help="entregas"
      />
      <div class="cards">
        <section class="card">
          <h2>Pelo número do evento</h2>
          <form onSubmit={open}>
            <TextField
              label="Número do evento"
              placeholder="evt_…"
              pattern=" *evt_[a-z2-7]{32} *"
              wrong="Começa com evt_ e tem 32 letras e algarismos depois"
              value={eventId}
              onChange={setEventId}
              required
            />
            <Button submits kind="primary">
              Ver entrega
            </Button>
          </form>
        </section>
        <section class="card">
          <h2>Pelo parceiro</h2>
          <PartnerPicker
            picked={undefined}
            onPick={(picked) => {
              if (picked) location.hash = partnerHref(picked.partnerId, 'entregas');
            }}
          />
        </section>
      </div>
      <Deliveries />
    </>
  );
}

/** Without a partner, lists the exhausted deliveries of all partners that nobody has sent again or discarded. */
export function Deliveries({ partner }: { readonly partner?: PartnerDetails }) {
  const [filters, setFilters] = useState<DeliveryFilters>(partner ? ALL : { ...ALL, environment: 'producao' });
  const [open, setOpen] = useState<'replay' | Row>();
  const [result, setResult] = useState<string>();
  const units = partner?.units ?? [];
  const list = usePages(
    async (cursor) => {
      const { state, environment, unit, analysis, since, until } = filters;
      const { deliveries, next_cursor: next } = await ask('list-deliveries', {
        query: {
          partner_id: partner && String(partner.partner_id),
          state,
          environment,
          unit_id: unit,
          analysis_id: unit && analysis,
          since: momentOf(since),
          until: momentOf(until),
          limit: '50',
          cursor,
        },
      });
      return { rows: deliveries, next };
    },
    [partner?.partner_id, filters],
  );
  const set = (change: Partial<DeliveryFilters>) => setFilters({ ...filters, ...change });
  const close = () => setOpen(undefined);
  const done = (text: string) => {
    close();
    setResult(text);
    list.reload();
  };
  return (
    <>
      <PartHeading
        title={partner ? 'Entregas' : 'Esgotadas'}
        about={
          partner
            ? 'Cada evento que o parceiro recebeu, ou deveria receber, do mais novo ao mais antigo.'
            : 'De todos os parceiros: todas as tentativas falharam, e ninguém as reenviou nem descartou. Resolva antes a causa com o parceiro.'
        }
      >
        <Refresh of={list} />
        {partner && <Button onClick={() => setOpen('replay')}>Reenviar várias</Button>}
      </PartHeading>
      <search>
        <form class="filters" onSubmit={(event) => event.preventDefault()}>
          {partner && (
            <SelectField
              label="Situação"
              value={filters.state}
              onChange={(state) => set({ state })}
              options={allOr('Todas', optionsOf(DELIVERY_STATE))}
            />
          )}
          <SelectField
            label="Ambiente"
            value={filters.environment}
            onChange={(environment) => set({ environment })}
            options={partner ? allOr('Todos', optionsOf(ENVIRONMENT)) : optionsOf(ENVIRONMENT)}
          />
          {partner && (
            <>
              <SelectField
                label="Unidade"
                value={filters.unit}
                onChange={(unit) => set({ unit })}
                options={allOr('Todas', unitOptions(units))}
              />
              {filters.unit !== '' && (
                <IdField label="Análise" value={filters.analysis} onChange={(analysis) => set({ analysis })} />
              )}
              <TextField
                label="Desde"
                type="datetime-local"
                value={filters.since}
                onChange={(since) => set({ since })}
              />
              <TextField label="Até" type="datetime-local" value={filters.until} onChange={(until) => set({ until })} />
            </>
          )}
        </form>
      </search>
      {result && <Notice tone="good">{result}</Notice>}
      <List
        of={list}
        caption="Entregas"
        columns={COLUMNS(setOpen).filter(({ title }) => !(partner ? OF_ONE : OF_ALL).includes(title))}
        keyOf={(row) => row.event_id}
        empty={partner ? 'Nenhuma entrega com estes filtros.' : 'Nenhuma entrega esgotada espera por alguém.'}
      />
      {open === 'replay' && partner && <Replay partner={partner} filters={filters} onClose={close} onDone={done} />}
      {typeof open === 'object' && <Discard row={open} onClose={close} onDone={done} />}
    </>
  );
}

/**
 * Titles of the columns that a list leaves out, because most are the same in each row. The page of a delivery shows
 * all.
 */
const OF_ONE: readonly string[] = ['Parceiro'];
const OF_ALL: readonly string[] = ['Situação', 'Unidade', 'Ambiente'];

const COLUMNS = (onDiscard: (row: Row) => void): readonly Column<Row>[] => [
  partnerColumn('entregas'),
  {
    title: 'Evento',
    cell: (row) => (
      <a href={deliveryHref(row.event_id)} title={row.event_id}>
        {EVENT_TYPE[row.type]}
        <small class="soft"> {row.event_id.slice(0, 12)}…</small>
      </a>
    ),
  },
  { title: 'Situação', cell: (row) => <Badge tone={stateOf(row).tone}>{stateOf(row).text}</Badge> },
  { title: 'Tentativas', cell: (row) => row.attempts, numeric: true },
  { title: 'Última falha', cell: (row) => <span class="soft">{row.cause ? causeText(row.cause) : '—'}</span> },
  { title: 'Unidade', cell: (row) => <NamedUnit partnerId={row.partner_id} unitId={row.unit_id} /> },
  { title: 'Ambiente', cell: (row) => ENVIRONMENT[row.environment] },
  { title: 'Registrado em', cell: (row) => <Moment at={row.created_at} /> },
  {
    title: 'Ações',
    cell: (row) =>
      row.state === 'esgotada' &&
      row.discarded_at === null && (
        <Button kind="quiet" onClick={() => onDiscard(row)} label={`Descartar ${row.event_id}`}>
          Descartar
        </Button>
      ),
  },
];

function Discard({ row: { event_id }, onClose, onDone }: DialogProps<[text: string]> & { readonly row: Row }) {
  return (
    <ChangeDialog
      title="Descartar esta entrega"
      submit="Descartar"
      danger
      repeat={{ what: 'o número do evento', text: event_id }}
      onClose={onClose}
      run={async (because) => {
        const { discarded } = await ask('discard-dead-letters', { body: { event_id, ...because } });
        if (discarded === 0) throw new CallError('discard-dead-letters', { code: 'not_found', error: '' });
        onDone('Entrega descartada.');
      }}
    >
      <p>Ninguém mais espera por ela. Fica registrado para sempre que foi descartada; reenviá-la ainda é possível.</p>
    </ChangeDialog>
  );
}

import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../../../shared/administration/operations.ts';
import { usePages } from '../answers.ts';
import type { PartProps } from '../api.ts';
import { ask } from '../api.ts';
import { momentOf } from '../moments.ts';
import { Badge, Button, Failed, Moment } from '../parts/basics.tsx';
import { IdField, optionsOf, SelectField, TextField } from '../parts/fields.tsx';
import { type Column, More, Table } from '../parts/table.tsx';
import { deliveryHref } from '../router.ts';
import { causeText, DELIVERY_STATE, type DeliveryFilters, ENVIRONMENT, EVENT_TYPE, STATE_TONES } from '../words.ts';
import { Replay } from './replay.tsx';

type Row = AnswerOf<'list-deliveries'>['deliveries'][number];

const ALL: DeliveryFilters = { state: '', environment: '', unit: '', analysis: '', since: '', until: '' };

/** A partner's deliveries, filtered; a way to send many again. */
export function Deliveries({ partner }: PartProps) {
  const { partner_id: partnerId, units } = partner;
  const [filters, setFilters] = useState(ALL);
  const [replaying, setReplaying] = useState(false);
  const { rows, error, loading, more, onMore, reload } = usePages(
    async (cursor) => {
      const { state, environment, unit, analysis, since, until } = filters;
      const { deliveries, next_cursor: next } = await ask('list-deliveries', {
        query: {
          ...{ partner_id: String(partnerId), state, environment, unit_id: unit, analysis_id: unit && analysis },
          ...{ since: momentOf(since), until: momentOf(until), limit: '50', cursor },
        },
      });
      return { rows: deliveries, next };
    },
    [partnerId, ...Object.values(filters)],
  );
  const set = (change: Partial<DeliveryFilters>) => setFilters({ ...filters, ...change });
  const unitOf = (unitId: number) => units.find(({ unit_id }) => unit_id === unitId)?.name ?? unitId;
  const columns: readonly Column<Row>[] = [
    {
      title: 'Evento',
      cell: (row) => (
        <a href={deliveryHref(row.event_id)} title={row.event_id}>
          {EVENT_TYPE[row.type]}
          <small class="soft"> {row.event_id.slice(0, 12)}…</small>
        </a>
      ),
    },
    { title: 'Situação', cell: (row) => <Badge tone={STATE_TONES[row.state]}>{DELIVERY_STATE[row.state]}</Badge> },
    { title: 'Tentativas', cell: (row) => row.attempts, numeric: true },
    { title: 'Última falha', cell: (row) => <span class="soft">{row.cause ? causeText(row.cause) : '—'}</span> },
    { title: 'Unidade', cell: (row) => unitOf(row.unit_id) },
    { title: 'Ambiente', cell: (row) => ENVIRONMENT[row.environment] },
    { title: 'Registrado em', cell: (row) => <Moment at={row.created_at} /> },
  ];
  return (
    <>
      <div class="heading sub">
        <div>
          <h2>Entregas</h2>
          <p class="soft">Cada evento que o parceiro recebeu, ou deveria receber, do mais novo ao mais antigo.</p>
        </div>
        <div class="actions">
          <Button onClick={reload} busy={loading}>
            Atualizar
          </Button>
          <Button onClick={() => setReplaying(true)}>Reenviar várias</Button>
        </div>
      </div>
      <search>
        <form class="filters" onSubmit={(event) => event.preventDefault()}>
          <SelectField
            label="Situação"
            value={filters.state}
            onChange={(state) => set({ state })}
            options={[['', 'Todas'], ...optionsOf(DELIVERY_STATE)]}
          />
          <SelectField
            label="Ambiente"
            value={filters.environment}
            onChange={(environment) => set({ environment })}
            options={[['', 'Todos'], ...optionsOf(ENVIRONMENT)]}
          />
          <SelectField
            label="Unidade"
            value={filters.unit}
            onChange={(unit) => set({ unit })}
            options={[['', 'Todas'], ...units.map(({ unit_id, name }) => [String(unit_id), name] as const)]}
          />
          {filters.unit !== '' && (
            <IdField label="Análise" value={filters.analysis} onChange={(analysis) => set({ analysis })} />
          )}
          <TextField label="Desde" type="datetime-local" value={filters.since} onChange={(since) => set({ since })} />
          <TextField label="Até" type="datetime-local" value={filters.until} onChange={(until) => set({ until })} />
        </form>
      </search>
      <Failed error={error} />
      {rows && (
        <Table
          caption="Entregas"
          columns={columns}
          rows={rows}
          keyOf={(row) => row.event_id}
          empty="Nenhuma entrega com estes filtros."
          more={more}
        />
      )}
      <More more={more} busy={loading} onMore={onMore} />
      {replaying && (
        <Replay
          partnerId={partnerId}
          units={units}
          filters={filters}
          onClose={() => setReplaying(false)}
          onDone={() => {
            setReplaying(false);
            reload();
          }}
        />
      )}
    </>
  );
}

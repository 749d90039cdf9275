import { useState } from 'preact/hooks';
import type { AnswerOf } from '#shared/administration/operations.ts';
import { FAILURES } from '#shared/contract/failures.ts';
import { REFUSALS_KEPT } from '#shared/domain/partners/partner.ts';
import { hours } from '#shared/domain/values/time.ts';
import { useAnswer } from '../answers.ts';
import { ask, type PartProps } from '../api.ts';
import { FailedRead, Long, Moment, PartHeading, Refresh } from '../parts/basics.tsx';
import { SelectField, unitOptions } from '../parts/fields.tsx';
import { type Column, Table } from '../parts/table.tsx';

const HOURS = REFUSALS_KEPT.milliseconds / hours(1);

type RefusedCall = AnswerOf<'list-refusals'>['calls'][number];

const COLUMNS: readonly Column<RefusedCall>[] = [
  { title: 'Quando', cell: (row) => <Moment at={row.at} /> },
  {
    title: 'Chamada',
    cell: (row) => (
      <code>
        {row.method} {row.path}
      </code>
    ),
  },
  {
    title: 'Resposta',
    cell: (row) => (
      <>
        <code>
          {FAILURES[row.code].status} {row.code}
        </code>{' '}
        <small class="soft">{FAILURES[row.code].erro}</small>
      </>
    ),
  },
  { title: 'Campos', cell: (row) => <Long text={row.fields.join(', ')} /> },
  { title: 'Número do pedido', cell: (row) => <small>{row.request_id}</small> },
];

/** The calls of a unit that the sandbox refused, as the partner sees them by GET /v1/erros. */
export function RefusedCalls({ partner }: PartProps) {
  if (partner.units.length === 0) return <p class="empty">Este parceiro ainda não tem unidades.</p>;
  return <OfUnits partner={partner} />;
}

function OfUnits({ partner: { partner_id, units } }: Pick<PartProps, 'partner'>) {
  const [unit, setUnit] = useState(String(units[0]?.unit_id));
  const query = useAnswer(
    () => ask('list-refusals', { query: { partner_id: String(partner_id), unit_id: unit } }),
    [partner_id, unit],
  );
  return (
    <>
      <PartHeading
        title="Chamadas recusadas"
        about={`Recusas do sandbox nas últimas ${HOURS} horas, as ${REFUSALS_KEPT.newest} mais novas, como o parceiro as vê em GET /v1/erros.`}
      >
        <Refresh of={query} />
      </PartHeading>
      <search>
        <div class="filters">
          <SelectField label="Unidade" value={unit} onChange={setUnit} options={unitOptions(units)} />
        </div>
      </search>
      <FailedRead of={query} />
      {query.answer && (
        <Table
          caption="Chamadas recusadas"
          columns={COLUMNS}
          rows={query.answer.calls}
          keyOf={(row) => row.request_id}
          empty={`O sandbox não recusou nenhuma chamada desta unidade nas últimas ${HOURS} horas.`}
        />
      )}
      <p class="soft">
        Não aparecem: chamadas de produção, chaves que não valem (401), chamadas acima do limite (429) e falhas nossas
        (5xx).
      </p>
    </>
  );
}

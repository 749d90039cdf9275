import { useState } from 'preact/hooks';
import type { AnswerOf } from '#shared/administration/operations.ts';
import { useAnswer } from '../answers.ts';
import { ask } from '../api.ts';
import { Badge, Copy, Facts, FailedRead, Heading, Long, Moment, Notice, Refresh } from '../parts/basics.tsx';
import { Named, NamedUnit } from '../parts/partner-picker.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { partnerHref } from '../router.ts';
import { ENVIRONMENT, EVENT_TYPE, FAILURE_CLASS, stateOf } from '../words.ts';
import { ReplayOne } from './replay.tsx';

type Delivery = AnswerOf<'show-delivery'>['delivery'];
type Attempt = Delivery['history'][number];

const ATTEMPTS: readonly Column<Attempt>[] = [
  { title: 'Tentativa', cell: (row) => row.number, numeric: true },
  { title: 'Em', cell: (row) => <Moment at={row.at} /> },
  {
    title: 'Resultado',
    cell: (row) => (row.delivered ? <Badge tone="good">Entregue</Badge> : <Badge tone="bad">Falhou</Badge>),
  },
  { title: 'HTTP', cell: (row) => row.status, numeric: true },
  { title: 'Falha', cell: (row) => row.failure && FAILURE_CLASS[row.failure] },
  { title: 'Duração', cell: (row) => `${Math.round(row.milliseconds)} ms`, numeric: true },
  { title: 'Resposta', cell: (row) => row.detail && <Long text={row.detail} /> },
];

export function DeliveryScreen({ eventId }: { readonly eventId: string }) {
  const query = useAnswer(() => ask('show-delivery', { params: { event_id: eventId } }), [eventId]);
  const delivery = query.answer?.delivery;
  const [result, setResult] = useState<string>();
  const done = (text: string) => {
    setResult(text);
    query.reload();
  };
  return (
    <>
      <p class="back">
        {delivery ? (
          <a href={partnerHref(delivery.partner_id, 'entregas')}>Entregas do parceiro</a>
        ) : (
          <a href="#/entregas">Entregas</a>
        )}
      </p>
      <Heading
        title="Entrega"
        about={
          <span class="row">
            <code class="long">{eventId}</code> <Copy text={eventId} what="número do evento" />
          </span>
        }
        help="entregas"
      >
        <Refresh of={query} />
        {delivery && <ReplayOne eventId={delivery.event_id} onDone={done} />}
      </Heading>
      <FailedRead of={query} />
      {result && <Notice tone="good">{result}</Notice>}
      {delivery && <Details delivery={delivery} />}
    </>
  );
}

function Details({ delivery }: { readonly delivery: Delivery }) {
  const state = stateOf(delivery);
  const { partner_id: partnerId, unit_id: unitId } = delivery;
  return (
    <>
      <section class="card">
        <p class="row">
          <Badge tone={state.tone}>{state.text}</Badge>
          <span class="soft">{state.means}</span>
        </p>
        <Facts
          rows={[
            ['Tipo', EVENT_TYPE[delivery.type]],
            ['Ambiente', ENVIRONMENT[delivery.environment]],
            ['Parceiro', <Named key="partner" partnerId={partnerId} />],
            ['Unidade', <NamedUnit key="unit" partnerId={partnerId} unitId={unitId} />],
            ['Análise', delivery.analysis_id],
            ['Registrado em', <Moment key="created" at={delivery.created_at} />],
            ['Descartada em', <Moment key="discarded" at={delivery.discarded_at} far />],
            ['Próxima tentativa', <Moment key="due" at={delivery.due_at} far />],
          ]}
        />
      </section>
      <h2>Tentativas</h2>
      <Table
        caption="Tentativas"
        columns={ATTEMPTS}
        rows={delivery.history.toReversed()}
        keyOf={(row) => row.number}
        empty="Ainda não houve tentativa."
      />
      {delivery.attempts > delivery.history.length && (
        <p class="soft">
          {delivery.attempts} tentativas ao todo; aqui as últimas {delivery.history.length}.
        </p>
      )}
      <details>
        <summary>O que é enviado</summary>
        <pre>{JSON.stringify(delivery.body, null, 2)}</pre>
      </details>
    </>
  );
}

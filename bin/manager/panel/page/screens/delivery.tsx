import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../../../shared/administration/operations.ts';
import { useAnswer } from '../answers.ts';
import { ask } from '../api.ts';
import { Badge, Button, Copy, Facts, Failed, Heading, Moment } from '../parts/basics.tsx';
import { TextField } from '../parts/fields.tsx';
import { PartnerPicker } from '../parts/partner-picker.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { deliveryHref, partnerHref } from '../router.ts';
import { DELIVERY_STATE, DELIVERY_STATE_MEANS, ENVIRONMENT, EVENT_TYPE, FAILURE_CLASS, STATE_TONES } from '../words.ts';
import { ReplayOne } from './replay.tsx';

type Delivery = AnswerOf<'show-delivery'>['delivery'];
type Attempt = Delivery['history'][number];

/** The way to deliveries: by an event's number, or by whose they are. */
export function DeliveriesEntrance() {
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
    </>
  );
}

const ATTEMPTS: readonly Column<Attempt>[] = [
  { title: 'Tentativa', cell: (row) => row.number, numeric: true },
  { title: 'Em', cell: (row) => <Moment at={row.at} /> },
  {
    title: 'Resultado',
    cell: (row) => (row.delivered ? <Badge tone="good">Entregue</Badge> : <Badge tone="bad">Falhou</Badge>),
  },
  { title: 'HTTP', cell: (row) => row.status ?? <span class="soft">—</span>, numeric: true },
  { title: 'Falha', cell: (row) => (row.failure ? FAILURE_CLASS[row.failure] : <span class="soft">—</span>) },
  { title: 'Duração', cell: (row) => `${Math.round(row.milliseconds)} ms`, numeric: true },
  {
    title: 'Resposta',
    cell: (row) => (row.detail ? <code class="long">{row.detail}</code> : <span class="soft">—</span>),
  },
];

/** One delivery with its attempts. */
export function DeliveryScreen({ eventId }: { readonly eventId: string }) {
  const { answer, error, loading, reload } = useAnswer(
    () => ask('show-delivery', { params: { event_id: eventId } }),
    [eventId],
  );
  const delivery = answer?.delivery;
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
        <Button onClick={reload} busy={loading}>
          Atualizar
        </Button>
        {delivery && delivery.state !== 'pendente' && <ReplayOne eventId={delivery.event_id} onDone={reload} />}
      </Heading>
      <Failed error={error} />
      {delivery && <Details delivery={delivery} />}
    </>
  );
}

function Details({ delivery }: { readonly delivery: Delivery }) {
  return (
    <>
      <section class="card">
        <p class="row">
          <Badge tone={STATE_TONES[delivery.state]}>{DELIVERY_STATE[delivery.state]}</Badge>
          <span class="soft">{DELIVERY_STATE_MEANS[delivery.state]}</span>
        </p>
        <Facts
          rows={[
            ['Tipo', EVENT_TYPE[delivery.type]],
            ['Ambiente', ENVIRONMENT[delivery.environment]],
            ['Unidade', delivery.unit_id],
            ['Análise', delivery.analysis_id],
            ['Registrado em', <Moment key="created" at={delivery.created_at} />],
            ['Próxima tentativa', <Moment key="due" at={delivery.due_at} far />],
          ]}
        />
      </section>
      <h2>Tentativas</h2>
      <Table
        caption="Tentativas"
        columns={ATTEMPTS}
        rows={[...delivery.history].reverse()}
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

import { useState } from 'preact/hooks';
import type { PreviewOf, SentBody } from '#shared/administration/operations.ts';
import { days, minutes } from '#shared/domain/values/time.ts';
import { useTyped, useWork } from '../answers.ts';
import { ask, CallError, type PartnerDetails, preview, runPages } from '../api.ts';
import { momentOf } from '../moments.ts';
import { Badge, Button, Failed, FailedRead, Notice, Progress } from '../parts/basics.tsx';
import { ChangeDialog, type DialogProps } from '../parts/change-dialog.tsx';
import { allOr, optionsOf, SelectField, TextField, unitOptions } from '../parts/fields.tsx';
import { counted, DELIVERY_STATE, type DeliveryFilters, ENVIRONMENT } from '../words.ts';

type Selection = SentBody<'replay-deliveries'>;
type EventId = NonNullable<Selection['event_id']>;
type Preview = PreviewOf<'replay-deliveries'>;

const { pendente: _, ...REPLAYABLE } = DELIVERY_STATE;
type Replayable = keyof typeof REPLAYABLE;
const replayable = (state: string): state is Replayable => Object.hasOwn(REPLAYABLE, state);

function yesterday(): string {
  const at = new Date(Date.now() - days(1));
  return new Date(at.getTime() - minutes(at.getTimezoneOffset())).toISOString().slice(0, 16);
}

interface ReplayProps extends DialogProps<[done: string]> {
  readonly partner: PartnerDetails;
  readonly filters: DeliveryFilters;
}

/** Sends a partner's deliveries again: first shows the deliveries, then works page by page. */
export function Replay({ partner, filters, onClose, onDone }: ReplayProps) {
  const [state, setState] = useState<Replayable | ''>(replayable(filters.state) ? filters.state : 'esgotada');
  const [unit, setUnit] = useState(filters.unit);
  const usual = partner.validated_at === null ? 'sandbox' : 'producao';
  const [environment, setEnvironment] = useState(filters.environment || usual);
  const [since, setSince] = useState(filters.since || yesterday());
  const [until, setUntil] = useState(filters.until);
  const [progress, setProgress] = useState<{ done: number; total: number | null }>();
  const selection: Selection = {
    partner_id: partner.partner_id,
    since: momentOf(since),
    until: momentOf(until),
    state: state || undefined,
    unit_id: unit ? Number(unit) : undefined,
    environment,
  };
  const search = useTyped(JSON.stringify(selection), !since, 0, () =>
    preview('replay-deliveries', { body: selection }),
  );
  const { found } = search;
  return (
    <ChangeDialog
      title="Reenviar entregas"
      submit="Reenviar"
      ready={found !== undefined && found.deliveries.length > 0}
      onClose={onClose}
      run={async (because) => {
        // No delivery is sent before the preview is there, and none that was created after it.
        if (!found?.until) throw new Error('the deliveries are sent before they were shown');
        const shown = { ...selection, until: found.until };
        let [sent, skipped] = [0, 0];
        await runPages(
          (cursor) => ask('replay-deliveries', { body: { ...shown, cursor, ...because } }),
          (page) => {
            sent += page.sent;
            skipped += page.skipped;
            setProgress({ done: sent + skipped, total: page.total });
          },
        );
        if (sent === 0) throw new CallError('replay-deliveries', { code: 'not_found', error: '' });
        onDone(`${counted(sent, 'evento enviado', 'eventos enviados')}, ${skipped} já a caminho.`);
      }}
    >
      <p>Cada evento vai de novo com o mesmo número e o mesmo conteúdo: o parceiro reconhece o que já tem.</p>
      <div class="filters">
        <SelectField
          label="Situação"
          value={state}
          onChange={setState}
          options={allOr('Todas menos pendentes', optionsOf(REPLAYABLE))}
        />
        <SelectField label="Ambiente" value={environment} onChange={setEnvironment} options={optionsOf(ENVIRONMENT)} />
        <SelectField
          label="Unidade"
          value={unit}
          onChange={setUnit}
          options={allOr('Todas', unitOptions(partner.units))}
        />
        <TextField label="Desde" type="datetime-local" value={since} onChange={setSince} required />
        <TextField label="Até" type="datetime-local" value={until} onChange={setUntil} />
      </div>
      <FailedRead of={search} />
      {found && <Found found={found} />}
      {progress && <Progress label="Entregas reenviadas" {...progress} />}
    </ChangeDialog>
  );
}

function Found({ found: { deliveries, next_cursor: next, suspended } }: { readonly found: Preview }) {
  const counts = Object.groupBy(deliveries, ({ state }) => state);
  return (
    <Notice tone={suspended ? 'warn' : 'calm'}>
      <p>
        {deliveries.length === 0
          ? 'Nenhuma entrega com estas condições.'
          : `${next ? 'Mais de ' : ''}${counted(deliveries.length, 'entrega', 'entregas')}: `}
        {optionsOf(DELIVERY_STATE).map(
          ([state, text]) =>
            counts[state] && (
              <span key={state} class="row">
                <Badge tone={DELIVERY_STATE[state].tone}>
                  {counts[state].length} {text.toLowerCase()}
                </Badge>{' '}
              </span>
            ),
        )}
      </p>
      {suspended && <p>O webhook do ambiente está desligado: ficam guardadas até que seja ligado.</p>}
    </Notice>
  );
}

export function ReplayOne({ eventId, onDone }: { eventId: EventId; onDone: (text: string) => void }) {
  const [open, setOpen] = useState(false);
  const [suspended, setSuspended] = useState<boolean>();
  const { error, run } = useWork();
  const asks = () =>
    run(async () => {
      setSuspended((await preview('replay-deliveries', { body: { event_id: eventId } })).suspended);
      setOpen(true);
    });
  return (
    <>
      <Button kind="primary" onClick={asks}>
        Reenviar
      </Button>
      <Failed error={error} />
      {open && (
        <ChangeDialog
          title="Reenviar esta entrega"
          submit="Reenviar"
          onClose={() => setOpen(false)}
          run={async (because) => {
            const answer = await ask('replay-deliveries', { body: { event_id: eventId, ...because } });
            setOpen(false);
            onDone(
              answer.suspended
                ? 'Guardada: sai quando o webhook for ligado.'
                : 'Enviada agora: atualize para ver a resposta.',
            );
          }}
        >
          <p>Vai agora, mesmo que espere a próxima tentativa, com o mesmo número e o mesmo conteúdo.</p>
          {suspended && (
            <Notice tone="warn">
              O webhook do ambiente está desligado: a entrega fica guardada até que seja ligado.
            </Notice>
          )}
        </ChangeDialog>
      )}
    </>
  );
}

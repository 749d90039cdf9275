import { useEffect, useRef, useState } from 'preact/hooks';
import type { PreviewOf, SentBody } from '../../../../../shared/administration/operations.ts';
import type { PartnerDetails } from '../api.ts';
import { ask, preview, runPages } from '../api.ts';
import { momentOf } from '../moments.ts';
import { Badge, Button, Failed, Notice, Progress } from '../parts/basics.tsx';
import { ChangeDialog } from '../parts/change-dialog.tsx';
import { optionsOf, SelectField, TextField } from '../parts/fields.tsx';
import { DELIVERY_STATE, type DeliveryFilters, ENVIRONMENT, STATE_TONES } from '../words.ts';

type Which = SentBody<'replay-deliveries'>;
type Preview = PreviewOf<'replay-deliveries'>;

const { pendente: _, ...REPLAYABLE } = DELIVERY_STATE;
type Replayable = keyof typeof REPLAYABLE;
const replayable = (state: string): state is Replayable => Object.hasOwn(REPLAYABLE, state);

const DAY = 86_400_000;
/** Yesterday at this time, as an input of type datetime-local holds it. */
function yesterday(): string {
  const at = new Date(Date.now() - DAY);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

interface ReplayProps {
  readonly partnerId: number;
  readonly units: PartnerDetails['units'];
  readonly filters: DeliveryFilters;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Sends a partner's deliveries again: first shown which, then page by page. */
export function Replay({ partnerId, units, filters, onClose, onDone }: ReplayProps) {
  const [state, setState] = useState<Replayable | ''>(replayable(filters.state) ? filters.state : 'esgotada');
  const [unit, setUnit] = useState(filters.unit);
  const [environment, setEnvironment] = useState(filters.environment);
  const [since, setSince] = useState(filters.since || yesterday());
  const [until, setUntil] = useState(filters.until);
  const [found, setFound] = useState<Preview>();
  const [error, setError] = useState<unknown>();
  const [progress, setProgress] = useState<{ done: number; total: number | null }>();
  const which: Which = {
    ...{ partner_id: partnerId, since: momentOf(since) },
    ...(until && { until: momentOf(until) }),
    ...(state && { state }),
    ...(unit && { unit_id: Number(unit) }),
    ...(environment && { environment }),
  };
  const asked = JSON.stringify(which);
  const round = useRef(0);
  useEffect(() => {
    const own = ++round.current;
    setFound(undefined);
    setError(undefined);
    if (!since) return;
    preview('replay-deliveries', { body: which }).then(
      (answer) => own === round.current && setFound(answer),
      (thrown: unknown) => own === round.current && setError(thrown),
    );
  }, [asked]);
  return (
    <ChangeDialog
      title="Reenviar entregas"
      submit="Reenviar"
      onClose={onClose}
      run={async (because) => {
        // Nothing is sent before it was shown, nor what is booked since.
        if (!found?.until) return;
        const shown = { ...which, until: found.until };
        let done = 0;
        await runPages(
          (cursor) => ask('replay-deliveries', { body: { ...shown, ...(cursor && { cursor }), ...because } }),
          (page) => {
            done += page.sent + page.skipped;
            setProgress({ done, total: page.total });
          },
        );
        onDone();
      }}
    >
      <p>Cada evento vai de novo com o mesmo número e o mesmo conteúdo: o parceiro reconhece o que já tem.</p>
      <div class="filters">
        <SelectField
          label="Situação"
          value={state}
          onChange={setState}
          options={[['', 'Todas menos pendentes'], ...optionsOf(REPLAYABLE)]}
        />
        <SelectField
          label="Ambiente"
          value={environment}
          onChange={setEnvironment}
          options={[['', 'Todos'], ...optionsOf(ENVIRONMENT)]}
        />
        <SelectField
          label="Unidade"
          value={unit}
          onChange={setUnit}
          options={[['', 'Todas'], ...units.map(({ unit_id, name }) => [String(unit_id), name] as const)]}
        />
        <TextField label="Desde" type="datetime-local" value={since} onChange={setSince} required />
        <TextField label="Até" type="datetime-local" value={until} onChange={setUntil} />
      </div>
      <Failed error={error} />
      {found && <Found found={found} />}
      {progress && <Progress label="Entregas reenviadas" {...progress} />}
    </ChangeDialog>
  );
}

function Found({ found: { deliveries, next_cursor: next, kept } }: { readonly found: Preview }) {
  const counts = Object.groupBy(deliveries, ({ state }) => state);
  return (
    <Notice tone={kept ? 'warn' : 'calm'}>
      <p>
        {deliveries.length === 0
          ? 'Nenhuma entrega com estas condições.'
          : `${next ? 'Mais de ' : ''}${deliveries.length} ${deliveries.length === 1 ? 'entrega' : 'entregas'}: `}
        {optionsOf(DELIVERY_STATE).map(
          ([state, text]) =>
            counts[state] && (
              <span key={state} class="row">
                <Badge tone={STATE_TONES[state]}>
                  {counts[state].length} {text.toLowerCase()}
                </Badge>{' '}
              </span>
            ),
        )}
      </p>
      {kept && <p>O webhook está desligado: ficam guardadas até que seja ligado.</p>}
    </Notice>
  );
}

/** Sends one delivery again. */
export function ReplayOne({ eventId, onDone }: { eventId: Which['event_id'] & string; onDone: () => void }) {
  const [open, setOpen] = useState(false);
  const [kept, setKept] = useState<boolean>();
  const [error, setError] = useState<unknown>();
  const asks = async () => {
    setError(undefined);
    try {
      setKept((await preview('replay-deliveries', { body: { event_id: eventId } })).kept);
      setOpen(true);
    } catch (thrown) {
      setError(thrown);
    }
  };
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
            await ask('replay-deliveries', { body: { event_id: eventId, ...because } });
            setOpen(false);
            onDone();
          }}
        >
          <p>Vai mais uma vez, com o mesmo número e o mesmo conteúdo.</p>
          {kept && (
            <Notice tone="warn">
              O webhook do parceiro está desligado: a entrega fica guardada até que seja ligado.
            </Notice>
          )}
        </ChangeDialog>
      )}
    </>
  );
}

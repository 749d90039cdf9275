import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../../../shared/administration/operations.ts';
import { useAnswer } from '../answers.ts';
import { ask, CallError, preview, runPages } from '../api.ts';
import { Badge, Button, Facts, Failed, Heading, Moment, Notice, Progress } from '../parts/basics.tsx';
import { ChangeDialog, type Repeat } from '../parts/change-dialog.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { deliveryHref, partnerHref } from '../router.ts';
import { DELIVERY_STATE, STATE_TONES } from '../words.ts';

type Letter = AnswerOf<'list-dead-letters'>['letters'][number];
/** Which letters: one, a partner's, those that are no delivery's, or all. */
interface Which {
  readonly event_id?: NonNullable<Letter['event_id']>;
  readonly partner_id?: number;
  readonly foreign?: true;
}
interface Work {
  readonly what: 'redrive' | 'discard';
  readonly which: Which;
  /** "todas", "as do parceiro 12" */
  readonly words: string;
  readonly kept?: boolean;
}

/** Production's events whose every attempt has failed: given one more attempt, or ended for good. */
export function DeadLetters() {
  const { answer, error, loading, reload } = useAnswer(() => ask('list-dead-letters', { query: { limit: '50' } }), []);
  const [work, setWork] = useState<Work>();
  const [failed, setFailed] = useState<unknown>();
  const [keptEvents, setKeptEvents] = useState(0);
  const redrive = async (which: Omit<Which, 'foreign'>, words: string) => {
    setFailed(undefined);
    setKeptEvents(0);
    try {
      const { kept } = await preview('redrive-dead-letters', { body: which });
      setWork({ what: 'redrive', which, words, kept });
    } catch (thrown) {
      setFailed(thrown);
    }
  };
  const columns: readonly Column<Letter>[] = [
    {
      title: 'Evento',
      cell: (row) =>
        row.event_id ? (
          <a href={deliveryHref(row.event_id)} title={row.event_id}>
            {row.event_id.slice(0, 12)}…
          </a>
        ) : (
          'Mensagem estranha'
        ),
    },
    {
      title: 'Parceiro',
      cell: (row) =>
        row.partner_id ? <a href={partnerHref(row.partner_id, 'webhook')}>{row.partner_id}</a> : <span>—</span>,
    },
    {
      title: 'Entrega',
      cell: (row) =>
        row.state ? <Badge tone={STATE_TONES[row.state]}>{DELIVERY_STATE[row.state]}</Badge> : <span>—</span>,
    },
    { title: 'Morta desde', cell: (row) => <Moment at={row.dead_since} far /> },
    { title: 'Ações', cell: (row) => <LetterActions row={row} onRedrive={redrive} onDiscard={setWork} /> },
  ];
  return (
    <>
      <Heading
        title="Entregas mortas"
        about="Eventos de produção cujas 12 tentativas falharam. Resolva a causa com o parceiro antes de retomar."
        help="mortas"
      >
        <Button onClick={reload} busy={loading}>
          Atualizar
        </Button>
        {answer && answer.waiting > 0 && (
          <Button kind="primary" onClick={() => redrive({}, 'todas')}>
            Retomar todas
          </Button>
        )}
      </Heading>
      <Failed error={error ?? failed} />
      {keptEvents > 0 && (
        <Notice tone="warn">Eventos guardados até que o webhook do parceiro seja ligado: {keptEvents}.</Notice>
      )}
      {answer && (
        <>
          <Facts
            rows={[
              ['Mortas', answer.waiting],
              ['Em exame por alguém', answer.in_hand],
            ]}
          />
          <Table
            caption="Entregas mortas"
            columns={columns}
            rows={answer.letters}
            keyOf={(row) => `${row.event_id} ${row.dead_since}`}
            empty={
              answer.waiting + answer.in_hand === 0
                ? 'Nenhuma: todos os eventos de produção chegaram ou ainda são tentados.'
                : 'Nenhuma visível agora: atualize em dois minutos.'
            }
          />
          {answer.letters.length < answer.waiting && answer.letters.length > 0 && (
            <p class="soft">Algumas delas; as outras aparecem quando estas se forem.</p>
          )}
        </>
      )}
      {work && (
        <WorkDialog
          work={work}
          onClose={() => setWork(undefined)}
          onDone={(kept) => {
            setWork(undefined);
            setKeptEvents(kept);
            reload();
          }}
        />
      )}
    </>
  );
}

interface LetterActionsProps {
  readonly row: Letter;
  readonly onRedrive: (which: Omit<Which, 'foreign'>, words: string) => void;
  readonly onDiscard: (work: Work) => void;
}

function LetterActions({ row, onRedrive, onDiscard }: LetterActionsProps) {
  const { event_id, partner_id } = row;
  if (!event_id) {
    const discard = () => onDiscard({ what: 'discard', which: { foreign: true }, words: 'as mensagens estranhas' });
    return (
      <Button kind="quiet" onClick={discard}>
        Descartar as estranhas
      </Button>
    );
  }
  return (
    <span class="row">
      <Button
        kind="quiet"
        onClick={() => onRedrive({ event_id, ...(partner_id && { partner_id }) }, 'esta')}
        label={`Retomar ${event_id}`}
      >
        Retomar
      </Button>
      {partner_id && (
        <Button
          kind="quiet"
          onClick={() => onRedrive({ partner_id }, `as do parceiro ${partner_id}`)}
          label={`Retomar todas do parceiro ${partner_id}`}
        >
          Todas do parceiro
        </Button>
      )}
      <Button
        kind="quiet"
        onClick={() => onDiscard({ what: 'discard', which: { event_id }, words: 'esta' })}
        label={`Descartar ${event_id}`}
      >
        Descartar
      </Button>
    </span>
  );
}

/** What a page of either work answers. */
interface PageDone {
  readonly next_cursor: string | null;
  readonly total: number | null;
  readonly redriven?: number;
  readonly kept?: number;
  readonly discarded?: number;
}

function repeatOf({ event_id, partner_id }: Which): Repeat {
  if (event_id) return { what: 'o número do evento', text: event_id };
  if (partner_id) return { what: 'o número do parceiro', text: String(partner_id) };
  return { what: 'a palavra', text: 'foreign' };
}

interface WorkDialogProps {
  readonly work: Work;
  readonly onClose: () => void;
  /** Told how many of the events are kept for a webhook that is off. */
  readonly onDone: (kept: number) => void;
}

function WorkDialog({ work, onClose, onDone }: WorkDialogProps) {
  const [progress, setProgress] = useState<{ done: number; total: number | null }>();
  const discards = work.what === 'discard';
  return (
    <ChangeDialog
      title={discards ? `Descartar ${work.words}` : `Retomar ${work.words}`}
      submit={discards ? 'Descartar' : 'Retomar'}
      danger={discards}
      repeat={discards ? repeatOf(work.which) : undefined}
      onClose={onClose}
      run={async (because) => {
        let done = 0;
        let keptEvents = 0;
        const { foreign, ...which } = work.which;
        await runPages<PageDone>(
          (cursor) => {
            const page = { ...which, ...(cursor && { cursor }), ...because };
            return discards
              ? ask('discard-dead-letters', { body: { ...page, ...(foreign && { foreign }) } })
              : ask('redrive-dead-letters', { body: page });
          },
          ({ redriven = 0, discarded = 0, kept = 0, total }) => {
            done += redriven + discarded;
            keptEvents += kept;
            setProgress({ done, total });
          },
        );
        // Letters that someone looks at are out of reach: what did nothing must not look done.
        if (done === 0) throw new CallError(`${work.what}-dead-letters`, { code: 'not_found', error: '' });
        onDone(keptEvents);
      }}
    >
      <p>
        {discards
          ? 'Saem da fila para sempre. A entrega continua registrada e pode ser reenviada pela sua página.'
          : work.kept
            ? 'Cada uma tem mais uma tentativa. O que falhar de novo volta para cá.'
            : 'Cada uma tem mais uma tentativa, agora; a de um webhook desligado, quando ele for ligado. O que falhar de novo volta para cá.'}
      </p>
      {work.kept && (
        <Notice tone="warn">
          O webhook do parceiro está desligado: os eventos ficam guardados até que seja ligado.
        </Notice>
      )}
      {progress && <Progress label={discards ? 'Descartadas' : 'Retomadas'} {...progress} />}
    </ChangeDialog>
  );
}

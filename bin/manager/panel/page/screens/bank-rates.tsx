import { useState } from 'preact/hooks';
import { rateFaultFields } from '#shared/administration/bank-rates.ts';
import type { AnswerOf, PreviewOf, SentBody } from '#shared/administration/operations.ts';
import { bankName } from '#shared/domain/values/bank.ts';
import { addDays, type Day, dayInSaoPaulo } from '#shared/domain/values/clock.ts';
import { seconds } from '#shared/domain/values/time.ts';
import { useAnswer, useTyped } from '../answers.ts';
import { ask, preview } from '../api.ts';
import { fieldFaultText } from '../failure-text.ts';
import { dayText } from '../moments.ts';
import { Button, FailedRead, Heading, Notice, Refresh } from '../parts/basics.tsx';
import { ChangeDialog, type DialogProps } from '../parts/change-dialog.tsx';
import { TextField } from '../parts/fields.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { FIGURE_KIND, RATE_KIND, SEGMENT, valueText } from '../words.ts';

type Rate = AnswerOf<'list-bank-rates'>['rates'][number];
type Expiry = AnswerOf<'list-bank-rates'>['figures'][number];
type Preview = PreviewOf<'publish-bank-rate'>;

const figuresText = ({ kind, of }: Expiry) => `${FIGURE_KIND[kind]}: ${valueText('bank', of)}`;

const FIGURES: readonly Column<Expiry>[] = [
  { title: 'Números', cell: figuresText },
  { title: 'Velhos a partir de', cell: (row) => dayText(row.day) },
];

const today = () => dayInSaoPaulo(Date.now());
const orNone = (text: string) => text.trim() || undefined;
const isInUse = ({ used_from }: Rate) => used_from <= today();
const percent = (text: string) => `${text.replace('.', ',')}\u00a0%`;
const rateText = ({ value, annual_percent }: Rate) =>
  value === annual_percent ? percent(value) : `${percent(value)}, ${percent(annual_percent)} ao ano`;
const dayOrNone = (day: Day | null) => day && dayText(day);

export function BankRates() {
  const query = useAnswer(() => ask('list-bank-rates'), []);
  const { answer, reload } = query;
  const [publishing, setPublishing] = useState<Rate>();
  const [confirming, setConfirming] = useState<Rate>();
  const close = () => {
    setPublishing(undefined);
    setConfirming(undefined);
  };
  const done = () => {
    close();
    reload();
  };
  const columns: readonly Column<Rate>[] = [
    { title: 'Banco', cell: (row) => nameOf(row) },
    { title: 'Sistemas', cell: (row) => row.systems.join(', ') },
    { title: 'Taxa', cell: rateText, numeric: true },
    { title: 'Tipo', cell: (row) => RATE_KIND[row.kind] },
    { title: 'Fonte', cell: (row) => `${row.source} (${dayText(row.date)})` },
    { title: 'Confirmada em', cell: (row) => dayOrNone(row.still_shown) },
    { title: 'Em uso desde', cell: (row) => dayText(row.used_from) },
    { title: 'Recusada a partir de', cell: (row) => <strong>{dayText(row.refused_from)}</strong> },
    {
      title: 'Ações',
      cell: (row) => (
        <>
          <Button kind="quiet" onClick={() => setPublishing(row)} label={`Publicar taxa: ${nameOf(row)}`}>
            Publicar
          </Button>
          {isInUse(row) && (
            <Button kind="quiet" onClick={() => setConfirming(row)} label={`Confirmar taxa: ${nameOf(row)}`}>
              Confirmar
            </Button>
          )}
        </>
      ),
    },
  ];
  return (
    <>
      <Heading
        title="Taxas dos bancos"
        about="As taxas de hoje, as que começam depois, e o dia em que a produção passa a recusar o banco."
        help="taxas"
      >
        <Refresh of={query} />
      </Heading>
      <FailedRead of={query} />
      {answer && answer.unknown > 0 && (
        <Notice tone="warn">Há taxas que esta versão do serviço não conhece: {answer.unknown}. Ela não as usa.</Notice>
      )}
      {answer && (
        <>
          <Table
            caption="Taxas dos bancos"
            columns={columns}
            rows={answer.rates}
            keyOf={(row) => `${row.bank} ${row.segment} ${row.systems} ${row.used_from}`}
            empty="Não há taxas."
          />
          <h2>Outros números</h2>
          <Table
            caption="Outros números"
            columns={FIGURES}
            rows={answer.figures}
            keyOf={figuresText}
            empty="Não há outros números."
          />
        </>
      )}
      {publishing && <NewRate rate={publishing} onClose={close} onDone={done} />}
      {confirming && <Confirmation rate={confirming} onClose={close} onDone={done} />}
    </>
  );
}

const nameOf = ({ bank, segment }: Rate) => `${bankName(bank)}, ${SEGMENT[segment]}`;

function useEvidence() {
  const [seen, setSeen] = useState<string>(today());
  const [page, setPage] = useState('');
  const [answeredBy, setAnsweredBy] = useState('');
  const [keptAt, setKeptAt] = useState('');
  const sent = { seen, page: orNone(page), answered_by: orNone(answeredBy), kept_at: orNone(keptAt) };
  const isComplete =
    seen !== '' && (sent.page !== undefined || (sent.answered_by !== undefined && sent.kept_at !== undefined));
  const fields = (
    <>
      <TextField
        label="Página do banco"
        type="url"
        hint="No domínio do próprio banco."
        value={page}
        onChange={setPage}
      />
      <TextField
        label="Quem respondeu"
        hint="Sem página: a resposta escrita."
        value={answeredBy}
        onChange={setAnsweredBy}
      />
      <TextField label="Onde está a resposta" value={keptAt} onChange={setKeptAt} />
      <TextField label="Vista em" type="date" value={seen} onChange={setSeen} required />
    </>
  );
  return { sent, isComplete, fields };
}

function NewRate({ rate, onClose, onDone }: DialogProps & { readonly rate: Rate }) {
  const evidence = useEvidence();
  const [value, setValue] = useState('');
  const [from, setFrom] = useState<string>(addDays(today(), 1));
  const [date, setDate] = useState('');
  const [source, setSource] = useState(rate.source);
  const [confirmed, setConfirmed] = useState('');
  const params = { bank: rate.bank };
  const body: SentBody<'publish-bank-rate'> = {
    ...evidence.sent,
    segment: rate.segment,
    from,
    value: value.trim().replace(',', '.'),
    date: orNone(date.split('/').reverse().join('-')),
    source,
    confirmed: orNone(confirmed),
  };
  const isTyped = evidence.isComplete && value !== '' && from !== '' && source !== '';
  const look = useTyped(JSON.stringify(body), !isTyped, seconds(0.5), () =>
    preview('publish-bank-rate', { params, body }),
  );
  return (
    <ChangeDialog
      title={`Publicar taxa: ${nameOf(rate)}`}
      submit="Publicar"
      ready={look.found?.faults.length === 0}
      onClose={onClose}
      run={async (notes) => {
        await ask('publish-bank-rate', { params, body: { ...body, ...notes } });
        onDone();
      }}
    >
      <p>A taxa vale para todos os sistemas do segmento. Simulações já feitas não mudam.</p>
      <TextField
        label="Taxa"
        hint={`${isInUse(rate) ? 'Hoje' : `A partir de ${dayText(rate.used_from)}`} ${percent(rate.value)}.`}
        value={value}
        onChange={setValue}
        required
      />
      <TextField label="Em uso desde" type="date" value={from} onChange={setFrom} required />
      {evidence.fields}
      <TextField
        label="Publicada em"
        hint="Como 12/2026. Vazio: o dia em que foi vista."
        value={date}
        onChange={setDate}
      />
      <TextField label="Fonte" hint="O cliente a lê." value={source} onChange={setSource} required />
      <TextField
        label="Por que está certa"
        hint="Só se o serviço perguntar."
        value={confirmed}
        onChange={setConfirmed}
      />
      <FailedRead of={look} />
      {look.found && <Found found={look.found} />}
    </ChangeDialog>
  );
}

function Confirmation({ rate, onClose, onDone }: DialogProps & { readonly rate: Rate }) {
  const evidence = useEvidence();
  const params = { bank: rate.bank };
  const body: SentBody<'confirm-bank-rate'> = { ...evidence.sent, segment: rate.segment };
  const look = useTyped(JSON.stringify(body), !evidence.isComplete, seconds(0.5), () =>
    preview('confirm-bank-rate', { params, body }),
  );
  return (
    <ChangeDialog
      title={`Confirmar taxa: ${nameOf(rate)}`}
      submit="Confirmar"
      ready={look.found?.faults.length === 0}
      onClose={onClose}
      run={async (notes) => {
        await ask('confirm-bank-rate', { params, body: { ...body, ...notes } });
        onDone();
      }}
    >
      <p>
        O banco ainda mostra {percent(rate.value)}. Nada muda senão o dia em que a produção passa a recusar o banco.
      </p>
      {evidence.fields}
      <FailedRead of={look} />
      {look.found && <Found found={look.found} />}
    </ChangeDialog>
  );
}

/** Shows the effect of the change, or why the service would refuse the change. */
function Found({ found: { faults, after } }: { readonly found: Preview }) {
  if (faults.length > 0)
    return (
      <Notice tone="warn">
        <p>O serviço recusa a taxa:</p>
        <ul>
          {rateFaultFields(faults).map((fault) => (
            <li key={fault.reason}>{fieldFaultText(fault)}</li>
          ))}
        </ul>
      </Notice>
    );
  return (
    <Notice tone="calm">
      {after.map((row) => (
        <p key={`${row.systems} ${row.used_from}`}>
          {percent(row.value)} desde {dayText(row.used_from)}; recusada a partir de {dayText(row.refused_from)}
        </p>
      ))}
    </Notice>
  );
}

import { useState } from 'preact/hooks';
import type { ShownCall } from '#bin/manager/panel/calls-of-key.ts';
import { ROUTES } from '#shared/contract/routes.ts';
import { days, hours, type Milliseconds } from '#shared/domain/values/time.ts';
import { useAnswer } from '../answers.ts';
import { callsOfKey, transport } from '../api.ts';
import { dateTimeToTheSecond } from '../moments.ts';
import { Copy, FailedRead, Heading, Notice, Refresh } from '../parts/basics.tsx';
import { SelectField } from '../parts/fields.tsx';
import { Named } from '../parts/partner-picker.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { keyStartHref, type NamedKey } from '../router.ts';
import { ENVIRONMENT } from '../words.ts';

type Period = 'hour' | 'day' | 'week' | 'month' | 'year';
const PERIODS: readonly (readonly [period: Period, text: string])[] = [
  ['hour', 'Última hora'],
  ['day', 'Últimas 24 horas'],
  ['week', 'Últimos 7 dias'],
  ['month', 'Últimos 30 dias'],
  ['year', 'Último ano'],
];
const LENGTH: Readonly<Record<Period, Milliseconds>> = {
  hour: hours(1),
  day: days(1),
  week: days(7),
  month: days(30),
  year: days(365),
};

/** Returns method and path of an operation of the partners' API. Another operation's name stays as it is. */
function routeText(operation: ShownCall['operation']): string {
  const route = ROUTES.find((one) => one.operation === operation);
  return route ? `${route.method} ${route.path}` : `${operation ?? ''}`;
}

const COLUMNS: readonly Column<ShownCall>[] = [
  { title: 'Quando', cell: ({ at }) => <time dateTime={at}>{dateTimeToTheSecond(at)}</time> },
  { title: 'Chamada', cell: ({ operation }) => <code>{routeText(operation)}</code> },
  { title: 'Resposta', cell: ({ status }) => status ?? '', numeric: true },
  { title: 'Lead', cell: ({ lead }) => lead ?? '', numeric: true },
  { title: 'Simulação', cell: ({ simulation }) => simulation ?? '', numeric: true },
  { title: 'Análise', cell: ({ analysis }) => analysis ?? '', numeric: true },
];

/** The command that lists the calls of a key, also the addresses from which they came. */
function Command({ named: { start }, stage }: { readonly named: NamedKey; readonly stage: string }) {
  const where = stage === 'local' ? '--local' : `--stage ${stage}`;
  const text = `npm run manager -- keys calls --key ${start} --since 7d ${where}`;
  // A browser would break a line between the hyphens of an option.
  const words = text.split(' ').flatMap((word) => [<span key={word}>{word}</span>, ' ']);
  return (
    <p class="row">
      <code class="secret">{words}</code>
      <Copy text={text} what="comando" />
    </p>
  );
}

/** The calls that were made with a key, for a leak: which data they reached, without the data of people. */
export function KeyCalls({ named, stage }: { readonly named: NamedKey; readonly stage: string }) {
  return (
    <>
      <p class="back">
        <a href={keyStartHref(named)}>Chaves do parceiro</a>
      </p>
      {transport.readsLogs ? <Read named={named} stage={stage} /> : <Elsewhere named={named} stage={stage} />}
    </>
  );
}

const TITLE = 'Chamadas da chave';

const About = ({ named }: { readonly named: NamedKey }) => (
  <span class="row">
    <code class="long">{named.start}</code>
    <span>{ENVIRONMENT[named.environment]}</span>
  </span>
);

/** The hosted page cannot read the logs (bin/manager/DECISIONS.md, 2026-11-24), so it names the command. */
function Elsewhere({ named, stage }: { readonly named: NamedKey; readonly stage: string }) {
  return (
    <>
      <Heading title={TITLE} about={<About named={named} />} help="chamadas" />
      <Notice tone="calm">
        <p>Este endereço não lê o registro de chamadas: no terminal, a função segurança usa este comando.</p>
      </Notice>
      <Command named={named} stage={stage} />
    </>
  );
}

function Read({ named, stage }: { readonly named: NamedKey; readonly stage: string }) {
  const { partnerId, keyId } = named;
  const [period, setPeriod] = useState<Period>('day');
  const query = useAnswer(
    () =>
      callsOfKey({
        partner_id: partnerId,
        key_id: keyId,
        since: new Date(Date.now() - LENGTH[period]).toISOString(),
      }),
    [partnerId, keyId, period],
  );
  const { answer } = query;
  return (
    <>
      <Heading title={TITLE} about={<About named={named} />} help="chamadas">
        <Refresh of={query} />
      </Heading>
      <p>
        <Named partnerId={partnerId} />
      </p>
      <search>
        <div class="filters">
          <SelectField label="Período" value={period} onChange={setPeriod} options={PERIODS} />
        </div>
      </search>
      <FailedRead of={query} />
      {answer?.more && (
        <Notice tone="warn">
          <p>São as {answer.calls.length} mais novas. Escolha um período menor, ou liste todas no terminal.</p>
        </Notice>
      )}
      {answer && (
        <>
          <Table
            caption={TITLE}
            columns={COLUMNS}
            rows={answer.calls.map((call, index) => ({ ...call, index }))}
            keyOf={(row) => row.index}
            empty="Nenhuma chamada com esta chave neste período."
          />
          <p class="soft">
            O registro atrasa alguns minutos e guarda um ano. No terminal, este comando mostra também os endereços de
            quem chamou.
          </p>
          <Command named={named} stage={stage} />
        </>
      )}
    </>
  );
}

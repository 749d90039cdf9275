import { useState } from 'preact/hooks';
import type { AnswerOf } from '#shared/administration/operations.ts';
import { type NamedStart, NEEDED, startsLikeThis } from '#shared/domain/partners/key-start.ts';
import { isInUse } from '#shared/domain/partners/partner.ts';
import { dayInSaoPaulo } from '#shared/domain/values/clock.ts';
import { useAnswer } from '../answers.ts';
import type { PartnerDetails, PartProps } from '../api.ts';
import { ask } from '../api.ts';
import { dayText } from '../moments.ts';
import { Badge, Button, FailedRead, Notice, PartHeading, Refresh, ShownOnce, type Tone } from '../parts/basics.tsx';
import { ChangeDialog, type DialogProps, useToken } from '../parts/change-dialog.tsx';
import { Check, IdField, optionsOf, SelectField, TextField, unitOptions } from '../parts/fields.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { keyCallsHref, partnerHref } from '../router.ts';
import { ENVIRONMENT, type Environment, KEY_STATE, SCOPE } from '../words.ts';

type Key = AnswerOf<'list-keys'>['keys'][number];
type Scope = Key['scopes'][number];

const TONES: Readonly<Record<Key['state'], Tone>> = { live: 'good', revoked: 'calm', never_live: 'warn' };
const LARGEST_AUTH_ITEM = 4096;
const scopesText = (scopes: readonly Scope[]) =>
  scopes.length === 0 ? 'Todos' : scopes.map((scope) => SCOPE[scope]).join(', ');

export function Keys({ partner, onChanged, keyStart }: PartProps) {
  const { partner_id: partnerId, units } = partner;
  const query = useAnswer(() => ask('list-keys', { query: { partner_id: String(partnerId) } }), [partnerId]);
  const { answer, reload } = query;
  const [open, setOpen] = useState<{ what: 'new' } | { what: 'rotate' | 'revoke'; key: Key }>();
  const [issued, setIssued] = useState<{ text: string; what: string }>();
  const close = () => setOpen(undefined);
  const done = (fresh?: { text: string; what: string }) => {
    close();
    if (fresh) setIssued(fresh);
    reload();
    onChanged();
  };
  const unitOf = (unitId: number) => units.find(({ unit_id }) => unit_id === unitId)?.name ?? unitId;
  const columns: readonly Column<Key>[] = [
    {
      title: 'Chave',
      cell: (row) => (
        <>
          <code>{row.prefix}</code>
          <br />
          <small class="soft">
            nº {row.key_id}, termina em {row.last_four}
          </small>
        </>
      ),
    },
    { title: 'Ambiente', cell: (row) => ENVIRONMENT[row.environment] },
    { title: 'Unidade', cell: (row) => unitOf(row.unit_id) },
    { title: 'Escopos', cell: (row) => scopesText(row.scopes) },
    { title: 'Consultor', cell: (row) => row.consultant_id },
    {
      title: 'Situação',
      cell: (row) => (
        <>
          <Badge tone={TONES[row.state]}>{KEY_STATE[row.state]}</Badge>
          {row.revoked_at && (
            <small class="soft">
              {' '}
              em <OnlyDay at={row.revoked_at} />
            </small>
          )}
        </>
      ),
    },
    { title: 'Criada em', cell: (row) => <OnlyDay at={row.created_at} /> },
    {
      title: 'Último uso',
      cell: (row) => (
        <>
          {row.last_used_on ? dayText(row.last_used_on) : '—'}
          <br />
          <a href={keyCallsHref({ partnerId: row.partner_id, start: row.prefix })}>
            Chamadas<span class="unseen"> da chave {row.key_id}</span>
          </a>
        </>
      ),
    },
    {
      title: 'Ações',
      cell: (row) =>
        row.state === 'live' && (
          <span class="row">
            <Button kind="quiet" onClick={() => setOpen({ what: 'rotate', key: row })} label={`Trocar ${row.key_id}`}>
              Trocar
            </Button>
            <Button kind="quiet" onClick={() => setOpen({ what: 'revoke', key: row })} label={`Revogar ${row.key_id}`}>
              Revogar
            </Button>
          </span>
        ),
    },
  ];
  const crowded = partner.keys.auth_item_bytes > LARGEST_AUTH_ITEM * 0.8;
  return (
    <>
      <PartHeading
        title="Chaves"
        about="Uma chave abre os dados de uma unidade em um ambiente. Troca e revogação valem na hora."
      >
        <Refresh of={query} />
        {units.length > 0 && (
          <Button kind="primary" onClick={() => setOpen({ what: 'new' })}>
            Nova chave
          </Button>
        )}
      </PartHeading>
      {units.length === 0 && (
        <Notice tone="warn">
          Uma chave pertence a uma unidade: <a href={partnerHref(partnerId, 'unidades')}>crie primeiro uma unidade</a>.
        </Notice>
      )}
      {crowded && (
        <Notice tone="warn">
          O registro das chaves ocupa {partner.keys.auth_item_bytes} de {LARGEST_AUTH_ITEM} bytes: revogue as que não
          são usadas.
        </Notice>
      )}
      {issued && <ShownOnce text={issued.text} what={issued.what} onDone={() => setIssued(undefined)} />}
      {keyStart && <OnlyThese start={keyStart} />}
      <FailedRead of={query} />
      {answer && (
        <Table
          caption="Chaves"
          columns={columns}
          rows={answer.keys.filter((key) => isShown(key, keyStart)).toReversed()}
          keyOf={(row) => row.key_id}
          empty={keyStart ? 'Nenhuma chave deste parceiro começa assim.' : 'Ainda não há chaves.'}
        />
      )}
      {open?.what === 'new' && <NewKey partner={partner} onClose={close} onDone={done} />}
      {open?.what === 'rotate' && <Rotation row={open.key} onClose={close} onDone={done} />}
      {open?.what === 'revoke' && (
        <ChangeDialog
          title={`Revogar a chave ${open.key.prefix}…${open.key.last_four}`}
          submit="Revogar a chave"
          danger
          repeat={{ what: 'o número da chave', text: open.key.key_id }}
          onClose={close}
          run={async (because) => {
            const params = { key_id: open.key.key_id };
            await ask('revoke-key', { params, body: { partner_id: partnerId, ...because } });
            done();
          }}
        >
          <p>
            Quem usa esta chave recebe erro 401 a partir da próxima chamada. <strong>Não há como desfazer.</strong>
          </p>
          <InUse of={open.key} />
        </ChangeDialog>
      )}
    </>
  );
}

const isShown = ({ environment, key_id: keyId }: Key, start: NamedStart | undefined) =>
  start === undefined || startsLikeThis(start, { environment, keyId });

function OnlyThese({ start: { start, environment, partnerId } }: { readonly start: NamedStart }) {
  const { key } = NEEDED[environment];
  return (
    <Notice tone="calm">
      <p>
        Só chaves que começam com <code>{start}</code>. <a href={partnerHref(partnerId, 'chaves')}>Ver todas</a>
      </p>
      {start.length < key && (
        <p>
          {start.length} caracteres dizem só o parceiro; {key} dizem a chave.
        </p>
      )}
    </Notice>
  );
}

/** The day of a moment in São Paulo, like the day of the last call. The audit has the time. */
const OnlyDay = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={at}>
    {dayText(dayInSaoPaulo(Date.parse(at)))}
  </time>
);

function InUse({ of: { last_used_on: day } }: { readonly of: Key }) {
  if (day === null || !isInUse(day, Date.now())) return null;
  return <Notice tone="warn">Esta chave está em uso: a última chamada foi em {dayText(day)}.</Notice>;
}

type Dialog = DialogProps<[issued?: { text: string; what: string }]>;

function NewKey({ partner, onClose, onDone }: Dialog & { readonly partner: PartnerDetails }) {
  const token = useToken();
  const [unit, setUnit] = useState(String(partner.units[0]?.unit_id ?? ''));
  const [environment, setEnvironment] = useState<Environment>('sandbox');
  const [scopes, setScopes] = useState<Scope[]>([]);
  const [consultant, setConsultant] = useState('');
  const [consultantId, setConsultantId] = useState('');
  const named = consultant.trim() !== '';
  return (
    <ChangeDialog
      title="Nova chave"
      submit="Criar chave"
      onClose={onClose}
      run={async (because) => {
        const { text } = await ask('create-key', {
          body: {
            partner_id: partner.partner_id,
            unit_id: Number(unit),
            environment,
            scopes,
            token,
            consultant: named ? { name: consultant, id: consultantId ? Number(consultantId) : undefined } : undefined,
            ...because,
          },
        });
        onDone({ text, what: `Chave de ${ENVIRONMENT[environment].toLowerCase()}` });
      }}
    >
      <SelectField label="Unidade" value={unit} onChange={setUnit} options={unitOptions(partner.units)} />
      <SelectField
        label="Ambiente"
        value={environment}
        onChange={setEnvironment}
        options={optionsOf(ENVIRONMENT)}
        hint={environment === 'producao' && !partner.validated_at && 'O parceiro ainda não foi validado para produção.'}
      />
      <fieldset>
        <legend>Escopos</legend>
        {optionsOf(SCOPE).map(([scope, text]) => (
          <Check
            key={scope}
            label={text}
            checked={scopes.includes(scope)}
            onChange={(on) => setScopes(on ? scopes.concat(scope) : scopes.filter((one) => one !== scope))}
          />
        ))}
        <small>Nenhum marcado: a chave pode tudo.</small>
      </fieldset>
      <TextField
        label="Consultor (opcional)"
        hint="Nome de quem usa a chave, se ela é de uma pessoa."
        value={consultant}
        onChange={setConsultant}
      />
      {named && (
        <IdField
          label="Número do consultor (opcional)"
          hint="O do cadastro do parceiro; vazio, o serviço dá um."
          value={consultantId}
          onChange={setConsultantId}
        />
      )}
    </ChangeDialog>
  );
}

function Rotation({ row, onClose, onDone }: Dialog & { readonly row: Key }) {
  const token = useToken();
  return (
    <ChangeDialog
      title={`Trocar a chave ${row.prefix}…${row.last_four}`}
      submit="Trocar a chave"
      danger
      repeat={{ what: 'o número da chave', text: row.key_id }}
      onClose={onClose}
      run={async (because) => {
        const { text } = await ask('rotate-key', {
          params: { key_id: row.key_id },
          body: { partner_id: row.partner_id, token, ...because },
        });
        onDone({ text, what: 'Chave nova' });
      }}
    >
      <p>
        A chave antiga deixa de abrir <strong>na hora</strong>; a nova tem a mesma unidade, escopos e consultor. Combine
        antes com o parceiro.
      </p>
      <InUse of={row} />
    </ChangeDialog>
  );
}

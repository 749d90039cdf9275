import { useState } from 'preact/hooks';
import { ask, type PartProps } from '../api.ts';
import { Address, Badge, Button, Facts, Moment } from '../parts/basics.tsx';
import { ChangeDialog, type DialogProps } from '../parts/change-dialog.tsx';
import { optionsOf, SelectField, TextField } from '../parts/fields.tsx';
import { partnerHref } from '../router.ts';
import { ENVIRONMENT, type Environment } from '../words.ts';

export function Summary({ partner, onChanged }: PartProps) {
  const { partner_id: partnerId, webhooks, rates, units, keys } = partner;
  const [limiting, setLimiting] = useState(false);
  const [naming, setNaming] = useState(false);
  const href = (tab: Parameters<typeof partnerHref>[1]) => partnerHref(partnerId, tab);
  return (
    <div class="cards">
      <section class="card">
        <h2>Produção</h2>
        {partner.validated_at ? (
          <p>
            Validado em <Moment at={partner.validated_at} />.
          </p>
        ) : (
          <p>Ainda não validado: o parceiro usa só o sandbox.</p>
        )}
        <p>
          <a href={href('validacao')}>Ver a validação</a>
        </p>
      </section>
      <section class="card">
        <h2>Unidades e chaves</h2>
        <Facts
          rows={[
            ['Unidades', units.length],
            ['Chaves ativas', keys.live],
            ['Chaves revogadas', keys.revoked],
          ]}
        />
        <p>
          <a href={href('unidades')}>Ver unidades</a> · <a href={href('chaves')}>Ver chaves</a>
        </p>
      </section>
      <section class="card">
        <h2>Webhook</h2>
        {optionsOf(ENVIRONMENT).map(([environment, name]) => {
          const webhook = webhooks.find((set) => set.environment === environment);
          if (!webhook) return <p key={environment}>{name}: sem endereço, os eventos não são enviados.</p>;
          return (
            <div key={environment}>
              {name}: {webhook.enabled ? <Badge tone="good">Ligado</Badge> : <Badge tone="bad">Desligado</Badge>}{' '}
              <Address url={webhook.url} />
            </div>
          );
        })}
        <p>
          <a href={href('webhook')}>Ver o webhook</a> · <a href={href('entregas')}>Ver entregas</a>
        </p>
      </section>
      <section class="card">
        <h2>Limite de chamadas</h2>
        <Facts
          rows={[
            ['Sandbox', `${rates.sandbox} por minuto`],
            ['Produção', `${rates.producao} por minuto`],
          ]}
        />
        <p>
          <Button onClick={() => setLimiting(true)}>Alterar limite</Button>
        </p>
      </section>
      <section class="card">
        <h2>Incidentes de segurança</h2>
        {partner.incident_contact === null ? (
          <p>
            <Badge tone="warn">Sem contato</Badge> Ninguém do parceiro seria avisado.
          </p>
        ) : (
          <p class="long">Avisar: {partner.incident_contact}</p>
        )}
        <p>
          <Button onClick={() => setNaming(true)}>Alterar contato</Button>
        </p>
      </section>
      {naming && (
        <IncidentContact
          partner={partner}
          onClose={() => setNaming(false)}
          onDone={() => {
            setNaming(false);
            onChanged();
          }}
        />
      )}
      {limiting && (
        <Limit
          partner={partner}
          onClose={() => setLimiting(false)}
          onDone={() => {
            setLimiting(false);
            onChanged();
          }}
        />
      )}
    </div>
  );
}

function IncidentContact({ partner, onClose, onDone }: Pick<PartProps, 'partner'> & DialogProps) {
  const { partner_id } = partner;
  const known = partner.incident_contact ?? '';
  const [contact, setContact] = useState(known);
  return (
    <ChangeDialog
      title="Alterar o contato para incidentes"
      submit="Salvar"
      onClose={onClose}
      run={async (notes) => {
        await ask('set-incident-contact', {
          params: { partner_id },
          body: { contact: contact.trim(), replaces: known, ...notes },
        });
        onDone();
      }}
    >
      <p>Quem avisamos no parceiro se um incidente de segurança atingir os dados dos clientes dele.</p>
      <TextField
        label="Contato"
        hint="E-mail e telefone que alguém atende a qualquer hora. Vazio, ninguém é avisado."
        value={contact}
        onChange={setContact}
      />
    </ChangeDialog>
  );
}

function Limit({ partner, onClose, onDone }: Pick<PartProps, 'partner'> & DialogProps) {
  const { partner_id, rates } = partner;
  const [environment, setEnvironment] = useState<Environment>('sandbox');
  const [limit, setLimit] = useState('');
  return (
    <ChangeDialog
      title="Alterar o limite de chamadas"
      submit="Alterar limite"
      onClose={onClose}
      run={async (notes) => {
        await ask('set-rate', {
          params: { partner_id },
          body: {
            environment,
            limit: limit.trim() === '' ? null : Number(limit),
            replaces: rates[environment],
            ...notes,
          },
        });
        onDone();
      }}
    >
      <p>Vale a partir da próxima chamada do parceiro, no lugar de {rates[environment]} por minuto.</p>
      <SelectField label="Ambiente" value={environment} onChange={setEnvironment} options={optionsOf(ENVIRONMENT)} />
      <TextField
        label="Chamadas por minuto"
        hint="De 1 a 60000. Vazio volta ao limite usual."
        value={limit}
        onChange={setLimit}
        digits
        pattern="[1-9][0-9]{0,4}"
        wrong="Um número de 1 a 60000"
      />
    </ChangeDialog>
  );
}

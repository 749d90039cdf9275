import { useState } from 'preact/hooks';
import type { AnswerOf } from '#shared/administration/operations.ts';
import { days } from '#shared/domain/values/time.ts';
import { DELIVERY_KEPT } from '#shared/domain/webhooks/delivery.ts';
import { useAnswer } from '../answers.ts';
import { ask, type PartProps, runPages } from '../api.ts';
import {
  Address,
  Badge,
  Button,
  Facts,
  FailedRead,
  Long,
  Moment,
  Notice,
  PartHeading,
  Progress,
  Refresh,
  ShownOnce,
} from '../parts/basics.tsx';
import { ChangeDialog, type DialogProps } from '../parts/change-dialog.tsx';
import { optionsOf } from '../parts/fields.tsx';
import {
  DISABLED_BECAUSE,
  ENVIRONMENT,
  type Environment,
  FAILURE_CLASS,
  keptEventsText,
  keptText,
  releasedEventsText,
} from '../words.ts';
import { Overlap, SecretRotation } from './secret.tsx';
import { WebhookAddress } from './webhook-address.tsx';

type View = AnswerOf<'show-webhook'>['webhooks'][number];
type Ping = AnswerOf<'ping-webhook'>;

interface FreshSecret {
  readonly environment: Environment;
  readonly secret: string;
}

export function Webhook({ partner, onChanged }: PartProps) {
  const { partner_id: partnerId } = partner;
  const query = useAnswer(() => ask('show-webhook', { params: { partner_id: partnerId } }), [partnerId]);
  const { answer, reload } = query;
  const [fresh, setFresh] = useState<readonly FreshSecret[]>([]);
  const [first] = fresh;
  const show = (environment: Environment, secret: string | null) => {
    if (secret) setFresh((others) => others.concat({ environment, secret }));
  };
  const done = () => {
    reload();
    onChanged();
  };
  const environments = optionsOf(ENVIRONMENT);
  const webhookOf = (wanted: Environment) => answer?.webhooks.find(({ environment }) => environment === wanted);
  const without = environments.map(([environment]) => environment).filter((environment) => !webhookOf(environment));
  return (
    <>
      <FailedRead of={query} />
      {first && (
        <ShownOnce
          key={first.environment}
          text={first.secret}
          what={`Segredo do webhook: ${ENVIRONMENT[first.environment]}`}
          onDone={() => setFresh(([, ...others]) => others)}
        />
      )}
      {answer &&
        environments.map(([environment, name]) => {
          const view = webhookOf(environment);
          return (
            <section key={environment} aria-label={`Webhook: ${name}`}>
              {view ? (
                <Existing
                  view={view}
                  query={{ ...query, reload: done }}
                  onDone={(secret) => {
                    show(environment, secret ?? null);
                    done();
                  }}
                />
              ) : (
                <div class="card">
                  <h2>{name}</h2>
                  <p>Sem endereço, os eventos deste ambiente não são enviados.</p>
                </div>
              )}
            </section>
          );
        })}
      {answer && (
        <section class="card">
          <h2>Definir endereço</h2>
          <p>
            Sandbox e produção têm cada um seu endereço e seu segredo. Peça ao parceiro o endereço que recebe os
            eventos; pode ser o mesmo nos dois.
          </p>
          <WebhookAddress partner={partner} usual={without} onSet={show} onDone={done} />
        </section>
      )}
    </>
  );
}

interface ExistingProps {
  readonly view: View;
  readonly query: Parameters<typeof Refresh>[0]['of'];
  readonly onDone: (secret?: string | null) => void;
}

function Existing({ view, query, onDone }: ExistingProps) {
  const [open, setOpen] = useState<'ping' | 'rotate' | 'enable' | 'disable'>();
  const [ping, setPing] = useState<Ping>();
  const params = { partner_id: view.partner_id, environment: view.environment };
  const name = ENVIRONMENT[view.environment];
  const close = () => setOpen(undefined);
  const done = (secret?: string | null) => {
    close();
    onDone(secret);
  };
  return (
    <div class="cards">
      <section class="card wide">
        <PartHeading
          title={
            <>
              {name} {view.enabled ? <Badge tone="good">Ligado</Badge> : <Badge tone="bad">Desligado</Badge>}
            </>
          }
        >
          <Refresh of={query} />
          <Button onClick={() => setOpen('ping')}>Enviar teste</Button>
          {view.enabled ? (
            <Button kind="danger" onClick={() => setOpen('disable')}>
              Desligar
            </Button>
          ) : (
            <Button kind="primary" onClick={() => setOpen('enable')}>
              Ligar
            </Button>
          )}
        </PartHeading>
        <WhyOff view={view} />
        {ping && <PingResult ping={ping} />}
        <Facts
          rows={[
            ['Os eventos vão para', <Address key="url" url={view.url} />],
            ['Falhas seguidas', view.failures],
            ['Falhando desde', <Moment key="since" at={view.failing_since} far />],
            ['Eventos guardados', keptText(view.suspended)],
          ]}
        />
      </section>
      <section class="card">
        <h2>{name}: segredo</h2>
        {!view.secret_opens && (
          <Notice tone="bad">
            O segredo não pode ser lido, e nada é enviado. Troque-o sem prazo para fazer um novo e entregue-o ao
            parceiro.
          </Notice>
        )}
        <Overlap until={view.previous_until} />
        <Button onClick={() => setOpen('rotate')}>Trocar o segredo</Button>
      </section>
      {open === 'ping' && (
        <ChangeDialog
          title={`Enviar evento de teste: ${name}`}
          submit="Enviar teste"
          onClose={close}
          run={async (because) => {
            setPing(await ask('ping-webhook', { params, body: because }));
            done();
          }}
        >
          <p>
            Um evento <code>webhook.teste</code> assinado vai agora ao endereço, mesmo com o webhook desligado. O
            parceiro responde 2xx e o descarta.
          </p>
        </ChangeDialog>
      )}
      {open === 'rotate' && <SecretRotation view={view} onClose={close} onDone={done} />}
      {open === 'enable' && <EnableDialog view={view} onClose={close} onDone={done} />}
      {open === 'disable' && (
        <ChangeDialog
          title={`Desligar o webhook: ${name}`}
          submit="Desligar"
          danger
          repeat={{ what: 'o número do parceiro', text: String(view.partner_id) }}
          onClose={close}
          run={async (because) => {
            await ask('disable-webhook', { params, body: because });
            done();
          }}
        >
          <p>
            O parceiro deixa de receber os eventos deste ambiente. Eles ficam guardados, por até{' '}
            {DELIVERY_KEPT / days(1)} dias, até que o webhook seja ligado.
          </p>
        </ChangeDialog>
      )}
    </div>
  );
}

function WhyOff({ view }: { readonly view: View }) {
  if (view.enabled) return null;
  const why = view.disabled_because ? DISABLED_BECAUSE[view.disabled_because] : 'Está desligado.';
  return (
    <Notice tone="warn">
      <p>{why}</p>
      <p>
        {view.suspended === 0 ? 'Eventos novos ficam guardados até que seja ligado.' : keptEventsText(view.suspended)}
      </p>
    </Notice>
  );
}

function PingResult({ ping }: { readonly ping: Ping }) {
  const { delivered, status, failure, milliseconds, detail } = ping;
  const answered = status === null ? '' : ` (HTTP ${status})`;
  return (
    <Notice tone={delivered ? 'good' : 'bad'}>
      <p>
        {delivered
          ? `O teste chegou${answered} em ${Math.round(milliseconds)} ms.`
          : `O teste falhou${answered}: ${failure ? FAILURE_CLASS[failure] : 'sem resposta'}.`}
      </p>
      {!delivered && detail && <Long text={detail} />}
    </Notice>
  );
}

function EnableDialog({ view, onClose, onDone }: DialogProps & { readonly view: View }) {
  const [progress, setProgress] = useState<{ done: number; total: number | null }>();
  return (
    <ChangeDialog
      title={`Ligar o webhook: ${ENVIRONMENT[view.environment]}`}
      submit="Ligar"
      onClose={onClose}
      run={async (because) => {
        let released = 0;
        await runPages(
          (cursor) =>
            ask('enable-webhook', {
              params: { partner_id: view.partner_id, environment: view.environment },
              body: { cursor, ...because },
            }),
          (page) => {
            released += page.released;
            setProgress({ done: released, total: page.total });
          },
        );
        onDone();
      }}
    >
      <p>{releasedEventsText(view.suspended)} Confirme antes, com um teste, que o endereço responde.</p>
      {progress && <Progress label="Eventos enviados" {...progress} />}
    </ChangeDialog>
  );
}

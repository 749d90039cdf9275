import { useRef, useState } from 'preact/hooks';
import type { PreviewOf } from '#shared/administration/operations.ts';
import type { Milliseconds } from '#shared/domain/values/time.ts';
import { useTyped } from '../answers.ts';
import { ask, type Because, CallError, type PartProps, preview } from '../api.ts';
import { Button, FailedRead, Notice } from '../parts/basics.tsx';
import { FieldFacts } from '../parts/call-fields.tsx';
import { ChangeDialog, useToken } from '../parts/change-dialog.tsx';
import { Check, optionsOf, TextField } from '../parts/fields.tsx';
import { ENVIRONMENT, type Environment, movedEventsText } from '../words.ts';

type Vetted = PreviewOf<'set-webhook'>;

/** A text that does not match cannot be an address, so the service is not asked to vet it. */
const MAY_BE = /^https?:\/\/.{3}/;
/** Refusals that say that the preview is out of date: events began to wait, or another person set the address. */
const OUT_OF_DATE: ReadonlySet<string> = new Set(['confirmation_missing', 'changed_meanwhile']);
const QUIET: Milliseconds = 400;

interface WebhookAddressProps extends Pick<PartProps, 'partner'> {
  readonly usual: readonly Environment[];
  /** Called for each environment whose address was set, with its new secret if it is the first address. */
  readonly onSet: (environment: Environment, secret: string | null) => void;
  readonly onDone: () => void;
}

/** The service vets the address while the person types. */
export function WebhookAddress({ partner, usual, onSet, onDone }: WebhookAddressProps) {
  const { partner_id: partnerId } = partner;
  const [url, setUrl] = useState('');
  const [chosen, setChosen] = useState(usual);
  const token = useToken();
  // Undefined if no dialog is open.
  const [setting, setSetting] = useState<readonly Vetted[]>();
  // Address and environments that the person submitted before the service had vetted the address.
  const entered = useRef<string | undefined>(undefined);
  // Environments that this dialog has set. If the next environment fails, a second try leaves them out.
  const set = useRef<Environment[]>([]);
  const wanted = url.trim();
  const asked = `${wanted} ${chosen.join(' ')}`;
  const tooLittle = !MAY_BE.test(wanted) || chosen.length === 0;
  /** Returns what the change would do now in each ticked environment that this dialog has not set. */
  const vet = () =>
    Promise.all(
      chosen
        .filter((environment) => !set.current.includes(environment))
        .map((environment) =>
          preview('set-webhook', { params: { partner_id: partnerId, environment }, body: { url: wanted } }),
        ),
    );
  const vetting = useTyped(asked, tooLittle, QUIET, async (current) => {
    const vetted = await vet();
    if (current() && vetted.every(({ accepted }) => accepted) && entered.current === asked) setSetting(vetted);
    if (current()) entered.current = undefined;
    return vetted;
  });
  const { found, error } = vetting;
  const waiting = setting?.some((vetted) => vetted.waiting > 0) ?? false;
  const submit = (event: Event) => {
    event.preventDefault();
    if (found?.every((vetted) => vetted.accepted)) setSetting(found);
    else if (!found) entered.current = asked;
  };
  const close = () => {
    setChosen(chosen.filter((environment) => !set.current.includes(environment)));
    set.current = [];
    setSetting(undefined);
    // The preview may be out of date: another person may have set an address, and events may wait for it.
    vetting.reload();
  };
  const setAddresses = async (vetted: readonly Vetted[], because: Because) => {
    for (const { environment, current_url: replaces } of vetted) {
      if (set.current.includes(environment)) continue;
      const params = { partner_id: partnerId, environment };
      const { secret } = await ask('set-webhook', { params, body: { url: wanted, replaces, token, ...because } });
      set.current.push(environment);
      onSet(environment, secret);
    }
  };
  return (
    <>
      <form class="address" onSubmit={submit}>
        <TextField
          label="Endereço que recebe os eventos"
          type="url"
          placeholder="https://hooks.parceiro.com.br/eventos"
          hint={!error && <Verdict typed={wanted} chosen={chosen} found={found} />}
          value={url}
          onChange={setUrl}
          required
        />
        {optionsOf(ENVIRONMENT).map(([environment, name]) => (
          <Check
            key={environment}
            label={name}
            checked={chosen.includes(environment)}
            onChange={(checked) => setChosen(withTick(chosen, environment, checked))}
          />
        ))}
        <FailedRead of={vetting} />
        <Button submits kind="primary">
          Definir endereço
        </Button>
      </form>
      {setting && (
        <ChangeDialog
          title="Definir o endereço do webhook"
          submit="Definir endereço"
          danger={waiting}
          repeat={waiting ? { what: 'o número do parceiro', text: String(partnerId) } : undefined}
          onClose={close}
          run={async (because) => {
            try {
              await setAddresses(setting, because);
            } catch (thrown) {
              // The dialog shows what has changed, and asks for the confirmation that the change needs by now.
              if (thrown instanceof CallError && OUT_OF_DATE.has(thrown.code)) setSetting(await vet());
              throw thrown;
            }
            close();
            setUrl('');
            onDone();
          }}
        >
          {setting.map((vetted) => (
            <Effect key={vetted.environment} partner={partner} wanted={wanted} vetted={vetted} />
          ))}
        </ChangeDialog>
      )}
    </>
  );
}

function withTick(chosen: readonly Environment[], environment: Environment, checked: boolean): readonly Environment[] {
  const known = optionsOf(ENVIRONMENT).map(([name]) => name);
  return known.filter((name) => (name === environment ? checked : chosen.includes(name)));
}

interface EffectProps extends Pick<WebhookAddressProps, 'partner'> {
  readonly wanted: string;
  readonly vetted: Vetted;
}

/** Shows how the new address changes one environment, as another person sees the change in a request for approval. */
function Effect({ partner: { partner_id, name }, wanted, vetted }: EffectProps) {
  const { environment, current_url: replaces, waiting } = vetted;
  return (
    <>
      <FieldFacts
        fields={[
          { field: 'partner_id', value: partner_id, name, replaces: null },
          { field: 'environment', value: environment, name: null, replaces: null },
          { field: 'url', value: wanted, name: null, replaces },
        ]}
      />
      {replaces === null && <p>O serviço cria o segredo que assina os eventos e o mostra uma única vez.</p>}
      {waiting > 0 && <Notice tone="warn">{movedEventsText(waiting)}</Notice>}
    </>
  );
}

interface VerdictProps {
  readonly typed: string;
  readonly chosen: readonly Environment[];
  readonly found: readonly Vetted[] | undefined;
}

function Verdict({ typed, chosen, found }: VerdictProps) {
  if (chosen.length === 0) return <>Escolha ao menos um ambiente.</>;
  if (!MAY_BE.test(typed)) return <>Começa com https://; porta 443 ou 8443, um nome público.</>;
  if (!found) return <>Verificando…</>;
  const refused = found.find(({ accepted }) => !accepted);
  if (!refused) return <span class="good">Aceito: o endereço é público e seguro.</span>;
  return <span class="bad">Não é aceito: {refused.refusal}</span>;
}

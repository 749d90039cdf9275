import { type ComponentChildren, render } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { calls, onFailedChange, readApprovals, transport, waiting } from './api.ts';
import { userShown } from './audit-words.ts';
import { Button } from './parts/basics.tsx';
import { type Place, placeOf } from './router.ts';
import { Analyses } from './screens/analyses.tsx';
import { Approvals } from './screens/approvals.tsx';
import { AuditScreen } from './screens/audit.tsx';
import { BankRates } from './screens/bank-rates.tsx';
import { DeliveriesScreen } from './screens/deliveries.tsx';
import { DeliveryScreen } from './screens/delivery.tsx';
import { FailingWebhooks } from './screens/failing-webhooks.tsx';
import { KeyCalls } from './screens/key-calls.tsx';
import { Partner } from './screens/partner.tsx';
import { Partners } from './screens/partners.tsx';
import { People } from './screens/people.tsx';
import { SignInError, type SignInPlan, signIn } from './sign-in.ts';

/** help.md as HTML, inserted when the page is bundled. */
declare const HELP_HTML: string;

function Help({ section }: { readonly section: string | undefined }) {
  const article = useRef<HTMLElement>(null);
  useEffect(() => {
    if (article.current) article.current.innerHTML = HELP_HTML;
  }, []);
  useEffect(() => {
    const target = section ? document.getElementById(section) : article.current?.querySelector<HTMLElement>('h1');
    if (section) target?.scrollIntoView();
    else scrollTo(0, 0);
    target?.focus({ preventScroll: true });
  }, [section]);
  return <article ref={article} class="help" />;
}

const APPROVALS = '#/aprovacoes';

const SCREENS: readonly {
  readonly href: string;
  readonly text: string;
  readonly screens: readonly Place['screen'][];
}[] = [
  { href: '#/parceiros', text: 'Parceiros', screens: ['partners', 'partner', 'key-calls'] },
  { href: '#/entregas', text: 'Entregas', screens: ['deliveries', 'delivery'] },
  { href: '#/webhooks-com-falha', text: 'Webhooks com falha', screens: ['failing-webhooks'] },
  { href: '#/pessoas', text: 'Pessoas (LGPD)', screens: ['people'] },
  { href: '#/analises', text: 'Análises em espera', screens: ['analyses'] },
  { href: '#/taxas', text: 'Taxas dos bancos', screens: ['bank-rates'] },
  { href: APPROVALS, text: 'Aprovações', screens: ['approvals'] },
  { href: '#/auditoria', text: 'Auditoria', screens: ['audit'] },
  { href: '#/ajuda', text: 'Ajuda', screens: ['help'] },
];

function Count({ waiting: count }: { readonly waiting: number }) {
  if (count === 0) return null;
  return (
    <>
      {' '}
      <span class="count">
        {count}
        <span class="unseen"> {count === 1 ? 'espera por você' : 'esperam por você'}</span>
      </span>
    </>
  );
}

function Screen({ place, stage }: { readonly place: Place; readonly stage: string }): ComponentChildren {
  switch (place.screen) {
    case 'partners':
      return <Partners />;
    case 'partner':
      return <Partner key={place.partnerId} partnerId={place.partnerId} tab={place.tab} keyStart={place.keyStart} />;
    case 'key-calls':
      return <KeyCalls key={place.named.start} named={place.named} stage={stage} />;
    case 'deliveries':
      return <DeliveriesScreen />;
    case 'delivery':
      return <DeliveryScreen key={place.eventId} eventId={place.eventId} />;
    case 'failing-webhooks':
      return <FailingWebhooks />;
    case 'people':
      return <People person={place.person} />;
    case 'analyses':
      return <Analyses />;
    case 'bank-rates':
      return <BankRates />;
    case 'approvals':
      return <Approvals />;
    case 'audit':
      return <AuditScreen />;
    case 'help':
      return <Help section={place.section} />;
    case 'nowhere':
      return (
        <>
          <h1 tabIndex={-1}>Página não encontrada</h1>
          <p>
            Este endereço não leva a lugar nenhum. <a href="#/parceiros">Ver os parceiros</a>
          </p>
        </>
      );
  }
}

/**
 * Reads the count when the person opens a screen or comes back to the page, and after a change that failed or asked for
 * an approval.
 */
function useWaiting(place: Place): number {
  const [count, setCount] = useState(waiting.approvals);
  useEffect(() => {
    waiting.changed = () => setCount(waiting.approvals);
  }, []);
  useEffect(() => {
    // The screen of approvals reads the approvals itself. A count that cannot be read stays as it was.
    const read = () => {
      if (place.screen !== 'approvals' && !document.hidden) readApprovals().catch(() => undefined);
    };
    read();
    document.addEventListener('visibilitychange', read);
    onFailedChange.add(read);
    return () => {
      document.removeEventListener('visibilitychange', read);
      onFailedChange.delete(read);
    };
  }, [place]);
  return count;
}

interface PanelAbout {
  readonly stage: string;
  readonly caller: string;
}

function Panel({ about, leave }: { readonly about: PanelAbout; readonly leave: () => void }) {
  const [place, setPlace] = useState(() => placeOf(location.hash));
  const [open, setOpen] = useState(false);
  const shown = useRef(location.hash);
  const waitingCount = useWaiting(place);
  // Registered before the screen is painted: otherwise a person who clicks a link at once would stay on the old screen.
  useLayoutEffect(() => {
    const changed = () => {
      // A key or a secret that is shown only once stays on the screen until the person says that it is kept.
      if (document.querySelector('dialog.once'))
        return history.pushState(null, '', `${location.pathname}${shown.current}`);
      shown.current = location.hash;
      setPlace(placeOf(location.hash));
      setOpen(false);
    };
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  const current = SCREENS.find(({ screens }) => screens.includes(place.screen));
  useEffect(() => {
    document.title = `${current?.text ?? 'Painel'} · Painel do crédito imobiliário`;
    // A person who uses a screen reader starts at the heading of the new screen.
    const heading = document.querySelector<HTMLElement>('main h1');
    if (document.activeElement !== document.body) heading?.focus({ preventScroll: true });
    if (place.screen !== 'help') scrollTo(0, 0);
  }, [place.screen, current]);
  const production = about.stage === 'prod';
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('conteudo')?.focus()}>
        Ir para o conteúdo
      </button>
      <header class="top">
        <a class="brand" href="#/parceiros">
          <img src={document.querySelector<HTMLLinkElement>('link[rel=icon]')?.href} alt="" width="28" height="28" />
          Painel <em>crédito imobiliário</em>
        </a>
        <button type="button" class="button plain menu" aria-expanded={open} onClick={() => setOpen(!open)}>
          Menu
          <Count waiting={waitingCount} />
        </button>
        <p class="about">
          <span class={`stage ${production ? 'bad' : ''}`}>{production ? 'produção' : about.stage}</span>
          <span class="caller" title={about.caller}>
            {userShown(about.caller)}
          </span>
          <Button onClick={leave}>Sair</Button>
        </p>
      </header>
      <div class="body">
        <nav aria-label="Telas" class={open ? 'open' : ''}>
          <ul>
            {SCREENS.map((screen) => (
              <li key={screen.href}>
                <a href={screen.href} aria-current={screen === current ? 'page' : undefined}>
                  {screen.text}
                  {screen.href === APPROVALS && <Count waiting={waitingCount} />}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <main id="conteudo" tabIndex={-1}>
          <Screen place={place} stage={about.stage} />
        </main>
      </div>
    </>
  );
}

calls.changed = () => document.getElementById('conteudo')?.setAttribute('aria-busy', String(calls.running > 0));
async function open(): Promise<ComponentChildren> {
  const facts: { readonly stage: string; readonly signIn: SignInPlan } = await (await fetch('painel/sobre')).json();
  const { stage, signIn: plan } = facts;
  const person = await signIn(plan);
  if (person === undefined) return null;
  transport.call = person.call;
  return <Panel about={{ stage, caller: person.caller }} leave={person.leave} />;
}

function NotOpened({ error }: { readonly error: unknown }) {
  const { message, leave } =
    error instanceof SignInError ? error : { message: 'O serviço não respondeu.', leave: undefined };
  return (
    <main class="help">
      <h1>O painel não abriu</h1>
      <p role="alert">{message}</p>
      <p class="actions start">
        <Button kind="primary" onClick={() => location.reload()}>
          Tentar de novo
        </Button>
        {leave && <Button onClick={leave}>Sair</Button>}
      </p>
    </main>
  );
}

const app = document.getElementById('app');
if (app === null) throw new Error('index.html has no element with the id app');
render(await open().catch((error: unknown) => <NotOpened error={error} />), app);

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { equalSecrets } from '#infra/local/equal-secrets.ts';
import type { ForeignHeader } from '#infra/local/foreign-header.ts';
import { drawAddress, encodedBody, readBody, serve } from '#infra/local/listen.ts';
import { panelHeaders } from '#shared/administration/panel-page.ts';
import { type Milliseconds, minutes } from '#shared/domain/values/time.ts';
import type { SiteFile } from '#shared/partner/docs/pack.ts';
import { CALLS_OF_KEY, type CallsOfKey } from './calls-of-key.ts';
import { type CallAdministration, type Forwarded, type FromPage, forward } from './forward.ts';

/** Bytes of a secret: 256 bits cannot be guessed while the panel is open. */
const SECRET_BYTES = 32;

/** The only browser that may use a panel. It brings the token of the address once, and the cookie from then on. */
class PanelSession {
  /** Part of the address that is opened. It is worth nothing after its first use. */
  readonly token = randomBytes(SECRET_BYTES).toString('base64url');
  private readonly secret = randomBytes(SECRET_BYTES).toString('base64url');
  private readonly cookieName: string;
  private exchanged = false;

  /** A browser sends its cookies to all ports of a host. The port in the name keeps two open panels apart. */
  constructor(port: number) {
    this.cookieName = `painel_${port}`;
  }

  /** Returns the `Set-Cookie` for a token, or undefined for a wrong token and for a used one. */
  exchange(token: string): string | undefined {
    if (this.exchanged || !equalSecrets(token, this.token)) return undefined;
    this.exchanged = true;
    return `${this.cookieName}=${this.secret}; Path=/; HttpOnly; SameSite=Strict`;
  }

  /** Whether a `Cookie` header contains the cookie of this session. */
  knows(header: string | undefined): boolean {
    if (!this.exchanged) return false;
    return (header ?? '').split(';').some((pair) => {
      const [name, ...value] = pair.trim().split('=');
      return name === this.cookieName && equalSecrets(value.join('='), this.secret);
    });
  }
}

/** The stage and the caller, which the page shows at its top. */
export interface PanelAbout {
  readonly stage: string;
  /** The caller's ARN on AWS, with role and session name. For the local run, the person and the duty, or `local`. */
  readonly caller: string;
}

export interface PanelOptions {
  readonly call: CallAdministration;
  /** Reads the calls of a key from the logs, which the administration's API cannot do. */
  readonly callsOfKey: CallsOfKey;
  readonly about: PanelAbout;
  /** Files of the page, by the names that bundlePage returns. */
  readonly files: ReadonlyMap<string, Pick<SiteFile, 'type' | 'content'>>;
  /** Port to listen on. 0 means any free port. */
  readonly port: number;
  /** Time without a call after which the panel closes by itself. @default 30 minutes */
  readonly idleAfter?: Milliseconds;
}

const IDLE = minutes(30);
/** Length of the largest body, in bytes. The administration accepts no larger body. */
const LARGEST_BODY = 64 * 1024;

const HEADERS = { 'Cache-Control': 'no-store', ...panelHeaders() };

const TEXT = 'text/plain; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';

const CLOSED_TO_YOU =
  'Este painel só abre pelo endereço que o comando mostrou, uma única vez.\nFeche esta janela e execute o comando de novo: npm run manager -- panel\n';

const FOREIGN: Readonly<Record<ForeignHeader, string>> = {
  host: 'Este painel atende só pelo endereço que o comando mostrou.\n',
  origin: 'Este painel atende só à própria página.\n',
};

/**
 * Serves the panel on this machine only. It answers a call only if the call names this very host, comes from no other
 * page, and brings the cookie for which the address's token was exchanged. The panel has its own address in 127/8
 * (on macOS 127.0.0.1), since a browser sends a cookie to every port of its host. Throws a StartError if the port is in use.
 */
export async function startPanel(options: PanelOptions) {
  const { url: origin, close: stop } = await serve((request, response) => answerCall(request, response, context), {
    port: options.port,
    address: await drawAddress(),
    ownHostOnly: true,
    refuse: (response, header) => send(response, 403, TEXT, FOREIGN[header]),
  });
  const session = new PanelSession(Number(new URL(origin).port));
  const closing = Promise.withResolvers<'idle' | 'asked'>();
  const end = async (why: 'idle' | 'asked') => {
    clearTimeout(timer);
    await stop();
    closing.resolve(why);
  };
  const idleAfter = options.idleAfter ?? IDLE;
  let timer = setTimeout(() => void end('idle'), idleAfter);
  const restartIdleTimer = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void end('idle'), idleAfter);
  };
  const context: CallContext = { ...options, origin, session, restartIdleTimer };
  return {
    /** Address that opens the panel once: its token is worth nothing afterwards. */
    url: `${origin}/?token=${session.token}`,
    /** Resolves with the reason when the panel has closed. */
    closed: closing.promise,
    close: () => end('asked'),
  };
}
export type Panel = Awaited<ReturnType<typeof startPanel>>;

interface CallContext extends PanelOptions {
  readonly origin: string;
  readonly session: PanelSession;
  /** Called with each call of the page: the person is still there. */
  restartIdleTimer(): void;
}

function answerCall(request: IncomingMessage, response: ServerResponse, context: CallContext): void {
  // A failure in one call must not end the panel.
  answer(request, response, context).catch(() => {
    if (!response.headersSent) send(response, 500, TEXT, 'O painel falhou ao responder.\n');
    else response.destroy();
  });
}

async function answer(request: IncomingMessage, response: ServerResponse, context: CallContext): Promise<void> {
  const { origin, session } = context;
  // Browsers send Origin with every POST. A plain visit has none.
  if (request.headers.origin === undefined && request.method !== 'GET') {
    return send(response, 403, TEXT, FOREIGN.origin);
  }
  const url = new URL(request.url ?? '/', origin);
  const known = session.knows(request.headers.cookie);
  const token = url.searchParams.get('token');
  if (!known && token !== null && request.method === 'GET' && url.pathname === '/') {
    const cookie = session.exchange(token);
    if (cookie === undefined) return send(response, 403, TEXT, CLOSED_TO_YOU);
    // Answers with the page itself, not with a redirect to it. After a link from elsewhere (a web terminal, for
    // example), browsers hold a SameSite=Strict cookie back until the page itself makes a call.
    response.setHeader('set-cookie', cookie);
    return sendFile(request, response, '/', context);
  }
  if (!known) return send(response, 401, TEXT, CLOSED_TO_YOU);
  context.restartIdleTimer();
  if (request.method === 'GET') return sendFile(request, response, url.pathname, context);
  const operation = /^\/api\/([a-z-]+)$/.exec(url.pathname)?.[1];
  if (request.method !== 'POST' || operation === undefined) return send(response, 405, TEXT, 'Não há isso aqui.\n');
  const { status, body } = await forwarded(request, operation, context);
  send(response, status, JSON_TYPE, JSON.stringify(body));
}

/** Sends a file of the page. Only files are sent in gzip: an answer of the API may hold a secret next to what a call sent. */
function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  { files, about }: CallContext,
): void {
  const name = path === '/' ? '' : /^\/painel\/([\w.-]+)$/.exec(path)?.[1];
  const file = files.get(name ?? path);
  if (file) {
    const { body, headers } = encodedBody(request, file.content);
    response.writeHead(200, { ...HEADERS, ...headers, 'Content-Type': file.type }).end(body);
  } else if (name === 'sobre') send(response, 200, JSON_TYPE, JSON.stringify(about));
  else send(response, 404, TEXT, 'Não há isso aqui.\n');
}

async function forwarded(
  request: IncomingMessage,
  operation: string,
  { call, callsOfKey }: CallContext,
): Promise<Forwarded> {
  const from = await readCall(request);
  return operation === CALLS_OF_KEY ? callsOfKey(from) : forward(call, operation, from);
}

/** Returns a call of the page, or why it cannot be read. */
async function readCall(request: IncomingMessage): Promise<FromPage> {
  if (!/^application\/json(;|$)/.test(request.headers['content-type'] ?? '')) {
    return { failed: 'unsupported_media_type' };
  }
  const body = await readBody(request, LARGEST_BODY);
  if (!body) return { failed: 'body_too_large' };
  try {
    return { sent: JSON.parse(body.toString('utf8')) };
  } catch {
    return { failed: 'invalid_json' };
  }
}

function send(response: ServerResponse, status: number, type: string, body: string | Uint8Array): void {
  response.writeHead(status, { ...HEADERS, 'Content-Type': type }).end(body);
}

import { dataOf, elementAt } from './elements.ts';

interface Renderer {
  createApiReference(place: string, configuration: Readonly<Record<string, unknown>>): unknown;
}

declare global {
  var Scalar: Renderer;
}

const place = elementAt('#referencia', HTMLElement);
const url = new URL(dataOf(place, 'document'), location.href);

/** Portuguese for texts that the renderer shows in English even in Portuguese pages. */
const TRANSLATIONS: Readonly<Record<string, string>> = {
  'Request Example for': 'Exemplo de pedido para',
  Request: 'Pedido',
  Copy: 'Copiar',
  'array of': 'lista de',
};

/** Names the buttons that the renderer leaves without a name. A button that shows a text is named by that text. */
function nameButtons(): void {
  for (const button of place.querySelectorAll('.scalar-code-copy:not([aria-label])')) {
    button.setAttribute('aria-label', 'Copiar');
  }
  for (const button of place.querySelectorAll('.show-more[aria-label]')) button.removeAttribute('aria-label');
}

/** Makes our header the only banner of the page. The part that contains the renderer's bar becomes navigation. */
function keepOneBanner(): void {
  for (const header of place.querySelectorAll('header:not([role])')) {
    header.setAttribute('role', 'none');
    header.parentElement?.setAttribute('role', 'navigation');
    header.parentElement?.setAttribute('aria-label', 'Menu da referência');
  }
}

/** The renderer makes a landmark of each small part, several with the same name. */
function keepFewLandmarks(): void {
  for (const part of place.querySelectorAll('div[role="region"][aria-labelledby]')) part.setAttribute('role', 'group');
}

/** Lets the keyboard reach a tag's list of endpoints, which scrolls if it is long. */
function reachLists(): void {
  for (const list of place.querySelectorAll('ul[aria-label]:not([tabindex])')) list.setAttribute('tabindex', '0');
}

function translate(added: Node): void {
  const walker = document.createTreeWalker(added, NodeFilter.SHOW_TEXT);
  for (let node: Node | null = walker.currentNode; node; node = walker.nextNode()) {
    const text = node.nodeValue ?? '';
    const translation = node.nodeType === Node.TEXT_NODE && TRANSLATIONS[text.trim()];
    if (translation) node.nodeValue = text.replace(text.trim(), translation);
  }
}

// The renderer draws parts of the page only when they come into view.
new MutationObserver((changes) => {
  nameButtons();
  keepOneBanner();
  keepFewLandmarks();
  reachLists();
  for (const { addedNodes } of changes) for (const added of addedNodes) translate(added);
}).observe(place, { childList: true, subtree: true });

Scalar.createApiReference('#referencia', {
  url: url.href,
  localization: { locale: 'pt' },
  // The document describes the service that serves this page.
  servers: [{ url: url.href.replace(/\/openapi\.json$/, ''), description: 'O endereço que serve esta página' }],
  authentication: { securitySchemes: { chave: { value: 'SUA_CHAVE' }, bearer: { token: 'SUA_CHAVE' } } },
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideSearch: true,
  hideDarkModeToggle: true,
  // A key belongs on the partner's server, never in a page.
  hideTestRequestButton: true,
  hideClientButton: true,
  documentDownloadType: 'direct',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  generateOperationSlug: ({ operationId, path }: { operationId?: string; path: string }) => operationId ?? path,
  generateTagSlug: ({ name }: { name?: string }) => name ?? '',
  generateWebhookSlug: ({ name }: { name: string }) => name,
  generateModelSlug: ({ name }: { name?: string }) => name ?? '',
});

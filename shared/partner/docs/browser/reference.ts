/** Starts the reference's renderer. */

interface Renderer {
  createApiReference(place: string, configuration: Readonly<Record<string, unknown>>): unknown;
}

const { Scalar } = globalThis as unknown as { Scalar: Renderer };
const place = document.querySelector<HTMLElement>('#referencia')!;
const url = new URL(place.dataset['document']!, location.href);

/** Names the buttons that the renderer leaves nameless, and lets those that show a text be called by it. */
function nameButtons(): void {
  for (const button of place.querySelectorAll('.scalar-code-copy:not([aria-label])')) {
    button.setAttribute('aria-label', 'Copiar');
  }
  for (const button of place.querySelectorAll('.show-more[aria-label]')) button.removeAttribute('aria-label');
}

// The renderer draws parts of the page as they come into view.
new MutationObserver(nameButtons).observe(place, { childList: true, subtree: true });

Scalar.createApiReference('#referencia', {
  url: url.href,
  localization: { locale: 'pt' },
  // The service that serves the page is the one that is described.
  servers: [{ url: url.href.replace(/\/openapi\.json$/, ''), description: 'O endereço que serve esta página' }],
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

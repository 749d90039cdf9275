/**
 * The page may load only its own files, and call only its own address and the addresses `called`. Another page cannot
 * frame it, load its files or keep a reference to its window.
 */
export function panelHeaders(called: readonly string[] = []) {
  const calls = ["'self'"].concat(called).join(' ');
  return {
    'Content-Security-Policy': `default-src 'none'; script-src 'self'; style-src 'self'; connect-src ${calls}; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  };
}

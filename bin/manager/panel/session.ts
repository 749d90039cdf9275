import { randomBytes, timingSafeEqual } from 'node:crypto';

/** Bytes of a secret; 256 bits cannot be guessed while the panel is open. */
const SECRET_BYTES = 32;

function equal(given: string, kept: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(kept)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The one browser that may use a panel: it brings the token of the address once, and the cookie from then on. */
export class PanelSession {
  /** Stands in the address that is opened; worth nothing once it was used. */
  readonly token = randomBytes(SECRET_BYTES).toString('base64url');
  private readonly secret = randomBytes(SECRET_BYTES).toString('base64url');
  private readonly cookieName: string;
  private exchanged = false;

  /** A browser sends its cookies to all ports of a host: the port in the name keeps two open panels apart. */
  constructor(port: number) {
    this.cookieName = `painel_${port}`;
  }

  /** The `Set-Cookie` for a token; undefined for a wrong one and for one that was used. */
  exchange(token: string): string | undefined {
    if (this.exchanged || !equal(token, this.token)) return undefined;
    this.exchanged = true;
    return `${this.cookieName}=${this.secret}; Path=/; HttpOnly; SameSite=Strict`;
  }

  /** Whether a `Cookie` header holds the cookie that the exchange gave. */
  knows(header: string | undefined): boolean {
    if (!this.exchanged) return false;
    return (header ?? '').split(';').some((one) => {
      const [name, ...value] = one.trim().split('=');
      return name === this.cookieName && equal(value.join('='), this.secret);
    });
  }
}

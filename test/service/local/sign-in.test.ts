import { createHash, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { type SignIn, startSignIn } from '#infra/local/aws/sign-in.ts';
import { blueprintOf } from '#infra/local/blueprint.ts';
import { readAssembly, Template } from '#infra/local/template.ts';

const { signIn: plan } = blueprintOf(new Template(readAssembly(inject('assembly')), 'http://q'));
const PAGE = 'http://127.0.0.1:9/painel';
const EMAIL = 'ana+manager+security@local.example';

/** The part of a browser that a sign-in needs: it keeps cookies, and follows no redirect by itself. */
class Visitor {
  private readonly cookies = new Map<string, string>();

  async visit(url: string, form?: Record<string, string>): Promise<Response> {
    const cookie = [...this.cookies].map((pair) => pair.join('=')).join('; ');
    const body = form && new URLSearchParams(form);
    const method = form ? 'POST' : 'GET';
    const response = await fetch(url, { method, headers: { cookie }, redirect: 'manual', body: body ?? null });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      this.cookies.set(name, value);
    }
    return response;
  }
}

const locationOf = (response: Response, base: string) => new URL(response.headers.get('location') ?? '', base).href;

describe('the sign-in of the local run', () => {
  let signIn: SignIn;
  let visitor: Visitor;
  beforeEach(async () => {
    signIn = await startSignIn(plan);
    signIn.openFor(PAGE);
    visitor = new Visitor();
  });
  afterEach(() => signIn.close());

  /** Goes from the panel to the sign-in. Returns the address of its form. */
  async function formAddress(): Promise<string> {
    const query = new URLSearchParams({
      client_id: plan.clientId,
      redirect_uri: PAGE,
      response_type: 'code',
      scope: 'openid email',
      state: 'a-state',
      nonce: 'a-nonce',
      code_challenge: createHash('sha256').update(randomBytes(32)).digest('base64url'),
      code_challenge_method: 'S256',
    });
    const answer = await visitor.visit(`${signIn.url}/auth?${query}`);
    return locationOf(answer, signIn.url);
  }

  it('the local sign-in gives the panel a code for a person who knows the password of this start', async () => {
    const form = await formAddress();
    expect(await (await visitor.visit(form)).text()).toContain('name="password"');
    const accepted = await visitor.visit(form, { email: EMAIL, password: signIn.password });
    const back = await visitor.visit(locationOf(accepted, signIn.url));
    const page = new URL(locationOf(back, signIn.url));
    expect(page.origin + page.pathname).toBe(PAGE);
    expect(page.searchParams.get('state')).toBe('a-state');
    expect(page.searchParams.get('code')).toMatch(/^[\w-]{20,}$/);
  });

  it.each([
    ['no password', {}],
    ['an empty password', { password: '' }],
    ['another password', { password: 'A'.repeat(22) }],
  ])('the local sign-in shows its form again, with what is wrong, to a person with %s', async (_, given) => {
    const form = await formAddress();
    const refused = await visitor.visit(form, { email: EMAIL, ...given });
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain('Senha errada');
    // The provider has signed nobody in, so it leads to the form again.
    const again = await visitor.visit(form.replace('/entrar/', '/auth/'));
    expect(locationOf(again, signIn.url)).toMatch(/\/entrar\/[\w-]+$/);
  });

  it('the local sign-in has another password at each start, with 128 random bits', async () => {
    const another = await startSignIn(plan);
    await another.close();
    expect(signIn.password).toMatch(/^[\w-]{22}$/);
    expect(another.password).toMatch(/^[\w-]{22}$/);
    expect(another.password).not.toBe(signIn.password);
  });
});

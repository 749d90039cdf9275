import { expect } from 'vitest';
import { type EndpointOwner, ROTATION_OVERLAP } from '#shared/domain/webhooks/endpoint.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { SafeError } from '#shared/runtime/log.ts';
import {
  disableWebhook,
  enableWebhook,
  rotateWebhookSecret,
  setWebhook,
  TableWebhookEndpoints,
} from '#shared/table/webhooks/webhook-endpoints.ts';
import { api, type Operation } from '../makers/api.ts';
import type { CallAnswer } from '../makers/call.ts';
import { erase, erasureOf, expectErased, finishErasures, sweepErasures } from '../makers/erasure.ts';
import type { MadePartner } from '../makers/peers.ts';
import { analysisBody, leadBody } from '../makers/people.ts';
import type { Person, Scene } from '../makers/scene.ts';
import type { Span } from './history.ts';

/** Makes a call of the story, sometimes with an injected failure. `result` is undefined if the process was stopped. */
export type Call = <T>(
  run: () => Promise<T>,
) => Promise<Span & { readonly lost: boolean; readonly result: T | undefined }>;

interface Sight extends Span {
  readonly what: string;
  readonly gone: boolean;
}

interface Known {
  readonly person: Person;
  readonly simulations: number[];
  readonly analyses: number[];
  readonly keys: string[];
  readonly sights: Sight[];
  /** Begin and end of each erasure whose answer says that the lead is marked. */
  readonly erased: Span[];
  /** When the first erasure was requested. Infinity if none was. */
  asked: number;
}

/**
 * What this partner needs of its story: the scene, its keys, a way to call, a random choice and a counter of moments.
 */
interface Cast {
  readonly scene: Scene;
  readonly partner: MadePartner;
  readonly call: Call;
  readonly one: <T>(of: readonly T[]) => T;
  readonly clock: () => number;
  readonly cpfs: readonly string[];
  /** Whether table, queues and secrets fail at times, so that any answer may be a 503. */
  readonly mayBeUnavailable: boolean;
}

/**
 * A second partner in a story. Its people are erased during the story, and its webhook is rotated, disabled and
 * enabled. The model has two rules for a lead. A lead is gone for every call that begins after an erasure answered that
 * it had marked the lead. A lead is there for every call that ended before the first erasure was requested.
 */
export class Erasable {
  readonly faults: string[] = [];
  readonly #cast: Cast;
  readonly #leads = new Map<number, Known>();
  readonly #secrets: string[];
  /** Secrets of rotations that were not refused. `sure`: the rotation answered, so its secret must be in force. */
  readonly #rotated: { readonly secret: string; readonly sure: boolean }[] = [];

  private constructor(cast: Cast, secret: string) {
    this.#cast = cast;
    this.#secrets = [secret];
  }

  static async begin(cast: Cast): Promise<Erasable> {
    const secret = newWebhookSecret();
    const erasable = new Erasable(cast, secret);
    await setWebhook(erasable.#endpoint, 'https://hooks.parceiro.com.br/', secret, Date.now());
    return erasable;
  }

  /** The owner of the partner's webhook of production, to which the events of the story go. */
  get #endpoint(): EndpointOwner {
    return { partnerId: this.#cast.partner.partnerId, environment: 'producao' };
  }

  /** The scene with this partner instead of the story's first partner. */
  get #own(): Scene {
    return Object.create(this.#cast.scene, { partner: { value: this.#cast.partner } }) as Scene;
  }

  async step(): Promise<void> {
    const steps = [
      this.create,
      this.create,
      this.read,
      this.read,
      this.patch,
      this.simulate,
      this.submit,
      this.erase,
      this.webhook,
      this.sweep,
    ];
    await this.#cast.one(steps).call(this);
  }

  async #ask(
    what: string,
    operation: Operation,
    options: object,
    ...statuses: readonly number[]
  ): Promise<(Span & { answer: CallAnswer }) | undefined> {
    const { result, ...span } = await this.#cast.call(() =>
      api(operation, { key: this.#cast.partner.keys.producao, ...options }),
    );
    if (!result) return undefined;
    const { status, body } = result;
    const excused = span.lost || (this.#cast.mayBeUnavailable && status === 503);
    if (!statuses.includes(status) && !excused) this.faults.push(`${what}: ${status} ${body?.codigo}`);
    return { ...span, answer: result };
  }

  #saw(known: Known, what: string, seen: Span & { answer: CallAnswer }): boolean {
    const { status, body } = seen.answer;
    const gone = status === 404 || body?.codigo === 'lead_nao_encontrado';
    if (status < 300 || gone) known.sights.push({ what, start: seen.start, end: seen.end, gone });
    return status < 300;
  }

  async create(): Promise<void> {
    const cpf = this.#cast.one(this.#cast.cpfs);
    const seen = await this.#ask('lead', 'createLead', { body: leadBody({ cpf }) }, 200, 201);
    if (!seen || seen.answer.status >= 300) return;
    const lead = Number(seen.answer.body.lead_id);
    const known = this.#leads.get(lead) ?? {
      person: { cpf, lead, body: analysisBody(lead, { cpf }) },
      ...{ simulations: [], analyses: [], keys: [], sights: [], erased: [], asked: Number.POSITIVE_INFINITY },
    };
    this.#leads.set(lead, known);
    this.#saw(known, 'created', seen);
  }

  #known(): Known | undefined {
    const all = [...this.#leads.values()];
    return all.length === 0 ? undefined : this.#cast.one(all);
  }

  async read(): Promise<void> {
    const known = this.#known();
    if (!known) return this.create();
    const simulation = known.simulations.at(-1);
    const seen =
      simulation === undefined || this.#cast.one([true, false])
        ? await this.#ask('read', 'getLead', { id: known.person.lead }, 200, 404)
        : await this.#ask('read', 'getSimulation', { id: simulation }, 200, 404);
    if (seen) this.#saw(known, 'read', seen);
  }

  async patch(): Promise<void> {
    const known = this.#known();
    if (!known) return;
    const body = { renda: this.#cast.one([1, 2, 3]) };
    const seen = await this.#ask('patch', 'updateLead', { id: known.person.lead, body }, 200, 404);
    if (seen) this.#saw(known, 'patch', seen);
  }

  async simulate(): Promise<void> {
    const known = this.#known();
    if (!known) return;
    const body = { lead_id: known.person.lead, valor_imovel: 500_000, bancos: ['inter'] };
    const seen = await this.#ask('simulation', 'createSimulation', { body }, 200, 422);
    if (seen && this.#saw(known, 'simulation', seen))
      known.simulations.push(seen.answer.body.resultado.id_oportunidade);
  }

  async submit(): Promise<void> {
    const known = this.#known();
    if (!known) return;
    const key = this.#cast.one([...known.keys, `erasable-${known.person.lead}-${known.keys.length}`]);
    if (!known.keys.includes(key)) known.keys.push(key);
    const body = { ...known.person.body, bancos: ['itau'] };
    const headers = { 'idempotency-key': key };
    const seen = await this.#ask('submission', 'submitAnalyses', { body, headers }, 202, 409, 422);
    if (!seen || !this.#saw(known, 'submission', seen)) return;
    for (const { analise_id } of seen.answer.body.analises) {
      if (!known.analyses.includes(analise_id)) known.analyses.push(analise_id);
      // The other analyses stay undecided at the bank until the end of the story.
      if (this.#cast.one([true, true, false])) this.#decide(analise_id);
    }
  }

  #decide(analysis: number): void {
    this.#cast.scene.operator.control.decide(this.#own.reference(analysis), 'Aprovado');
  }

  async erase(): Promise<void> {
    const known = this.#known();
    if (!known) return;
    // From this moment on the lead may be gone, however the call ends.
    known.asked = Math.min(known.asked, this.#cast.clock());
    const run = () => erase(this.#own, known.person).catch(() => undefined);
    const { result, start, end, lost } = await this.#cast.call(run);
    if (!result && !lost && !this.#cast.mayBeUnavailable) this.faults.push(`lead ${known.person.lead}: not erased`);
    if (result && result.state !== 'aguardando') known.erased.push({ start, end });
  }

  async sweep(): Promise<void> {
    await this.#cast.call(() => sweepErasures().catch(() => undefined));
  }

  async webhook(): Promise<void> {
    const endpoint = this.#endpoint;
    const secret = newWebhookSecret();
    const rotate = async () => {
      this.#secrets.push(secret);
      const run = await this.#cast.call(async () => {
        try {
          await rotateWebhookSecret(endpoint, secret, { overlap: ROTATION_OVERLAP, dropPrevious: false }, Date.now());
          return 'rotated';
        } catch (error) {
          return error instanceof SafeError ? 'refused' : 'failed';
        }
      });
      if (run.result !== 'refused') this.#rotated.push({ secret, sure: run.result === 'rotated' });
    };
    const change = async (work: () => Promise<void>) =>
      void (await this.#cast.call(() => work().catch(() => undefined)));
    await this.#cast.one([
      rotate,
      () => change(() => enableWebhook(endpoint, Date.now())),
      () => change(() => disableWebhook(endpoint, 'manager', Date.now())),
    ])();
  }

  /**
   * Checks at the end of the story that each erased person has left nothing, and that the promised secret is in force.
   */
  async expectEnd(): Promise<void> {
    for (const known of this.#leads.values()) {
      const [marked] = known.erased.toSorted((one, other) => one.end - other.end);
      for (const { what, gone, start, end } of known.sights) {
        if (marked && !gone && start > marked.end)
          this.faults.push(`lead ${known.person.lead}: ${what} after its erasure`);
        if (gone && end < known.asked) this.faults.push(`lead ${known.person.lead}: ${what} gone before its erasure`);
      }
    }
    expect(this.faults).toEqual([]);
    for (const { analyses } of this.#leads.values()) for (const id of analyses) this.#decide(id);
    await this.#cast.scene.poll();
    await finishErasures();
    await this.#cast.scene.poll();
    await finishErasures();
    await finishErasures();
    let erased = 0;
    for (const { person, ...traces } of this.#leads.values()) {
      const erasure = await erasureOf(this.#own, person);
      if (!erasure) {
        // A lead without an erasure is still found by its CPF, also if it was created after another lead's erasure.
        expect((await this.#own.person(person.cpf)).lead).toBe(person.lead);
        continue;
      }
      erased += 1;
      expect(erasure.state, `lead ${person.lead}`).toBe('apagado');
      expect(erasure.nextCheckAt, `lead ${person.lead}`).toBeUndefined();
      await expectErased(this.#own, person, traces, `lead ${person.lead}`);
    }
    expect(erased).toBeGreaterThan(0);

    const { secret, previousSecret } = (await new TableWebhookEndpoints().get(this.#endpoint))!;
    const [first] = this.#secrets;
    const sure = this.#rotated.filter((one) => one.sure);
    // The story is shorter than the overlap of two secrets: at most one rotation succeeds, and the first secret still
    // signs.
    expect(sure.length).toBeLessThanOrEqual(1);
    if (sure.length === 1) expect(secret).toBe(sure[0]!.secret);
    expect(secret).toBeOneOf([first].concat(this.#rotated.map((one) => one.secret)));
    expect(secret === first ? undefined : first).toBe(previousSecret);
  }
}

import * as routes from '../shared/contract/routes.ts';
import { MAX_POLL_SHARDS } from '../shared/domain/analyses/poll-schedule.ts';
import { type RetentionTerms, SHORTEST_TERM } from '../shared/domain/leads/retention.ts';
import { RATE_AGE_LIMIT } from '../shared/domain/simulations/pricing/notices.ts';
import { RATE_DAYS } from '../shared/domain/simulations/pricing/tables/in-force.ts';
import { hours, type Milliseconds } from '../shared/domain/values/time.ts';

export const STAGE_NAMES = ['dev', 'staging', 'prod'] as const;
export type StageName = (typeof STAGE_NAMES)[number];

/**
 * An e-mail address (whose owner confirms once), the https address of a pager, or a Slack channel by Amazon Q
 * Developer.
 */
export type AlarmTarget =
  | { readonly kind: 'email'; readonly address: string }
  | { readonly kind: 'https'; readonly url: string }
  | { readonly kind: 'slack'; readonly workspaceId: string; readonly channelId: string };

/** Functions that may have reserved concurrency, because they could use up the concurrency of the account. */
export type Reservable = 'submit-analyses' | 'poll-bank-outcomes' | 'sweep-deliveries' | 'get-docs';

/**
 * - `canary`: a tenth of the calls for five minutes, then all. Rolls back if an alarm of the function goes off.
 * - `at-once`: all calls at once. Rolls back, too.
 * - `hotfix`: all calls at once, whatever alarms say.
 */
type Shift = 'canary' | 'at-once' | 'hotfix';

export interface Evidence {
  /**
   * The vault is in `secondRegion` if set, else in the stage's region. The role `<prefix>-key-copy` of the vault's
   * account copies the service's own keys.
   */
  readonly copyVaultArn: string | undefined;
  /** Region of the vault and of a copy of the service's own keys. Undefined keeps everything in the stage's region. */
  readonly secondRegion: string | undefined;
  /**
   * Anyone with the permission can remove a `governance` lock. A `compliance` lock can be removed for 3 days, then by
   * nobody.
   */
  readonly vaultLock: 'governance' | 'compliance';
}

/** Longest time from one copy to the next: a day, and two hours for a job that ends late. */
export const COPIED_WITHIN: Milliseconds = hours(26);

/**
 * Hours in UTC, and days for which the other account keeps a copy: five years for January, as consents must be kept.
 */
export const COPIES = {
  /** A large copy may need more than a day to reach the other account. */
  hereDays: 2,
  nightly: { hour: 5, keptDays: 7 },
  monthly: { day: 1, hour: 12, keptDays: 122 },
  yearly: { keptDays: 5 * 365 + 2 },
  /** Size of a table from which whole copies cost too much (DECISIONS.md). */
  largestTable: 500e9,
} as const;

export interface Stage {
  readonly name: StageName;
  /** AWS account, 12 digits: the pinned account, else the account of the credentials. Undefined without either. */
  readonly account: string | undefined;
  readonly region: string;
  /** Base URL of the operator, without a slash at the end. */
  readonly operatorUrl: string;
  /** How people on call reach the operator at any hour. The Product dashboard shows it. */
  readonly operatorContact: string;
  /** Undefined deploys to the account of the credentials. */
  readonly pinnedAccount: string | undefined;
  /** The certificate is in ACM, in `region`. */
  readonly domain: { readonly name: string; readonly certificateArn: string } | undefined;
  /**
   * Whether the address of execute-api answers. Switch it off in a separate deployment, once DNS leads to the domain.
   */
  readonly executeApi: boolean;
  /**
   * An account and region have only one AWS::ApiGateway::Account: if stages share them, one sets it and is deployed
   * first.
   */
  readonly setsGatewayAccount: boolean;
  /** Calls a second of all partners together to one method of the API, and the burst above that rate. */
  readonly throttle: { readonly rate: number; readonly burst: number };
  /** `perAddress`: calls from one address in 5 minutes, at least 10,000. */
  readonly firewall: { readonly perAddress: number } | undefined;
  readonly administration: {
    readonly throttle: { readonly rate: number; readonly burst: number };
    /**
     * Calls without a signature reach only the panel's page, so a stage pays for a firewall only if a policy asks for
     * it.
     */
    readonly firewall: { readonly perAddress: number } | undefined;
    /**
     * Other AWS accounts whose people may call, 12 digits each. Their own policies decide which routes, except the
     * operator's.
     */
    readonly accounts: readonly string[];
    /** VPC endpoints through which calls must come. If the list is empty, any way is allowed. */
    readonly vpcEndpoints: readonly string[];
    /**
     * The company's own sign-in must ask for a second factor and return the e-mail address. `clientSecret` is the name
     * of a secret.
     */
    readonly federation?:
      | { readonly kind: 'saml'; readonly metadataUrl: string }
      | { readonly kind: 'oidc'; readonly issuer: string; readonly clientId: string; readonly clientSecret: string };
  };
  /** Whether another person must approve what nobody may do alone: see `approval` in shared/administration. */
  readonly approvals: 'required' | 'off';
  /**
   * The operator's machine, which may send outcomes by itself. It may call only its own route of the administration.
   */
  readonly operatorPush: {
    /** AWS account of the machine, 12 digits. Undefined if it is this account, or if the operator sends nothing. */
    readonly account: string | undefined;
    /** Calls a second that the gateway accepts, with up to 100 outcomes each, and the burst above that rate. */
    readonly throttle: { readonly rate: number; readonly burst: number };
  };
  /** Parallel runs of the outcome poller, 1 to 60. Each run asks about its own share of the pending analyses. */
  readonly pollShards: number;
  /** Workers that deliver webhooks at the same time, 2 to 1000. */
  readonly webhookConcurrency: number;
  readonly concurrency: {
    /** Lambda's quota of the account in the region, for all its stages. New accounts have 10. */
    readonly accountLimit: number;
    /** Runs reserved for a function, which are also its limit. The sum must leave 100 of the quota. */
    readonly reserved: Readonly<Partial<Record<Reservable, number>>>;
    /** Warm containers, by operation. */
    readonly provisioned: Readonly<Record<string, number>>;
  };
  /**
   * Fixed addresses are for allowlists. To switch them off, first deploy only the administration stack
   * (infra/README.md, Changes).
   */
  readonly fixedEgress: boolean;
  /** Set it with `fixedEgress` and never unset it: the addresses stay on the allowlists of banks and partners. */
  readonly egressAddresses: boolean;
  readonly shift: Shift;
  /** Days for which logs are kept: values of CDK's RetentionDays. */
  readonly logRetention: 14 | 30 | 365;
  readonly retention: {
    /** Days back to which the table can be restored, 1 to 35. */
    readonly recoveryDays: number;
    readonly keepsLogs: boolean;
  };
  /** Undefined if leads never end. If the terms change, running notices are cancelled. */
  readonly leadRetention: RetentionTerms | undefined;
  /** Undefined if the stage keeps no evidence. */
  readonly evidence: Evidence | undefined;
  readonly alarmTargets: Readonly<Record<'page' | 'ticket', readonly AlarmTarget[]>>;
  readonly runbookUrl: string;
  /**
   * Days after which a consent is too old for production, 30 to 1,825. A change does not extend stored consent cutoffs.
   */
  readonly consentDays: number;
  /** Must be above the days after which answers warn about a rate. */
  readonly rateDays: number;
  /**
   * `hours` is in Portuguese. Without a `statusPage` the documentation names `GET /health`. security.txt shows `email`
   * until `contactUntil` (YYYY-MM-DD, at most a year ahead).
   */
  readonly support: {
    readonly email: string;
    readonly hours: string;
    readonly contactUntil: string;
    readonly statusPage?: string;
  };
  /** The encarregado (LGPD, art. 41), whose identity and contact must be public. */
  readonly dataProtectionOfficer: { readonly name: string; readonly email: string };
  /** Whether the outside probe has its API key. Its alarm is made only then: missing data would wake someone. */
  readonly probeHasKey: boolean;
}

export const REGION = 'sa-east-1';
const RUNBOOK_URL = 'https://git.operator.example/partner-mortgage-credit/blob/main/infra/RUNBOOK.md';

const COMMON = {
  pinnedAccount: undefined,
  domain: undefined,
  executeApi: true,
  setsGatewayAccount: true,
  concurrency: { accountLimit: 1000, reserved: {}, provisioned: {} },
  administration: { throttle: { rate: 20, burst: 40 }, firewall: undefined, accounts: [], vpcEndpoints: [] },
  approvals: 'off',
  operatorPush: { account: undefined, throttle: { rate: 10, burst: 20 } },
  fixedEgress: false,
  egressAddresses: false,
  shift: 'canary',
  evidence: undefined,
  alarmTargets: { page: [], ticket: [] },
  runbookUrl: RUNBOOK_URL,
  operatorContact: 'plantao@operator.example',
  consentDays: 180,
  rateDays: RATE_DAYS,
  leadRetention: { sandboxDays: 90, monthsWithoutAnalysis: 24, yearsAfterAnalysis: 5 },
  support: {
    email: 'suporte@operator.example',
    hours: 'dias úteis, das 9h às 18h (horário de Brasília)',
    contactUntil: '2027-10-31',
  },
  dataProtectionOfficer: { name: 'Encarregado de dados (.example)', email: 'encarregado@operator.example' },
  probeHasKey: false,
} as const;

const VALUES: Readonly<Record<StageName, Omit<Stage, 'name' | 'account' | 'region'>>> = {
  dev: {
    ...COMMON,
    operatorUrl: 'https://operator.dev.operator.example',
    throttle: { rate: 50, burst: 100 },
    firewall: undefined,
    pollShards: 1,
    webhookConcurrency: 2,
    shift: 'at-once',
    logRetention: 14,
    retention: { recoveryDays: 7, keepsLogs: false },
  },
  staging: {
    ...COMMON,
    operatorUrl: 'https://operator.staging.operator.example',
    throttle: { rate: 200, burst: 400 },
    firewall: undefined,
    pollShards: 2,
    webhookConcurrency: 5,
    logRetention: 30,
    retention: { recoveryDays: 35, keepsLogs: false },
  },
  prod: {
    ...COMMON,
    operatorUrl: 'https://operator.operator.example',
    throttle: { rate: 1000, burst: 2000 },
    firewall: { perAddress: 20_000 },
    approvals: 'required',
    pollShards: 4,
    webhookConcurrency: 50,
    logRetention: 365,
    retention: { recoveryDays: 35, keepsLogs: true },
    evidence: { copyVaultArn: undefined, secondRegion: undefined, vaultLock: 'compliance' },
  },
};

const OPERATIONS: readonly string[] = Object.values(routes).flatMap((route) =>
  typeof route === 'object' && 'operation' in route ? [route.operation] : [],
);

/** Runs that Lambda demands for functions without a reservation. */
const UNRESERVED = 100;

/** Calls a second, and the burst above that rate. Source: Amazon API Gateway, Quotas. */
const GATEWAY_QUOTA = { rate: 10_000, burst: 5_000 } as const;
/** Lowest rate for one address in 5 minutes that WAF accepts. */
const LEAST_WAF_RATE = 10;
const ACCOUNT = /^\d{12}$/;

/** A misspelt field would otherwise be ignored silently. */
function unknownFields(stage: Stage): string[] {
  const { support, ...values } = stageValues(stage.name, {});
  const administration = { ...values.administration, federation: '' };
  const known = { ...values, administration, support: { ...support, statusPage: '' } };
  const unknownIn = (values: object, model: object, path: string) =>
    Object.keys(values).flatMap((field) => (field in model ? [] : [path + field]));
  const parts = [
    'administration',
    'operatorPush',
    'concurrency',
    'retention',
    'support',
    'dataProtectionOfficer',
  ] as const;
  return unknownIn(stage, known, '').concat(parts.flatMap((part) => unknownIn(stage[part], known[part], `${part}.`)));
}

/** Returns what AWS or the poller would refuse only when the stage is deployed. */
function faultsOf(stage: Stage): Readonly<Record<string, boolean>> {
  const { region, account, firewall, pollShards, webhookConcurrency, retention, throttle, domain, evidence } = stage;
  const { accountLimit, reserved, provisioned } = stage.concurrency;
  const { accounts, throttle: people, firewall: peopleFirewall, federation } = stage.administration;
  const { account: operator, throttle: pushes } = stage.operatorPush;
  const sum = (runs: object) => Object.values(runs).reduce((total: number, count: number) => total + count, 0);
  const unknown = unknownFields(stage);
  const terms = stage.leadRetention;
  const outside = (term: number, least: number, most: number) => !Number.isInteger(term) || term < least || term > most;
  const [, , , certificateRegion, certificateAccount] = domain?.certificateArn.split(':') ?? [];
  const secondRegion = evidence?.secondRegion;
  const [, , , vaultRegion, vaultAccount] = evidence?.copyVaultArn?.split(':') ?? [];
  const slackChannels = ({ kind, ...target }: AlarmTarget) => (kind === 'slack' ? [JSON.stringify(target)] : []);
  const pages = stage.alarmTargets.page.flatMap(slackChannels);
  const sharedChannel = stage.alarmTargets.ticket.flatMap(slackChannels).some((channel) => pages.includes(channel));
  const unknownOperations = Object.keys(provisioned).filter((name) => !OPERATIONS.includes(name));
  const overReserved = Object.entries(provisioned).filter(([name, runs]) => runs > (reservedRuns(stage, name) ?? runs));
  // Warm containers of a function with a reservation are part of the reservation.
  const warm = Object.entries(provisioned).filter(([name]) => reservedRuns(stage, name) === undefined);
  const taken = sum(reserved) + sum(warm.map(([, runs]) => runs));
  return {
    [`nobody knows ${unknown.join(', ')}: see the fields of Stage in infra/stages.ts`]: unknown.length > 0,
    'fixedEgress without egressAddresses: switching it off later would delete the addresses':
      stage.fixedEgress && !stage.egressAddresses,
    'executeApi is off without a domain: nobody could call': !stage.executeApi && !domain,
    [`domain.certificateArn is not of ${region}, where the API is`]:
      domain !== undefined && certificateRegion !== region,
    [`domain.certificateArn is not of account ${account}`]:
      domain !== undefined && account !== undefined && certificateAccount !== account,
    'operatorUrl is not https: personal data and the token would be sent unencrypted':
      !stage.operatorUrl.startsWith('https://'),
    'evidence.secondRegion is the stage’s own region': secondRegion === region,
    [`evidence.copyVaultArn lies in ${vaultRegion}: set evidence.secondRegion to ${vaultRegion}, or a vault in ${region}`]:
      secondRegion === undefined && vaultRegion !== undefined && vaultRegion !== region,
    [`evidence.secondRegion is ${secondRegion}, but no vault lies there: set evidence.copyVaultArn to a vault there, or evidence.secondRegion to undefined`]:
      secondRegion !== undefined && vaultRegion !== secondRegion,
    'evidence.copyVaultArn lies in the stage’s own account: a lost account would take its copies with it':
      vaultAccount !== undefined && vaultAccount === account,
    'firewall.perAddress is below 10,000: partners are servers that call from few addresses':
      firewall !== undefined && firewall.perAddress < 10_000,
    [`administration.firewall.perAddress is below ${LEAST_WAF_RATE}, the least that WAF counts`]:
      peopleFirewall !== undefined && peopleFirewall.perAddress < LEAST_WAF_RATE,
    [`pollShards is not between 1 and ${MAX_POLL_SHARDS}: the pending index has too few partitions for more`]:
      !Number.isInteger(pollShards) || pollShards < 1 || pollShards > MAX_POLL_SHARDS,
    'administration.federation names an address that is not https: anybody between could sign in':
      federation !== undefined &&
      !(federation.kind === 'saml' ? federation.metadataUrl : federation.issuer).startsWith('https://'),
    ...Object.fromEntries(
      accounts.map((other) => [
        `administration.accounts names ${other}, which does not have 12 digits`,
        !ACCOUNT.test(other),
      ]),
    ),
    'administration.throttle.burst is below administration.throttle.rate': people.burst < people.rate,
    [`operatorPush.account is ${operator}, which does not have 12 digits`]:
      operator !== undefined && !ACCOUNT.test(operator),
    'operatorPush.account is among administration.accounts: it would reach more than its one route':
      operator !== undefined && accounts.includes(operator),
    'operatorPush.throttle.burst is below operatorPush.throttle.rate': pushes.burst < pushes.rate,
    'consentDays is not between 30, from which on answers warn about a consent, and 1825, for which a consent is kept':
      !(stage.consentDays >= 30) || stage.consentDays > 1825,
    [`rateDays is not above ${RATE_AGE_LIMIT}, from which on answers warn about a rate`]: !(
      stage.rateDays > RATE_AGE_LIMIT
    ),
    [`leadRetention is not ${SHORTEST_TERM} to 1825 days, 3 to 120 months and 1 to 20 years`]:
      terms !== undefined &&
      (outside(terms.sandboxDays, SHORTEST_TERM, 1825) ||
        outside(terms.monthsWithoutAnalysis, 3, 120) ||
        outside(terms.yearsAfterAnalysis, 1, 20)),
    'webhookConcurrency is not between 2 and 1000': webhookConcurrency < 2 || webhookConcurrency > 1000,
    [`webhookConcurrency is above the ${accountLimit} runs of concurrency.accountLimit`]:
      webhookConcurrency > accountLimit,
    'throttle.burst is below throttle.rate': throttle.burst < throttle.rate,
    [`throttle is above the account’s own, ${GATEWAY_QUOTA.rate} calls a second and ${GATEWAY_QUOTA.burst} above them`]:
      throttle.rate > GATEWAY_QUOTA.rate || throttle.burst > GATEWAY_QUOTA.burst,
    'retention.recoveryDays is not between 1 and 35': retention.recoveryDays < 1 || retention.recoveryDays > 35,
    [`concurrency.provisioned names ${unknownOperations.join(', ')}: there is no such operation`]:
      unknownOperations.length > 0,
    [`concurrency.provisioned warms more of ${overReserved.map(([name]) => name).join(', ')} than concurrency.reserved lets run`]:
      overReserved.length > 0,
    [`concurrency.reserved gives the poller fewer runs than its ${pollShards} shards`]:
      (reserved['poll-bank-outcomes'] ?? pollShards) < pollShards,
    [`${taken} runs are reserved or kept warm, but ${UNRESERVED} of the account's ${accountLimit} must stay unreserved`]:
      taken > 0 && taken > accountLimit - UNRESERVED,
    'alarmTargets: one Slack channel gets both pages and tickets: nobody would be woken': sharedChannel,
  };
}

/** Undefined if the stage reserves none. */
export function reservedRuns({ concurrency }: Stage, operation: string): number | undefined {
  const reserved: Readonly<Record<string, number | undefined>> = concurrency.reserved;
  return reserved[operation];
}

/** Throws an Error that names the wrong value if a stage has a fault that only its deployment would show. */
export function checkStage(stage: Stage): void {
  const found = Object.entries(faultsOf(stage)).find(([, wrong]) => wrong);
  if (found) throw new Error(`stage ${stage.name}: ${found[0]}`);
}

/** Without a pinned account, the account comes from the environment: the CDK command line puts it there. */
export function stageValues(name: StageName, environment: NodeJS.ProcessEnv = process.env): Stage {
  const values = VALUES[name];
  return { name, account: values.pinnedAccount ?? environment['CDK_DEFAULT_ACCOUNT'], region: REGION, ...values };
}

/** Throws an Error that lists the stages if there is none of that name. */
export function stageNamed(name: string): StageName {
  const found = STAGE_NAMES.find((candidate) => candidate === name);
  if (!found) throw new Error(`there is no stage ${JSON.stringify(name)}: use ${STAGE_NAMES.join(', ')}`);
  return found;
}

export const prefixOf = (stage: Stage): string => `partner-credit-${stage.name}`;

export const administrationOf = (stage: Stage): string => `${prefixOf(stage)}-administration`;

export const topicNameOf = (stage: Stage, channel: 'page' | 'ticket'): string => `${prefixOf(stage)}-${channel}`;

/**
 * Name of the duty's policy, and of the role for people of the user pool. Names of IAM are global: without the region,
 * a new region could not be made while the names of the lost one exist.
 */
export const dutyPolicyOf = (stage: Stage, duty: string): string =>
  `${administrationOf(stage)}-${stage.region}-${duty}`;

export const breakGlassOf = (stage: Stage): string => `${prefixOf(stage)}-break-glass-${stage.region}`;

export function namesOf(stage: Stage) {
  const prefix = prefixOf(stage);
  return {
    table: prefix,
    erasureLedger: `${prefix}-erasures`,
    keysSecret: `${prefix}/keys`,
    retiredKeysSecret: `${prefix}/retired-keys`,
    operatorSecret: `${prefix}/operator`,
    probeSecret: `${prefix}/probe`,
    deliveryQueue: `${prefix}-deliveries`,
    deadLetterQueue: `${prefix}-deliveries-dead`,
  };
}

export const functionNameOf = (stage: Stage, operation: string): string => `${prefixOf(stage)}-${operation}`;

/** A source is an operation, a gateway's access log, or the web firewall, whose prefix AWS demands. */
export function logGroupNameOf(stage: Stage, source: string): string {
  if (source === 'firewall') return `aws-waf-logs-${prefixOf(stage)}`;
  if (source === 'administration-firewall') return `aws-waf-logs-${prefixOf(stage)}-administration`;
  const ofGateway = source === 'access' || source === 'administration-access';
  return ofGateway ? `/${prefixOf(stage)}/${source}` : `/aws/lambda/${functionNameOf(stage, source)}`;
}

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keptFor, markdownTable, sentFields } from '../infra/security/privacy-tables.ts';
import { stageValues } from '../infra/stages.ts';
import { ROUTES } from '../shared/contract/routes.ts';
import { RETRY_WAITS } from '../shared/domain/webhooks/delivery.ts';
import { packageManifest } from '../shared/partner/client/clients.ts';
import { duration, withMarkedNumbers } from '../shared/partner/docs/numbers.ts';
import { openapiDocument } from '../shared/partner/openapi/openapi.ts';

const ROOT = join(import.meta.dirname, '..');

/** Production's values of settings that another stage may set differently. */
const { consentDays, rateDays, leadRetention } = stageValues('prod', {});
const OF_PROD = { consentDays, rateDays, ...leadRetention };

/**
 * Fills the blocks between `<!-- generated: <name> -->` and `<!-- end -->`. Throws an Error if the document has no
 * block of a name.
 */
function filled(path: string, contents: Readonly<Record<string, string>> = {}): { path: string; text: string } {
  let text = withMarkedNumbers(readFileSync(join(ROOT, path), 'utf8'), OF_PROD);
  for (const [name, content] of Object.entries(contents)) {
    const [begin, end] = [`<!-- generated: ${name} -->`, '<!-- end -->'];
    const from = text.indexOf(begin);
    const to = text.indexOf(end, from);
    if (from < 0 || to < 0) throw new Error(`${path} has no block ${begin} to ${end}`);
    text = `${text.slice(0, from)}${begin}\n\n${content}\n\n${text.slice(to)}`;
  }
  return { path, text };
}

function endpoints(): string {
  const rows = ROUTES.map(({ specification, method, path, scope, idempotency }) => [
    String(specification ?? ''),
    `\`${method} ${path}\``,
    `\`${scope}\``,
    idempotency === 'none' ? '' : idempotency,
  ]);
  return markdownTable([['#', 'endpoint', 'scope', 'Idempotency-Key']].concat(rows));
}

function attempts(): string {
  const rows = Object.entries(RETRY_WAITS).map(([environment, waits]) => [
    `\`${environment}\``,
    waits.map((wait) => (wait === 0 ? 'at once' : duration(wait))).join(', '),
  ]);
  return markdownTable([['environment', 'attempts: the first, then each after a wait']].concat(rows));
}

/** Files that git keeps, so that people review them. A test fails if a stored file differs. */
export function reviewedFiles(): readonly { readonly path: string; readonly text: string }[] {
  const document = openapiDocument();
  return [
    { path: 'shared/partner/openapi/openapi.json', text: `${JSON.stringify(document, null, 2)}\n` },
    { path: 'shared/partner/client/package.json', text: packageManifest(document) },
    filled('shared/contract/README.md', { endpoints: endpoints(), attempts: attempts() }),
    filled('infra/security/PRIVACY.md', { sent: sentFields(), times: keptFor() }),
    filled('infra/security/THREATS.md'),
  ];
}

if (import.meta.main) {
  for (const { path, text } of reviewedFiles()) {
    writeFileSync(join(ROOT, path), text);
    console.log(path);
  }
}

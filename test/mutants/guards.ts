/**
 * Guards: pieces of code that keep something from happening twice, too late, too early or to the wrong person or row.
 * Most are conditions of the table, and the order of steps that may happen only once, which no mutation tool changes.
 */

export interface Guard {
  readonly file: string;
  /** The text of the guard. It occurs exactly once in its file. */
  readonly text: string;
  /** The text that replaces the guard when it is taken out. */
  readonly becomes: string;
  /** The file of which a test must fail without the guard. */
  readonly test: string;
  /** A part of the full names of the tests that run. Undefined if the whole file runs. */
  readonly title: string | undefined;
}

/**
 * Marks the change in a guard's text. «text» is deleted, «text→other» is replaced, and «?condition» of a table
 * expression becomes true for every row that exists.
 */
const CHANGE = /«(\?)?(.*?)(?:→(.*?))?»/gs;

/**
 * Returns the guards of one file that the tests of one test file must notice. `changes` are texts with the change marked
 * in them. `title` is for test files with slow tests. A condition is not deleted, because DynamoDB refuses an expression
 * that does not use all of its values.
 */
function guardsIn(file: string, test: string, changes: readonly string[], title?: string): readonly Guard[] {
  return changes.map((change) => ({
    file,
    text: change.replaceAll(CHANGE, '$2'),
    becomes: change.replaceAll(CHANGE, (_, weaker, text, other = '') =>
      weaker ? `(${text} OR attribute_exists(pk))` : other,
    ),
    test: `test/${test}.test.ts`,
    title,
  }));
}

export const GUARDS: readonly Guard[] = [
  ...guardsIn(
    'functions/administration/leads/export-lead.ts',
    'service/administration/people',
    [
      '«if (cpf && data.lead && data.lead.cpf !== cpf) throw foreignCpf();»',
      "«if (forms.some(({ form }) => String(form['conjuge_cpf']) !== cpf)) throw foreignCpf();»",
    ],
    'to whom the changed row of another CPF leads',
  ),
  ...guardsIn(
    'functions/api/analyses/submit-analyses.ts',
    'operations/order-of-checks',
    ['«requireNotTooOld(input, clock(), rules);»'],
    'POST /v1/analises replays an answer although the consent is too old by now, and refuses a new submission',
  ),
  ...guardsIn(
    'shared/administration/approvals.ts',
    'service/administration/approvals',
    ["«to === 'approved' && isSamePerson(asked.person, caller.person)→false»"],
    'after another person of a duty that may make it has approved',
  ),
  ...guardsIn('shared/domain/analyses/bank-submission.ts', 'unit/domain/analyses/bank-submission', [
    'const inTime = clock() «- analysis.createdAt < SUBMIT_LEASE - ONE_BANK→> 0»;',
    'const inTime = clock() «- asked < SUBMIT_LEASE - ONE_BANK→> 0»;',
    '«if (!taken?.isMine) return undefined;»',
    '«if (asked - analysis.createdAt > SUBMIT_LIMIT) return TOO_LATE;»',
    "«if (await analyses.isToBeErased(analysis)) return { kind: 'withdrawn' };»",
    "«if (await analyses.isConsentWithdrawn(analysis)) return { kind: 'consent_withdrawn' };»",
  ]),
  ...guardsIn('shared/domain/analyses/poll-analysis.ts', 'unit/domain/analyses/bank-submission', [
    "queryNumber === '' && now >= createdAt && «now - createdAt < SUBMIT_LEASE→now < createdAt»;",
    "if (status.kind === 'absent'« && analysis.queryNumber === ''»)",
  ]),
  ...guardsIn('shared/domain/analyses/record-outcomes.ts', 'unit/domain/analyses/record-outcomes', [
    '«for (const { index, outcome } of ofAnalysis) records[index] = await recordOutcome(outcome, deps)→await Promise.all(ofAnalysis.map(async ({ index, outcome }) => (records[index] = await recordOutcome(outcome, deps))))»;',
  ]),
  ...guardsIn('shared/domain/analyses/unsent-watch.ts', 'unit/domain/analyses/bank-submission', [
    '«sight.seenFor() >= SUBMIT_LEASE→sight.seenFor() >= 0» ? sight.lease',
    'const seenFor = before« && (lease ?? before.lease) === before.lease» ? before.seenFor : lastSeen;',
  ]),
  ...guardsIn(
    'shared/domain/leads/erase-person.ts',
    'table/lead-retention',
    ['«await ledger.add(erasure, erasure.requestedAt);»'],
    'a sweep that is cut off at any call is continued, and deletes nothing before the ledger has the lead',
  ),
  ...guardsIn('shared/table/analyses/analyses.ts', 'table/analyses', [
    '`«?situation = :pending» AND queryNumber = :none AND',
    'AND «?queryNumber = :none» AND',
    "'attribute_«not_»exists(nonce)'",
    "'nonce = :seen«→ OR attribute_exists(pk)»'",
    "ConditionExpression: '«?situation = :pending»',\n      ExpressionAttributeValues: {\n        ':queryNumber'",
  ]),
  ...guardsIn('shared/table/analyses/analyses.ts', 'table/consent-withdrawals', [
    'return lead && row ? «isWithdrawn(consentMoment(row), leadTrace.parse(lead).consentWithdrawnAt)→false» : false;',
  ]),
  ...guardsIn('shared/table/analyses/analyses.ts', 'table/erasures', [
    'return «(await getRow(erasureKey(analysis, analysis.leadId))) !→analysis =»== undefined;',
  ]),
  ...guardsIn('shared/table/analyses/analyses.ts', 'table/poll-cursors', [
    '«AND attribute_not_exists(unanswerableSince)»',
    "'«?situation = :pending» AND attribute_not_exists(unanswerableSince)'",
  ]),
  ...guardsIn('shared/table/analyses/analysis-row.ts', 'table/analyses', [
    '`«?#situation = :before AND #sequence = :sequenceBefore»$',
    "' AND «?unanswerableSince = :marked»'",
    '«events.map((event) => writeOutbox(event))→[]»',
  ]),
  ...guardsIn('shared/table/analyses/consent-withdrawals.ts', 'table/consent-withdrawals', [
    "«ConditionExpression: 'attribute_not_exists(pk)',»",
    "ConditionExpression: '«?attribute_not_exists(erasingSince)» AND consentWithdrawnAt = :moment'",
  ]),
  ...guardsIn('shared/table/analyses/consents.ts', 'table/consents', [
    "«ConditionExpression: 'attribute_not_exists(pk)',»",
  ]),
  ...guardsIn('shared/table/analyses/submissions.ts', 'table/analyses', [
    '«?attribute_not_exists(sealed)» AND «lockedUntil = :seen→(lockedUntil = :seen OR attribute_exists(sealed))»',
    'AND «?lockedUntil = :seen»',
    "':until': «now + SUBMIT_LEASE→earlier.lockedUntil», ':seen'",
    "«if (!outcome.key) return 'moved_on';»",
  ]),
  ...guardsIn('shared/table/analyses/submissions.ts', 'table/consent-withdrawals', [
    'countLeadUse(caller, lead.id, lead.version«, stands»)',
    'overwriteLead(caller, leadToWrite«, stands»)',
  ]),
  ...guardsIn('shared/table/analyses/submissions.ts', 'table/consent-cutoff', [
    'checkCutoff(caller, lead.cpf, «consentedAt→now + 1e9», now)',
  ]),
  ...guardsIn('shared/table/analyses/submissions.ts', 'table/erasures', [
    "erasureKey(caller, lead.id), ConditionExpression: '«?attribute_not_exists(pk)»'",
    'if (!form || «(await hasSpouseRow(tenancy, form, submissionId))→true») return form;',
  ]),
  ...guardsIn('shared/table/audit/approvals.ts', 'table/approvals', [
    'approvalId = :id AND «?askedAt = :askedAt» AND',
    'AND «?approvalId = :id» AND askedAt',
    '#state = :approved AND «?shownHash = :shownHash» AND',
    'transactNamed({ request«, audit: doneAudit(auditOfAsking(wish), now)» })',
  ]),
  ...guardsIn('shared/table/audit/approvals.ts', 'table/conditional-writes', ['winRow(update«, DECISION_MARK»)']),
  ...guardsIn('shared/table/audit/audit.ts', 'table/audit', ["'«?#outcome = :started»'"]),
  ...guardsIn('shared/table/leads/erasure-ledger.ts', 'table/erasures', [
    "«ConditionExpression: 'attribute_not_exists(pk)',»",
  ]),
  ...guardsIn('shared/table/leads/lead-correction.ts', 'table/leads', [
    'overwriteLead(tenancy, after«, sameUses(item)»)',
  ]),
  ...guardsIn('shared/table/leads/lead-erasure.ts', 'table/erasures', [
    "{ Key«, ConditionExpression: 'attribute_exists(pk)'» }",
    'transact([{ Update: updateOf(Key, { set«, ...seen» }) }])',
    'Update: updateOf(Key, { set, remove«, ...seen» }) };',
    '    «await forgetAnswers(erasure);»',
    'erasure.leadId);\n    «await this.#deleteTexts(erasure, analyses);»\n    return after;',
    "'«attribute_exists(erasingSince)→attribute_exists(pk)»'",
    "Put: { Item: erasureRow(erasure)«, ConditionExpression: 'attribute_not_exists(pk)'» }",
    'cpf: «cpf === undefined ? undefined : await whileCpfLeadsTo(erasure, cpf, leadId)→undefined»',
    "leadKey(erasure, leadId)«, ConditionExpression: 'attribute_exists(pk)'» }",
    "condition: '«?revision = :seen»',",
    '«?version = :seen» AND $',
    '«if (pending > 0) return this.#write(erasure, { ...erasure, pending, nextCheckAt });»',
    "ConditionExpression: '«?leadId = :erased»',",
  ]),
  ...guardsIn(
    'shared/table/leads/lead-retention.ts',
    'table/lead-retention',
    [
      'Object.entries({ «version, »uses',
      'Object.entries({ version, «uses, »reusedAt',
      'uses, «reusedAt, »replayedAt, dueSk',
      'reusedAt, «replayedAt, »dueSk',
      "Item: erasureRow(erasure)«, ConditionExpression: 'attribute_not_exists(pk)'»",
    ],
    'the end of a lead yields to',
  ),
  ...guardsIn('shared/table/leads/leads.ts', 'table/leads', [
    '«if (lead.cpf !== draft.cpf) return { corrected: id };»',
  ]),
  ...guardsIn(
    'shared/table/partners/api-key-auth.ts',
    'table/api-key-auth',
    ["? '(attribute_not_exists(#cur) OR «→attribute_exists(#cur) OR »#cur < :allowed)'"],
    'authenticate admits 120 calls a minute, refuses the 121st, and counts each environment on its own',
  ),
  ...guardsIn(
    'shared/table/partners/api-key-auth.ts',
    'table/api-key-auth',
    ["'(attribute_not_exists(#prev) OR «→attribute_exists(#prev) OR »#prev <= :previous)'"],
    'authenticate counts a part of the minute before, which a new container learns by one more call',
  ),
  ...guardsIn(
    'shared/table/partners/api-key-auth.ts',
    'table/api-key-auth',
    ["'«?#limit = :limit»',"],
    'authenticate applies a lower limit from the next call on, including calls counted before',
  ),
  ...guardsIn('shared/table/partners/api-key-auth.ts', 'unit/table/api-key-auth', [
    'return entry && «Buffer.from(entry.h).equals(hash)→hash» ? entry : undefined;',
  ]),
  ...guardsIn(
    'shared/table/partners/api-keys.ts',
    'flows/account-changes',
    [
      "«    ...change,\n»    replaced: replaced && labelEnd(partnerId, replaced, now, lastDay),\n    webhook: webhookAsRead(account),\n  });\n  if (outcome === 'written') return «→transactNamed(change).then(() => (»{ text: newKey.text, keyId: newKey.keyId }«→))»;",
    ],
    'chave_trocada breaks off at any call and is followed by the revocation of the old key',
  ),
  ...guardsIn(
    'shared/table/partners/api-keys.ts',
    'flows/account-changes',
    [
      "«    ...accountChanges(account, { change: 'chave_revogada', unitId, now }),\n»    webhook: webhookAsRead(account),\n  });«→ await transactNamed(accountChanges(account, { change: 'chave_revogada', unitId, now }));»",
    ],
    'chave_revogada breaks off at any call and is repeated',
  ),
  ...guardsIn(
    'shared/table/partners/api-keys.ts',
    'flows/account-changes',
    [
      'replaced && labelEnd(partnerId, replaced, now, lastDay),\n    webhook: «webhookAsRead(account)→undefined»,',
      "'chave_revogada', unitId, now }),\n    webhook: «webhookAsRead(account)→undefined»,",
    ],
    'tells the new address if another call has set it before the write',
  ),
  ...guardsIn(
    'shared/table/partners/partner-register.ts',
    'flows/account-changes',
    ['transactNamed({ profile, event, webhook: «webhookAsRead(account)→undefined» })'],
    'producao_liberada tells the new address if another call has set it before the write',
  ),
  ...guardsIn(
    'shared/table/partners/partner-register.ts',
    'service/administration/partners',
    ["replaces === '' ? '«?attribute_not_exists(incidentContact)»' : '«?incidentContact = :replaces»'"],
    'set-incident-contact sets and removes the contact, and is refused if another contact was set meanwhile',
  ),
  ...guardsIn('shared/table/rows/client.ts', 'table/conditional-writes', [
    '(refused) => «refused[mark] === nonce→false»);',
    'ConditionExpression: «once→input.ConditionExpression» }',
    "return «refused['nonce'] === nonce ? 'written' : »{ refused };",
  ]),
  ...guardsIn('shared/table/rows/cpf-row.ts', 'table/leads', [
    "{ leadId }, { ConditionExpression: '«?attribute_not_exists(pk)»' }",
  ]),
  ...guardsIn('shared/table/rows/encryption.ts', 'table/leads', ['version, format«, rowVersion»]']),
  ...guardsIn(
    'shared/table/rows/idempotency.ts',
    'operations/sweep-erasures',
    ["' OR leadId = :gone«→ OR attribute_exists(pk)»'"],
    '10 calls at once with a key from before an erasure',
  ),
  ...guardsIn('shared/table/rows/idempotency.ts', 'table/analyses', [
    "'attribute_exists(pk)« AND attribute_not_exists(sealed)»'",
    '`attribute_not_exists(pk) OR «expiresAt→attribute_exists(pk) OR expiresAt» <= :now$',
    '`attribute_not_exists(pk) OR «expiresAt <= :now→(attribute_not_exists(pk) AND expiresAt <= :now)»$',
  ]),
  ...guardsIn('shared/table/rows/index-keys.ts', 'table/changed-keys', ['known?.at(«-1→0»)']),
  ...guardsIn('shared/table/rows/indexed-rows.ts', 'table/indexed-rows', [
    '...condition } }«, ...checks(elsewhere(row), condition)»];',
  ]),
  ...guardsIn('shared/table/rows/keys.ts', 'table/deliveries', [`\`SUSPENDED#\${partnerId}«#\${environment}»\`;`]),
  ...guardsIn('shared/table/rows/keys.ts', 'table/webhook-endpoints', [`sk: \`WEBHOOK«#\${environment}»\`,`]),
  ...guardsIn('shared/table/rows/living-lead.ts', 'table/analyses', [
    "if (version !== undefined) conditions.push('«?version = :version»');",
    "«?version = :before» AND attribute_not_exists(erasingSince)'",
  ]),
  ...guardsIn('shared/table/rows/consent-cutoff.ts', 'table/consent-cutoff', [
    'OR «expiresAt <= :at→(expiresAt <= :at AND attribute_not_exists(pk))»`',
    "'attribute_not_exists(pk) OR «?consentWithdrawnAt < :cutoff» OR",
  ]),
  ...guardsIn('shared/table/leads/lead-erasure.ts', 'table/consent-cutoff', [
    'cutoff: «await outliveLead(erasure, lead, cutoff, now)→undefined»',
  ]),
  ...guardsIn('shared/table/leads/lead-retention.ts', 'table/consent-cutoff', ['parts«.concat(kept)»']),
  ...guardsIn('shared/table/rows/living-lead.ts', 'table/consent-withdrawals', [
    "'«?(attribute_not_exists(consentWithdrawnAt) OR consentWithdrawnAt < :moment)»'",
    'consentWithdrawnAt «<→<=» :moment',
    "    '«?version = :version»',\n    sameUses",
    "«sameUses({ uses }).ConditionExpression→'(uses = :uses OR attribute_exists(pk))'»,",
    "    '«?attribute_not_exists(erasingSince)»',\n    'version",
  ]),
  ...guardsIn('shared/table/rows/living-lead.ts', 'table/erasures', [
    "'«attribute_not_exists(uses)' : 'uses = :uses→attribute_exists(pk)' : '(uses = :uses OR attribute_exists(pk))»'",
    "version = :before« AND attribute_not_exists(erasingSince)»'",
    'attribute_exists(pk)« AND attribute_not_exists(erasingSince)»${once',
    "const conditions = ['attribute_exists(pk)'«, 'attribute_not_exists(erasingSince)'»];",
    "«item?.['erasingSince'] === undefined ? item : undefined→item»;",
  ]),
  ...guardsIn('shared/table/rows/outbox.ts', 'table/deliveries', [
    "«ConditionExpression: 'attribute_not_exists(pk)',»",
  ]),
  ...guardsIn('shared/table/rows/row-format.ts', 'table/replays', ['OR expiresAt > :«at→at OR attribute_exists(pk)»)']),
  ...guardsIn(
    'shared/table/sealing/reindexing.ts',
    'service/administration/index-keys',
    ["'«?attribute_not_exists(pk) OR leadId = :lead»'", "ConditionExpression: '«?leadId = :lead»'"],
    'moves no CPF over the',
  ),
  ...guardsIn(
    'shared/table/sealing/service-keys.ts',
    'operations/secrets-away',
    ['OLD_KEYS_END: Milliseconds = «SECRET_HELD_MS + »LONGEST_RUN', 'before: WRITTEN_WITHIN« + OLD_KEYS_END»'],
    'no key is retired, and no index key takes over, while a container may still hold older keys',
  ),
  ...guardsIn('shared/table/sealing/service-keys.ts', 'table/changed-keys', [
    '«if (before !== undefined && previous?.VersionId === before) throw changedBefore();»',
  ]),
  ...guardsIn('shared/table/webhooks/deliveries.ts', 'table/conditional-writes', ['winRow(update«, DUE_MARK»)']),
  ...guardsIn('shared/table/webhooks/deliveries.ts', 'table/deliveries', [
    'leasedUntil < :«now→now OR attribute_exists(pk)»)',
    'AND «?dueAt <= :now» AND (attribute_not_exists(leasedUntil)',
    '«?dueAttempt >= :attempt» AND',
    "'«?#state = :pending» AND dueAttempt >= :attempt",
    "condition: '#state = :exhausted AND «?dueAttempt = :attempt»',",
    '«?dueAttempt <= :latest»',
    '«?#state = :pending» AND dueAttempt <= :latest',
    "' AND «?dueAt = :claimed»'",
    "' AND «attribute_not_exists(textsDeletedAt)→attribute_exists(pk)»'",
    'history: «isMarked ? withoutTexts(history) : »history,',
    "'«#state = :pending AND dueAttempt = :attempt AND dueAt = :dueAt→(#state = :pending AND dueAttempt = :attempt AND dueAt = :dueAt) OR attribute_exists(pk)»'",
  ]),
  ...guardsIn('shared/table/webhooks/deliveries.ts', 'table/replays', [
    "ConditionExpression: '«?enabled = :no»',",
    "condition: '«?#state = :suspended»',",
  ]),
  ...guardsIn(
    'shared/table/webhooks/suspended-deliveries.ts',
    'flows/late-indexes',
    ['transact([«whileDisabled(owner), »update])'],
    'giveUp gives up no event of an endpoint that is enabled while the index shows it as disabled',
  ),
  ...guardsIn(
    'shared/table/webhooks/suspended-deliveries.ts',
    'flows/retention',
    ['OR wishedAt < :«before→before OR attribute_exists(pk)»)'],
    'a resent event is kept even if the index shows the resend late or not at all',
  ),
  ...guardsIn('shared/table/webhooks/receiver-texts.ts', 'table/erasures', [
    "ConditionExpression: '«?history = :seen»',",
  ]),
  ...guardsIn('shared/table/webhooks/replays.ts', 'table/replays', [
    `attribute_exists(pk) AND «?#state <> :pending AND #state IN (\${placeholders})»\``,
    `#state <> :pending AND «?#state IN (\${placeholders})»\``,
  ]),
  ...guardsIn('shared/table/webhooks/unit-deliveries.ts', 'table/unit-deliveries', [
    'partnerId = :partner AND «?environment = :environment» AND $',
    'delivery.partnerId === resender.partnerId« && delivery.environment === resender.environment»;',
  ]),
  ...guardsIn(
    'shared/table/webhooks/webhook-endpoints.ts',
    'flows/account-changes',
    ["'sealed = :before AND «?#url = :url»',"],
    'webhook_segredo tells the new address if another call has set it before the write',
  ),
  ...guardsIn('shared/table/webhooks/webhook-endpoints.ts', 'table/conditional-writes', [
    'winRow(update«, FAILURE_MARK»)',
  ]),
  ...guardsIn('shared/table/webhooks/webhook-endpoints.ts', 'table/webhook-endpoints', [
    "ConditionExpression: '«?changedAt = :changedAt» AND enabled = :yes',\n      ExpressionAttributeValues: {\n        ':now': now,\n        ':one'",
    "ConditionExpression: '«?changedAt = :changedAt»',",
    'ConditionExpression: `«?changedAt = :changedAt» AND enabled = :yes$',
    "' AND «?failingSince = :since»'",
    "ConditionExpression: '«?dueSk = :seen»',",
    "ConditionExpression: '«?sealed = :before» AND #url = :url',",
    "'«?changedAt = :seenAt» AND enabled = :seenEnabled'",
    "'changedAt = :seenAt AND «?enabled = :seenEnabled»'",
    '« AND attribute_not_exists(validatedAt)»` : exists;',
    "Put: { Item«, ConditionExpression: 'attribute_not_exists(pk)'» }",
  ]),
  ...guardsIn('shared/wiring.ts', 'unit/wiring', [
    "«environment === 'sandbox' ? forcedOutcome(cpf, note) : undefined→forcedOutcome(cpf, note)»",
  ]),
];

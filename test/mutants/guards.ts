/**
 * The guards of the once-only core: pieces of code that keep something from happening twice, too late, too early or to
 * the wrong person or row. Each guard names the test that must fail without it.
 */

export interface Guard {
  readonly file: string;
  /** The text of the guard. It occurs exactly once in its file. */
  readonly text: string;
  /** The text that replaces the guard when it is taken out. */
  readonly becomes: string;
  /** The test that must fail without the guard: its file, and a part of its full name. */
  readonly test: string;
  readonly title: string;
}

/**
 * Marks the change in a guard's text. «text» is deleted, «text→other» is replaced, and «?condition» of a table
 * expression becomes true for every row that exists.
 */
const CHANGE = /«(\?)?(.*?)(?:→(.*?))?»/gs;

/**
 * Returns the guards of one file that the tests of one test file must notice. The keys of `guards` are titles of tests,
 * the values are texts with the change marked in them. A condition is not deleted, because DynamoDB refuses an
 * expression that does not use all of its values.
 */
function guardsIn(
  file: string,
  test: string,
  guards: Readonly<Record<string, string | readonly string[]>>,
): readonly Guard[] {
  return Object.entries(guards).flatMap(([title, changes]) =>
    [changes].flat().map((change) => ({
      file,
      text: change.replaceAll(CHANGE, '$2'),
      becomes: change.replaceAll(CHANGE, (_, weaker, text, other = '') =>
        weaker ? `(${text} OR attribute_exists(pk))` : other,
      ),
      test: `test/${test}.test.ts`,
      title,
    })),
  );
}

export const GUARDS: readonly Guard[] = [
  ...guardsIn('functions/api/analyses/submit-analyses.ts', 'operations/order-of-checks', {
    'POST /v1/analises replays an answer although the consent is too old by now, and refuses a new submission':
      '«requireNotTooOld(input, clock(), rules);»',
  }),
  ...guardsIn('shared/contract/analysis-request.ts', 'unit/contract/analysis', {
    'a holder may be analysed from the 18th birthday to the day before the 81st':
      'if («ageOn(holder.birthDate, dayInSaoPaulo(now)) > HOLDER_AGES.oldest→false») {',
    'in production a consent that is older than the days of the stage is refused, and in the sandbox it is not': [
      "if (environment === 'producao' && «daysSince(consent.givenAt, now) > consentDays→false») {",
      "if («environment === 'producao' && »daysSince(consent.givenAt, now) > consentDays) {",
    ],
  }),
  ...guardsIn('shared/table/analyses/analyses.ts', 'table/analyses', {
    'acquireSubmitLease returns undefined once the analysis has ended without a query number':
      '`«?situation = :pending» AND queryNumber = :none AND',
    'acquireSubmitLease returns undefined once the bank has the analysis or has decided it':
      'AND «?queryNumber = :none» AND',
    'acquireSubmitLease gives an analysis to one of 10 runs, and to the next only by the newest lease': [
      "'attribute_«not_»exists(nonce)'",
      "'nonce = :seen«→ OR attribute_exists(pk)»'",
    ],
    'note stores number and text of a pending analysis, and changes no final one':
      "ConditionExpression: '«?situation = :pending»',\n      ExpressionAttributeValues: {\n        ':queryNumber'",
  }),
  ...guardsIn('shared/table/analyses/analyses.ts', 'table/poll-cursors', {
    'markUnanswerable keeps the first moment in the index until the mark is taken away':
      '«AND attribute_not_exists(unanswerableSince)»',
    'note and conclude take the mark away, and a final analysis gets no mark':
      "'«?situation = :pending» AND attribute_not_exists(unanswerableSince)'",
  }),
  ...guardsIn('shared/table/analyses/analyses.ts', 'table/erasures', {
    'isToBeErased is true for an analysis once the erasure of its person was requested':
      'return «(await getRow(erasureKey(analysis, analysis.leadId))) !→analysis =»== undefined;',
  }),
  ...guardsIn('shared/table/analyses/analyses.ts', 'table/consent-withdrawals', {
    'isConsentWithdrawn is true for an analysis whose consent was withdrawn, and false for a newer one': [
      'return lead && row ? «isWithdrawn(consentMoment(row), leadTrace.parse(lead).consentWithdrawnAt)→false» : false;',
      'isWithdrawn(«consentMoment(row)→0», leadTrace',
    ],
  }),
  ...guardsIn('shared/table/analyses/analysis-row.ts', 'table/analyses', {
    'conclude changes no final analysis, with another event or without one':
      '`«?#situation = :before AND #sequence = :sequenceBefore»$',
    'complete does not overwrite an outcome by another outcome with another event':
      '`«?#situation = :before AND #sequence = :sequenceBefore»$',
    'conclude ends no analysis about which the operator has answered since it was found unanswerable':
      "' AND «?unanswerableSince = :marked»'",
    'pending finds analyses by partition and age, oldest first, until they are decided':
      "['unanswerableSince'«, 'duePk', 'dueSk'»]",
    'conclude ends a pending analysis once, with its event': [
      'return delivery ? [«update, writeOutbox(delivery)→update»] : [update];',
      '«concludedAt→rawStatus2»: ended?.createdAt',
    ],
  }),
  ...guardsIn('shared/table/analyses/submissions.ts', 'table/analyses', {
    'resume refuses a claim that has an answer':
      '«?attribute_not_exists(sealed)» AND «lockedUntil = :seen→(lockedUntil = :seen OR attribute_exists(sealed))»',
    'resume gives a claim without an answer to one of three runs, with its submission and form': [
      'AND «?lockedUntil = :seen»',
      "':until': «now + SUBMIT_LEASE→earlier.lockedUntil», ':seen'",
    ],
    'claim with a taken key returns the record of the first call and stores nothing':
      'const progress = { lockedUntil: «now + SUBMIT_LEASE→now»,',
    'complete returns moved_on and writes nothing if an analysis is no longer as it was read':
      "«if (!outcome[0]?.failed) return 'moved_on';»",
  }),
  ...guardsIn('shared/table/analyses/submissions.ts', 'table/erasures', {
    'claim returns lead_gone if an erasure was requested after the lead was read':
      "erasureKey(caller, lead.id), ConditionExpression: '«?attribute_not_exists(pk)»'",
    'a form row that is put back after the erasure of its spouse does not open':
      'if (!form || «(await hasSpouseRow(tenancy, form, submissionId))→true») return form;',
    'formOf reads a form again if its spouse is erased between its two reads': 'if (reads === «2→1») throw',
  }),
  ...guardsIn('shared/table/personal-data/personal-data.ts', 'table/erasures', {
    'a form row that is put back after the erasure of its holder is not exported':
      'const kept = «living→true» ? Array.from(submissions)',
  }),
  ...guardsIn('shared/table/analyses/submissions.ts', 'table/consent-withdrawals', {
    'claim is refused if the withdrawal comes before its transaction, and stores nothing':
      'countLeadUse(caller, lead.id, lead.version«, stands»)',
    'a claim that completes the birth date of its lead is refused after a withdrawal, too':
      'overwriteLead(caller, leadToWrite«, stands»)',
  }),
  ...guardsIn('shared/table/analyses/consent-withdrawals.ts', 'table/consent-withdrawals', {
    'the row of a withdrawal lies with the consents, is sealed, and is kept for five years':
      'expiryAt(«now→Date.parse(withdrawal.withdrawnAt)» + CONSENT_KEPT)',
    'putWithdrawal never overwrites a withdrawal': "«ConditionExpression: 'attribute_not_exists(pk)',»",
    'record stores no answer for a lead that is marked for erasure before the transaction':
      "ConditionExpression: '«?attribute_not_exists(erasingSince)» AND consentWithdrawnAt = :moment'",
    'the first of two withdrawals counts if the second has the same moment or an earlier one': '&& moment «<=→<» last;',
    'record names no analysis that has ended or that rests on a newer consent':
      '.filter((row) => «isWithdrawn(consentMoment(row), withdrawnAt)→row»)',
  }),
  ...guardsIn('shared/table/rows/living-lead.ts', 'table/consent-withdrawals', {
    'claim refuses a consent that is not newer than the withdrawal, and takes a newer one': [
      "'«?(attribute_not_exists(consentWithdrawnAt) OR consentWithdrawnAt < :moment)»'",
      'consentWithdrawnAt «<→<=» :moment',
    ],
    'a withdrawal names a submission that completes the birth date of its lead before the transaction':
      "    '«?version = :version»',\n    sameUses",
    'a withdrawal names each submission that is claimed before its transaction, at whatever call of it':
      "«sameUses({ uses }).ConditionExpression→'(uses = :uses OR attribute_exists(pk))'»,",
    'record stores no answer for a lead that is marked for erasure before the transaction':
      "    '«?attribute_not_exists(erasingSince)»',\n    'version",
  }),
  ...guardsIn('shared/table/rows/idempotency.ts', 'table/analyses', {
    'complete returns the first answer and writes nothing if the key has an answer':
      "'attribute_exists(pk)« AND attribute_not_exists(sealed)»'",
    'claim with a taken key returns the record of the first call and stores nothing':
      '`attribute_not_exists(pk) OR «expiresAt→attribute_exists(pk) OR expiresAt» <= :now$',
    'claim stores one submission if 10 calls with one key come at once':
      '`attribute_not_exists(pk) OR «expiresAt→attribute_exists(pk) OR expiresAt» <= :now$',
    'a key is free again once its record has ended, though the row is still there':
      '`attribute_not_exists(pk) OR «expiresAt <= :now→(attribute_not_exists(pk) AND expiresAt <= :now)»$',
  }),
  ...guardsIn('shared/table/rows/indexed-rows.ts', 'table/analyses', {
    'a key is free again once its record has ended, though the row is still there':
      'found.find((candidate) => «unexpired(candidate, now)→candidate»)',
  }),
  ...guardsIn('shared/administration/partners.ts', 'service/administration/partners', {
    'list-partners refuses a name that identifies a person': '(text) => evidenceFault(text) === «undefined→text»',
  }),
  ...guardsIn('bin/manager/administration-client.ts', 'unit/manager/verbs', {
    'each command in golden/partners.txt sends and prints what the file says':
      '«checked(route.query, asTexts(query));»',
  }),
  ...guardsIn('bin/manager/open-browser.ts', 'service/manager/open-browser', {
    'openBrowser starts the browser with a file': 'spawn(command, [...args, «file→url»]',
    'only the user who opens the panel may read the file': "pageTo(url), { «mode: 0o600, »flag: 'wx' }",
    'the file and its folder are gone once they are removed':
      'return () => «rm(folder, { recursive: true, force: true })→Promise.resolve()»;',
  }),
  ...guardsIn('shared/table/webhooks/replays.ts', 'service/ended-rows', {
    'is not shown by list-deliveries of all partners': 'const kept = rows.map((row) => «unexpired(row, now)→row»)',
  }),
  ...guardsIn('shared/table/analyses/consents.ts', 'service/ended-rows', {
    'is not shown by GET /v1/leads/{id}/consentimentos, consents':
      '< SETTLED_AFTER,\n  });\n  return rows.filter((row) => «unexpired(row, now)→row»)',
    'is not shown by export-lead, consents':
      'ConsistentRead: true,\n  });\n  return rows.filter((row) => «unexpired(row, now)→row»)',
  }),
  ...guardsIn('shared/table/analyses/consent-withdrawals.ts', 'service/ended-rows', {
    'is not shown by GET /v1/leads/{id}/consentimentos, withdrawals':
      'Items.filter((item) => «unexpired(item, now)→item»)',
    'is not shown by export-lead, withdrawals': 'rows.filter((row) => «unexpired(row, now)→row»).reverse()',
  }),
  ...guardsIn('shared/table/rows/idempotency.ts', 'operations/sweep-erasures', {
    '10 calls at once with a key from before an erasure': "' OR leadId = :gone«→ OR attribute_exists(pk)»'",
  }),
  ...guardsIn('shared/table/rows/idempotency.ts', 'table/leads', {
    'createOrReuse repeats the stored answer of a key, and says whether the content is the same':
      'sameContent: «row.fingerprint === fingerprint→true»,',
  }),
  ...guardsIn('shared/table/audit/approvals.ts', 'table/approvals', {
    'decide changes nothing for a request that was refused and asked for again since the decider has seen it':
      'approvalId = :id AND «?askedAt = :askedAt» AND',
    'decide changes nothing for a request that was asked for with another reason since the decider has seen it':
      'AND «?approvalId = :id» AND askedAt',
    'useOrAsk asks again, under another id, if a value that a call replaces has changed since it was': [
      '#state = :approved AND «?shownHash = :shownHash» AND',
      'OR shownHash «<>→=» :shownHash OR',
    ],
    'useOrAsk notes a request in the audit when it stores the request, and no use of it':
      'transact([request«, doneAudit(auditOfAsking(wish), now)»])',
    'the row of a request holds no field in plain text': 'Item: { ...key, «→...wish, »...asked,',
  }),
  ...guardsIn('shared/administration/approvals.ts', 'service/administration/approvals', {
    'after another person of a duty that may make it has approved': [
      'found?.operation === operation ? found : «undefined→found»',
      "«to === 'approved' && isSamePerson(asked.person, caller.person)→false»",
    ],
  }),
  ...guardsIn('shared/runtime/deadline.ts', 'unit/runtime/deadline', {
    'deadlineSignal is aborted once the clock shows the deadline, even if the timer has not fired':
      'return signal && !signal.aborted && «remainingTime(0) <= 0→false» ? OVER : signal;',
    'deadlineSignal is aborted after an outer deadline, whatever time an inner one allows':
      'return outer ? «Math.min(left, timeLeft(outer))→left» : left;',
    'deadlineSignal is aborted for what an invocation left behind when it ended':
      'clearTimeout(timer);\n    «deadline.ended = true;»',
  }),
  ...guardsIn('shared/runtime/deadline.ts', 'unit/runtime/background-runs', {
    'scheduledRun fails with an error without the text, the fields and the cause':
      '«throw new RunFailed();→throw error;»',
  }),
  ...guardsIn('shared/runtime/log.ts', 'unit/runtime/log', {
    'a part of an invocation that hung neither adds to the log of the next one nor takes its facts':
      '«own.run(latest, run)→run()»;',
  }),
  ...guardsIn('shared/runtime/cached.ts', 'unit/runtime/cached', {
    'cached tries one refresh in each interval while refreshes fail, and serves the kept value up to its bound': [
      'if («age >= usableForMs→false») return shared();',
      'if (age < refreshAfterMs || «sinceFailure() < retryAfterMs→false») return value;',
    ],
    'cached serves the kept value if the refresh fails for which a caller waits':
      'const refreshed = shared()«.catch(() => value)»;',
    'cached asks again if a frozen container finds a fetch that began long ago':
      'if (fetching && «msSince(fetching.since) < timeoutMs→true») return fetching.result;',
    'cached refreshes a value at its age although the clock was put back':
      'Math.max(Date.now() - wallMs«, performance.now() - monotonicMs»)',
  }),
  ...guardsIn('shared/table/rows/table-scan.ts', 'table/reencryption', {
    're-encryption at a slow pace reads small pages, so that no pause is longer than a call may take':
      'const rows = «Math.max(1, Math.min(PAGE, Math.floor(unitsPerSecond / 8)))→PAGE»;',
  }),
  ...guardsIn('shared/table/sealing/service-keys.ts', 'table/changed-keys', {
    'a rotation is refused if a late read still shows the version before the last rotation as the current one':
      '«if (before !== undefined && previous?.VersionId === before) throw changedBefore();»',
    'keys init writes no keys after the service has lost its keys, because they would open none of its rows':
      'if («known→false»)\n    throw new SafeError(\n      `this is no new stage',
  }),
  ...guardsIn('shared/table/sealing/service-keys.ts', 'flows/derivation-rotation', {
    'a rotation writes the derivation key before its index key':
      'await addDerivationKeys(indexNames(«keys→before.keys»));\n  await replace(before, keys);',
    'a rotation right after the index key was retired keeps its derivation key':
      'const unused = «derived→Object.keys((await derivationKeys()).keys)».filter(',
  }),
  ...guardsIn('shared/table/partners/api-keys.ts', 'flows/derivation-rotation', {
    'a token whose API key was revoked makes no other API key after a newer index key has taken over':
      'change, end, «unmade, »webhookAsRead(account)',
  }),
  ...guardsIn('shared/table/rows/derivation-keys.ts', 'flows/derivation-rotation', {
    'the same token returns the same API key before, during and after a rotation of the index key':
      'other: «held.other && by(held.other)→undefined» };',
    'a container fetches the derivation keys again if it holds an index key that is newer than they are':
      '(await knownKeys())« ?? (await keysFetchedAgain())»;',
    'createKey with a token makes no API key while the derivation key is missing, and keys init writes it':
      "if (!held) «throw new Failure('servico_indisponivel', { cause: new SafeError(NO_KEY) })→return { current: new Uint8Array(64), other: undefined }»;",
  }),
  ...guardsIn('shared/table/sealing/service-keys.ts', 'operations/secrets-away', {
    'no key is retired, and no index key takes over, while a container may still hold older keys': [
      'OLD_KEYS_END: Milliseconds = «SECRET_HELD_MS + »LONGEST_RUN',
      'before: WRITTEN_WITHIN« + OLD_KEYS_END»',
    ],
  }),
  ...guardsIn('shared/table/rows/encryption.ts', 'operations/secrets-away', {
    'a row of a newer key is unavailable while Secrets Manager is away, and all other rows are not':
      '(await orUnavailable(«keys.refresh()→(forgetServiceKeys(), keys.get())», NO_KEYS))',
  }),
  ...guardsIn('shared/http/administration/plan.ts', 'unit/http/administration/endpoint', {
    'before another person has approved it': '«plan.needsApproval→false» ?',
    'a preview that shows whether a person is known is noted before it looks': 'const row = «call.isNoted→false» ?',
  }),
  ...guardsIn('shared/http/administration/confirmation.ts', 'unit/http/administration/endpoint', {
    'a preview that shows whether a person is known is refused without a reason':
      'isNoted: !dry« || operation.notedPreview === true» };',
  }),
  ...guardsIn('shared/http/administration/approval.ts', 'unit/http/administration/endpoint', {
    'before another person has approved it': "if («outcome === 'granted'→true»)",
    'the audit row of an approved change has the reason that was approved':
      'target: facts, reason: «approval.reason→reason» }, giveBack };',
    'approvalFields leaves out what is not sent, the token, the CPF and what is replaced':
      '«NOT_APPROVED.has(name)→false» ?',
    'approvalFields adds names and replaced values to fields, and facts after them':
      'name: details[field]?.name«, replaces: details[field]?.replaces» }',
    'a call whose plan shows another fact is another call': '.concat(«facts→[]».map(',
    'a new request is announced by one ticket with ids only': 'if («isNew→true»)',
  }),
  ...guardsIn('shared/domain/audit/approvals.ts', 'unit/http/administration/endpoint', {
    'a call of another person is another call': 'hashOf([«person, »operation',
  }),
  ...guardsIn('shared/domain/audit/approvals.ts', 'unit/domain/audit/approvals', {
    'a request with another replaced value has another approval id': '[field, value, name«, replaces»]));',
    'a request with another reason has another approval id': 'shownHash(wish.fields)«, wish.reason»',
  }),
  ...guardsIn('functions/administration/partners/validate-partner.ts', 'service/administration/approvals', {
    'a validation shows the addresses of both webhooks and the live keys, also if no step is missing':
      "needsApproval: «true→missing !== ''»,",
  }),
  ...guardsIn('functions/administration/leads/export-lead.ts', 'service/administration/people', {
    'export-lead returns no data of a person to whom the changed row of another CPF leads':
      '«if (cpf && data.lead && data.lead.cpf !== cpf) throw foreignCpf();»',
    'export-lead returns no data of a spouse to whom the changed row of another CPF leads':
      "«if (forms.some(({ form }) => String(form['conjuge_cpf']) !== cpf)) throw foreignCpf();»",
  }),
  ...guardsIn('shared/table/partners/partner-register.ts', 'flows/administration-overlaps', {
    'validate-partner writes nothing after another run has taken the reason of its plan away':
      "«if (seen && seen.webhook !== account.webhook?.['url']) throw webhookChanged(owner);»",
  }),
  ...guardsIn('shared/table/leads/lead-correction.ts', 'table/leads', {
    'correctLead reads the lead again if the lead is used meanwhile': 'overwriteLead(tenancy, after«, sameUses(item)»)',
  }),
  ...guardsIn('shared/table/leads/lead-correction.ts', 'service/administration/people', {
    'is refused for the reason pending':
      "«if (analyses.some(({ situation }) => isPending(situation))) return 'pending';»",
  }),
  ...guardsIn('shared/table/rows/living-lead.ts', 'table/analyses', {
    'claim returns lead_changed and stores nothing if the lead is no longer the version that was read':
      "if (version !== undefined) conditions.push('«?version = :version»');",
    'claim adds the birth date that the lead lacked, once for each version of the lead':
      "«?version = :before» AND attribute_not_exists(erasingSince)'",
  }),
  ...guardsIn('shared/table/rows/living-lead.ts', 'table/erasures', {
    'mark reads the lead again if a first or a further use was counted since the read':
      "'«attribute_not_exists(uses)' : 'uses = :uses→attribute_exists(pk)' : '(uses = :uses OR attribute_exists(pk))»'",
    'change writes nothing to a lead that was marked after the read':
      "version = :before« AND attribute_not_exists(erasingSince)»'",
    'a marked sandbox lead gets no noted step, and close takes it off the sandbox’s lists':
      'attribute_exists(pk)« AND attribute_not_exists(erasingSince)»${once',
    'countLeadUse is refused for a marked lead':
      "const conditions = ['attribute_exists(pk)'«, 'attribute_not_exists(erasingSince)'»];",
    'mark hides the lead and its analyses': "«item?.['erasingSince'] === undefined ? item : undefined→item»;",
    'prepare of a simulation returns neither lead nor earlier answer once the lead is marked':
      '«if (!living && leadRow) return { lead: undefined, earlier: undefined };»',
  }),
  ...guardsIn('shared/table/rows/living-lead.ts', 'table/leads', {
    'createOrReuse without a new field writes no version, but the moment of each reuse':
      "const once = step === '«replayedAt→reusedAt»'",
    'change loses none of 5 changes that are made at once':
      "«?version = :before» AND attribute_not_exists(erasingSince)'",
  }),
  ...guardsIn('shared/table/leads/leads.ts', 'table/leads', {
    'createOrReuse throws if the row of the CPF leads to another person, and reveals nothing of that person':
      '«if (lead.cpf !== draft.cpf) return { corrected: id };»',
  }),
  ...guardsIn('shared/table/rows/indexed-rows.ts', 'table/indexed-rows', {
    'transactIndexed refuses a put if the older index key has the row, and reports that row':
      '«check: elsewhere && { ConditionCheck: { Key: elsewhere.key, ...condition } }→check: undefined»',
    'transactIndexed reports the row of the newer index key if both keys have the row':
      'if (check?.failed« && !refused[index]?.failed») refused',
    'getRowAndIndexed returns the row of the older index key if the row of the newer has ended':
      'found.find((candidate) => «unexpired(candidate, now)→candidate»)',
  }),
  ...guardsIn('shared/table/rows/cpf-row.ts', 'table/leads', {
    'createOrReuse makes one lead if a draft is sent 10 times at once':
      "{ leadId }, { ConditionExpression: '«?attribute_not_exists(pk)»' }",
  }),
  ...guardsIn('shared/table/leads/leads.ts', 'flows/sandbox-reset-late-index', {
    'leaves only consents and stored answers while the index':
      "«if (tenancy.environment === 'sandbox') parts.push({ Put: { Item: sandboxLeadKey(tenancy, id) } });»",
    'takes another body after it':
      'if («sameContent ? livingLead(row) : row→!sameContent || livingLead(row)») return outcome;',
  }),
  ...guardsIn('shared/table/rows/living-lead.ts', 'flows/sandbox-reset-late-index', {
    'the same keys serve again after POST /v1/sandbox/reinicio': '  «await releaseKey(claim, named);»\n  return',
    'is not repeated for a lead that': '(named === leadId« && leadRow»)',
    'is answered 422 while the lead of its first call is there':
      'if (named !== leadId && «(await getRow(leadKey(tenancy, named)))→!tenancy») return',
  }),
  ...guardsIn('shared/domain/analyses/due-reader.ts', 'unit/domain/analyses/due-reader', {
    'all that is unread if page 0 cannot be read':
      'const read = await «analyses→((started = true), analyses)».pending(',
    'all that is unread if page 1 cannot be read':
      'analyses.pending(span.partition, span, «after→[after, (after = undefined)][0]»)',
  }),
  ...guardsIn('shared/domain/leads/erase-person.ts', 'table/erasures', {
    'an erasure counts each row once if': '«after.passes.length > passCount ? after : makePass(after, deps)→after»',
  }),
  ...guardsIn('shared/table/leads/erasure-ledger.ts', 'table/erasures', {
    'the ledger keeps the holder and each spouse of a lead apart': 'leadId«, submissionId»].filter(',
    'the ledger of erasures keeps the moment of the first request':
      "«ConditionExpression: 'attribute_not_exists(pk)',»",
    'due returns the other erasures and counts a row that cannot be read': '«emit({}, { ErasuresFailed: 1 });»',
  }),
  ...guardsIn('functions/administration/indexing/rotate-index-key.ts', 'service/administration/index-keys', {
    'rotate-index-key and retire-index-key refuse the name': 'if («current !== name→false»)',
  }),
  ...guardsIn('functions/administration/indexing/retire-index-key.ts', 'service/administration/index-keys', {
    'retire-index-key refuse the name of a key that is not the older one': 'if («indexKeys.name !== name→false»)',
  }),
  ...guardsIn('shared/table/sealing/reindexing.ts', 'service/administration/index-keys', {
    'moves no CPF over the current row': "'«?attribute_not_exists(pk) OR leadId = :lead»'",
    'moves no CPF over the other row': "ConditionExpression: '«?leadId = :lead»'",
  }),
  ...guardsIn('shared/table/partners/api-keys.ts', 'table/api-keys', {
    'rotateKey makes one live key if three rotations of a key come at once':
      "replaced ? '« AND attribute_exists(#keys.#replaced)»' : ''",
  }),
  ...guardsIn('shared/table/partners/api-keys.ts', 'flows/account-changes', {
    'chave_criada of producao is told to the address of this environment only':
      "getRow(webhookKey(«wanted→{ partnerId, environment: 'sandbox' }»))",
    'chave_trocada of producao is told to the address of this environment only':
      'old, { partnerId, environment, webhook: webhooks«[environment]→.sandbox», eventOf });',
    'chave_revogada of producao is told to the address of this environment only':
      'const account = { partnerId, environment, webhook: webhooks«[environment]→.sandbox», eventOf };',
    'chave_trocada breaks off at any call and is followed by the revocation of the old key':
      'const outcome = await transact(parts.concat(«change, end, unmade, webhookAsRead(account)));→end, unmade)); await transact(change);»',
    'chave_revogada breaks off at any call and is repeated':
      'const outcome = await transact(parts.concat(«change, webhookAsRead(account)));→[])); await transact(change);»',
    'chave_trocada tells the new address if another call has set it before the write':
      'parts.concat(change, end, unmade«, webhookAsRead(account)»));',
    'chave_revogada tells the new address if another call has set it before the write':
      'parts.concat(change«, webhookAsRead(account)»));',
  }),
  ...guardsIn('shared/table/partners/partner-register.ts', 'service/administration/partners', {
    'set-incident-contact sets and removes the contact, and is refused if another contact was set meanwhile':
      "replaces === '' ? '«?attribute_not_exists(incidentContact)»' : '«?incidentContact = :replaces»'",
  }),
  ...guardsIn('shared/table/partners/partner-register.ts', 'flows/account-changes', {
    'producao_liberada of producao is told to the address of this environment only':
      "const owner = { partnerId, environment: '«producao→sandbox»' } as const;\n  const account",
    'producao_liberada tells the new address if another call has set it before the write':
      '[profile].concat(event«, webhookAsRead(account)»));',
  }),
  ...guardsIn('shared/table/webhooks/webhook-endpoints.ts', 'flows/account-changes', {
    'webhook_segredo tells the new address if another call has set it before the write':
      "'sealed = :before AND «?#url = :url»',",
  }),
  ...guardsIn('shared/table/webhooks/kept-deliveries.ts', 'flows/late-indexes', {
    'giveUp gives up no event of an endpoint that is enabled while the index shows it as disabled':
      'transact([«whileDisabled(owner), »update])',
  }),
  ...guardsIn('shared/table/partners/sandbox-leads.ts', 'flows/late-indexes', {
    'POST /v1/sandbox/reinicio notes the steps of leads that the index does not show':
      'queryRows({ ...«listed→indexed»(unitId), ...newest })',
  }),
  ...guardsIn('shared/table/partners/sandbox-checklist.ts', 'flows/late-indexes', {
    'the checklist for the validation shows an event that the list of events does not show yet':
      '«if (only === undefined) await lookAtEvents(units, steps);»',
  }),
  ...guardsIn('shared/table/partners/partner-register.ts', 'flows/late-indexes', {
    'page shows a partner that the index does not show, once and in its order': 'idsOf(«rows.Items ?? []→[]», entries',
  }),
  ...guardsIn('shared/domain/leads/erase-person.ts', 'unit/domain/leads/erase-person', {
    'an erasure of an unknown lead does not begin, and the ledger gets no entry': '«if (!begun) return undefined;»',
  }),
  ...guardsIn('shared/domain/analyses/poll-questions.ts', 'unit/domain/analyses/poll-shard', {
    'a run counts each analysis once if its first batch fails and the bank answers single calls':
      '«if (failedInBatch.delete(analysis)) counts.failed -= 1;»',
  }),
  ...guardsIn('shared/domain/analyses/bulkhead.ts', 'unit/domain/analyses/poll-shard', {
    'a run counts each analysis once if its first batch fails and the bank answers nothing':
      'unasked«.filter((due) => !ofFailedProbe.includes(due))».length',
  }),
  ...guardsIn('shared/table/audit/audit.ts', 'table/audit', {
    'close notes the outcome of a change once, and a second close changes nothing': "'«?#outcome = :started»'",
    'newest returns only the changes of a period, newest first, page by page': [
      "':from': auditFrom(«from→0»),\n        ':to': to",
      'to === undefined ? undefined : auditFrom(to«→ + 60_000»)',
    ],
  }),
  ...guardsIn('shared/domain/values/evidence.ts', 'unit/domain/values/evidence', {
    'evidenceFault finds a person or a secret among ordinary words': "«if (!holdsNoSecret(plain)) return 'secret';»",
  }),
  ...guardsIn('shared/domain/partners/key-start.ts', 'unit/domain/partners/key-start', {
    'readKeyStart returns nothing of the secret part of a whole key': 'start: «given.slice(0, key)→given», idStart',
  }),
  ...guardsIn('bin/manager/key-calls.ts', 'unit/panel/calls-of-key', {
    'callsOfKey unmasks no address on AWS, and leaves the masked one out':
      'queryString: «withoutAddresses→false» ? asksForKey.replace(',
  }),
  ...guardsIn('shared/administration/audit.ts', 'unit/administration/audit', {
    'auditLine writes the moment in the time of São Paulo, with the offset':
      'at: «timestampInSaoPaulo(record.at)→record.at» })',
    'isWanted is false for another person': 'if («filter.who→undefined» && ',
    'isWanted is false for another operation': 'if («filter.operation→undefined» && ',
    'isWanted is false for another key': "return «!filter.key→true» || target['key']",
  }),
  ...guardsIn('shared/administration/caller-name.ts', 'unit/administration/caller-name', {
    'callerName returns person, duty and role of': "const person = «path.slice(path.lastIndexOf('/') + 1)→path»;",
  }),
  ...guardsIn('functions/administration/audit/list-audit.ts', 'service/administration/service', {
    'list-audit returns the changes of a period, and refuses a period that ends before it begins':
      'until !== undefined && «since >= until→false»)',
  }),
  ...guardsIn('infra/alarms/capacity.ts', 'templates/watch-stack', {
    'copies-missing rings if no job was completed for 26 hours, and counts the copies if there is another account':
      'datapoints: COPIED_WITHIN / hours(1)«, missingIsBad: true» }',
  }),
  ...guardsIn('infra/administration-stack.ts', 'templates/administration-stack', {
    'people of another account that a stage names may call every route but the operator’s':
      "statement(«DENY→ALLOW», 'NoOutcomesOfPeople', named,",
  }),
  ...guardsIn('infra/constructs/role-statements.ts', 'templates/roles', {
    'the role of get-lead reads only the kinds that its permissions name':
      "if («isReader→false» && permission.reads !== 'all')",
    'the role of create-partner updates an audit row only by outcome and result':
      'if («keepsAudit→false») statements.push(',
  }),
  ...guardsIn('infra/watch-stack.ts', 'templates/watch-stack', {
    'a backup or a copy of a table that has not succeeded sends a ticket, on a stage that keeps evidence':
      "state: ['FAILED', 'ABORTED'«, 'EXPIRED'», 'PARTIAL'],",
  }),
  ...guardsIn('shared/table/rows/connection.ts', 'unit/table/client', {
    'transact throws servico_indisponivel while the same transaction is under way':
      "«'TransactionInProgressException',»",
  }),
  ...guardsIn('shared/queue/notifier.ts', 'table/delivery-queue', {
    'QueueNotifier does not throw if the queue is out, since the events are stored':
      "logError('queue_send_failed', error);«→ throw error;»",
  }),
  ...guardsIn('shared/table/webhooks/unit-deliveries.ts', 'table/unit-deliveries', {
    'the manager can send an account event of the partner again, once in a pause': [
      'partnerId = :partner AND «?environment = :environment» AND $',
      'delivery.partnerId === resender.partnerId« && delivery.environment === resender.environment»;',
    ],
    'keep ends the lease of an attempt, so that the delivery can be claimed as soon as it is released':
      "remove: [«'leasedUntil', »'expiresAt']",
    'list says that it was cut if it has looked at as many deliveries of the partner as it may':
      'isCut: «from !== undefined && found.length < wanted→false» };',
  }),
  ...guardsIn('shared/table/rows/encryption.ts', 'table/leads', {
    'the sealed part of a lead opens only at the version for which it was sealed': 'version, format«, rowVersion»]',
  }),
  ...guardsIn('shared/table/analyses/consents.ts', 'operations/lifetimes', {
    'submitAnalyses keeps key, form, spouse and consent for their times from the call':
      'expiryAt(«now→Date.parse(consent.givenAt)» + CONSENT_KEPT)',
  }),
  ...guardsIn('shared/table/analyses/consents.ts', 'table/consents', {
    'recordConsent never overwrites a consent': "«ConditionExpression: 'attribute_not_exists(pk)',»",
  }),
  ...guardsIn('shared/table/rows/client.ts', 'unit/table/client', {
    'getRow reads consistently': 'Key: key, ConsistentRead: «true→false» });',
    'getRows reads consistently': 'Keys: «wanted, ConsistentRead: true→wanted» }',
    'getRows asks again for rows that the table left out, and returns them in the order of the keys':
      'wanted = «output.UnprocessedKeys?.[tableName()]?.Keys ?? []→[]»;',
    'transact throws the table’s error if the transaction can never succeed':
      "reasons.«every→some»(({ Code }) => TRANSIENT_REASONS.includes(Code ?? 'None'))",
    'is tried again while a transaction holds its row':
      '«if (error instanceof TransactionConflictException) return true;»',
    'transact throws servico_indisponivel once there is no time for another try, and not before':
      "«if (performance.now() + longest > giveUpAt) throw new Failure('servico_indisponivel', { cause: error });»",
  }),
  ...guardsIn('shared/table/rows/client.ts', 'table/lost-answers', {
    'begin writes one row of the audit if its answer is lost':
      "return «refused['nonce'] === nonce ? 'written' : »{ refused };",
  }),
  ...guardsIn('shared/table/rows/client.ts', 'table/conditional-writes', {
    'partner-register.ts setLimits winRow returns the same': '(refused) => «refused[mark] === nonce→false»);',
    'webhook-endpoints.ts countFailure winRow returns the same':
      'ConditionExpression: «once→input.ConditionExpression» }',
  }),
  ...guardsIn('shared/table/webhooks/deliveries.ts', 'table/conditional-writes', {
    'record of a success leaves the event due that is resent before its repetition': 'winRow(update«, DUE_MARK»)',
  }),
  ...guardsIn('shared/table/webhooks/webhook-endpoints.ts', 'table/conditional-writes', {
    'enableWebhook is made although a failed attempt is counted before its repetition':
      'winRow(update«, FAILURE_MARK»)',
  }),
  ...guardsIn('shared/table/audit/approvals.ts', 'table/approvals', {
    'and the other one asks for no second approval':
      "return «now - usedAt < REPEATED_WITHIN ? { outcome: 'spent', approval } : »undefined;",
    'a call with another mark is spent for ten minutes': 'if («kept.usedMark === mark→true»)',
    'a call with the same mark asks again in another state': '(isShown && «kept.usedState === seenAt→true»)',
    'giveBack makes an approval usable once more, and only the use that it names':
      "condition: '#state = :used AND «?usedMark = :mark»',",
  }),
  ...guardsIn('shared/table/audit/approvals.ts', 'table/conditional-writes', {
    'decide is made although the approval is used before its repetition': 'winRow(update«, DECISION_MARK»)',
  }),
  ...guardsIn('shared/table/sealing/reencryption.ts', 'table/conditional-writes', {
    'reencryption.ts reencryptRow updateRecognised returns the same': '({ sealed }) => «isSame(sealed, fresh)→false»,',
  }),
  ...guardsIn('shared/table/rows/index-keys.ts', 'table/changed-keys', {
    'confirmIndexKeys refuses keys from before a rotation, since rows may lie under the newer key': 'known?.at(«-1→0»)',
    'confirmIndexKeys fetches the keys again in a container that holds those from before a rotation':
      '«forgetServiceKeys→await heldNames»();',
  }),
  ...guardsIn('shared/domain/webhooks/waiting.ts', 'unit/domain/webhooks/replay', {
    'waitingFor counts the pending and suspended events of one endpoint, without account events': [
      'type «!== ACCOUNT_EVENT→!== undefined»',
      "const filter = { «environment, »states: ['pendente', 'suspensa'] } as const;",
    ],
  }),
  ...guardsIn('shared/domain/partners/api-key.ts', 'unit/domain/partners/api-key', {
    'calls in the minute before, second': 'Math.«ceil→floor»((previous',
  }),
  ...guardsIn('shared/table/partners/api-key-auth.ts', 'table/api-key-auth', {
    'authenticate refuses a call at the start of a minute if the minute before was full':
      "«allowed > 0 ? '(attribute_not_exists(#cur) OR #cur < :allowed)' : '#cur < :allowed→'(attribute_not_exists(#cur) OR #cur < :allowed)»'",
    'authenticate admits 120 calls a minute, refuses the 121st, and counts each environment on its own':
      "? '(attribute_not_exists(#cur) OR «→attribute_exists(#cur) OR »#cur < :allowed)'",
    'authenticate counts a part of the minute before, which a new container learns by one more call':
      "'(attribute_not_exists(#prev) OR «→attribute_exists(#prev) OR »#prev <= :previous)'",
    'authenticate applies a lower limit from the next call on, including calls counted before': "'«?#limit = :limit»',",
    'a container refuses a caller without asking the table until the moment that Retry-After named':
      'isWithin(now, refusal.since, «refusal.until - refusal.since→0»)',
    'goes on after 30 unknown keys of a partner in a minute': '>= «UNKNOWN_KEYS_ASKED→Infinity»;',
    'reads the item of a partner once a second': 'isWithin(call.now, earlier.at, «READ_EVERY→0»);',
    'answers 401 to the key for which the item was read':
      "throw «isRecent ? new RateExceeded(DEFAULT_LIMIT, READ_AGAIN) : »new Failure('auth_invalid');",
    'a new container admits the owner’s old and new key within a second while forged keys come':
      '«if (entryIn(await read.item, call)) return;»',
    'a container asks the table once a minute about an unknown key, however often the key comes':
      'isWithin(now, unknownSince, «UNKNOWN_FOR→0»)',
  }),
  ...guardsIn('shared/table/partners/api-key-auth.ts', 'unit/table/api-key-auth', {
    'authenticate admits a call at the turn of a minute after four refusals that late calls cause':
      'const ATTEMPTS = «5→2»;',
    'authenticate throws auth_invalid, not rate_limited, for a known key id with another secret':
      'return entry && «Buffer.from(entry.h).equals(hash)→hash» ? entry : undefined;',
  }),
  ...guardsIn('shared/table/rows/key-use.ts', 'table/key-use', {
    'the count of a sealing key is right if 20 encryptions run at the same time':
      'available.set(version, «remaining(version) + ENCRYPTIONS_TAKEN→ENCRYPTIONS_TAKEN»);',
  }),
  ...guardsIn('shared/table/webhooks/webhook-endpoints.ts', 'table/webhook-endpoints', {
    'rotateWebhookSecret returns the same secret and the same end of the overlap for the same token':
      'before.token «=→!»== token',
    'rotateWebhookSecret refuses a token whose secret another rotation has replaced, and changes nothing':
      '«before.earlierTokens.includes(token)→false»',
    'an attempt from before a change of the endpoint counts and forgets no failure, and disables nothing': [
      "ConditionExpression: '«?changedAt = :changedAt» AND enabled = :yes',\n      ExpressionAttributeValues: {\n        ':now': now,\n        ':one'",
      "ConditionExpression: '«?changedAt = :changedAt»',",
      'ConditionExpression: `«?changedAt = :changedAt» AND enabled = :yes$',
    ],
    'disable leaves an endpoint enabled whose failures ended meanwhile': "' AND «?failingSince = :since»'",
    'enabledLately returns an endpoint from its enabling on, until it is released or disabled':
      "ConditionExpression: '«?dueSk = :seen»',",
    'rotateWebhookSecret succeeds for only one of two calls that come at once':
      "ConditionExpression: '«?sealed = :before» AND #url = :url',",
    'enableWebhook and disableWebhook refuse an endpoint that is not as it was seen, and say what has changed': [
      "'«?changedAt = :seenAt» AND enabled = :seenEnabled'",
      "'changedAt = :seenAt AND «?enabled = :seenEnabled»'",
    ],
    'a new address or secret is refused if production was opened since the caller looked':
      '« AND attribute_not_exists(validatedAt)»` : exists;',
    'a new address or secret of the sandbox is written although production was opened since the caller looked':
      "const mustBeClosed = «environment === 'producao' && »seen?.inProduction === false;",
    'setWebhook sets an enabled endpoint without failures, once, even if two calls come at once':
      "Put: { Item«, ConditionExpression: 'attribute_not_exists(pk)'» }",
    'rotateWebhookSecret refuses while an overlap runs, unless the previous secret is to be dropped':
      'if (keepsPrevious && !dropPrevious && previousUntil !== undefined && previousUntil > «now→Infinity») {',
  }),
  ...guardsIn('shared/table/leads/lead-erasure.ts', 'table/erasures', {
    'an erasure counts each row once if': "{ Key«, ConditionExpression: 'attribute_exists(pk)'» }",
    'eraseSpouse while an analysis is pending reads the form again if it was written since the read':
      'transact([{ Update: updateOf(Key, { set«, ...seen» }) }])',
    'eraseSpouse once no analysis is pending reads the form again if it was written since the read':
      'Update: updateOf(Key, { set, remove«, ...seen» }) };',
    'close deletes receivers’ texts, and the second pass stored answers, except those of a new lead’s key': [
      '    «await forgetAnswers(erasure);»',
      'erasure.leadId);\n    «await this.#deleteTexts(erasure, analyses);»\n    return after;',
    ],
    'the second pass deletes a text that a worker of an earlier release has stored after the first pass':
      'forgetAnswers(erasure);\n      «await this.#deleteTexts(erasure, analyses);»',
    'mark deletes 120 simulations, more than a transaction holds, and the pass counts them':
      '«for (let from = 0; from < older; from += BATCH) await transact(deletions(keys.slice(from, from + BATCH)));»',
    'close empties no lead that has no mark': "'«attribute_exists(erasingSince)→attribute_exists(pk)»'",
    'a marked sandbox lead gets no noted step, and close takes it off the sandbox’s lists': [
      'REMOVE sealed«, listPk, listSk»,',
      'return [emptied]«.concat(deletions(listed))»;',
    ],
    'begin starts an erasure once, and returns the stored one to a later caller':
      "Put: { Item: erasureRow(erasure)«, ConditionExpression: 'attribute_not_exists(pk)'» }",
    'begin stores nothing if the CPF of the caller no longer leads to the lead':
      '«if (cpf !== undefined) parts.push(await whileCpfLeadsTo(erasure, cpf, leadId));»',
    'begin returns undefined if the lead has been removed':
      "leadKey(erasure, leadId)«, ConditionExpression: 'attribute_exists(pk)'» }",
    'close and mark of a late run write nothing and return the stored erasure': "condition: '«?revision = :seen»',",
    'mark reads the lead again if the lead was changed since the read': '«?version = :seen» AND $',
    'mark waits while an analysis is pending, and marks the lead once it is decided':
      '«if (pending > 0) return this.#write(erasure, { ...erasure, pending, nextCheckAt });»',
    'erase leaves the CPF to a new lead of the same person': "ConditionExpression: '«?leadId = :erased»',",
  }),
  ...guardsIn('shared/table/webhooks/receiver-texts.ts', 'table/erasures', {
    'close deletes receivers’ texts though attempts are recorded while it runs':
      "ConditionExpression: '«?history = :seen»',",
  }),
  ...guardsIn('shared/table/leads/lead-retention.ts', 'table/lead-retention', {
    'yields to a change or refuses it': 'Object.entries({ «version, »uses',
    'yields to a simulation or refuses it': 'Object.entries({ version, «uses, »reusedAt',
    'yields to its CPF again or refuses it': 'uses, «reusedAt, »replayedAt, dueSk',
    'yields to a replay or refuses it': 'reusedAt, «replayedAt, »dueSk',
    'yields to a request for erasure or refuses it':
      "Item: erasureRow(erasure)«, ConditionExpression: 'attribute_not_exists(pk)'»",
  }),
  ...guardsIn('shared/domain/leads/erase-person.ts', 'table/lead-retention', {
    'a sweep that is cut off at any call is continued, and deletes nothing before the ledger has the lead':
      '«await ledger.add(erasure, erasure.requestedAt);»',
  }),
  ...guardsIn('shared/domain/leads/retention.ts', 'unit/domain/leads/retention', {
    'a longer term that is set after a notice': 'terms && «notice?.seen === traceOf(lead, terms)→notice» ?',
    'a notice does not count any more after a': 'const use = «[version, uses, reusedAt, replayedAt]→[0]»;',
  }),
  ...guardsIn('shared/domain/analyses/analysis.ts', 'table/lead-retention', {
    'look takes the latest possible moment for a final analysis that has no moment of its end':
      'concludedAt ?? «createdAt + CLOSE_LIMIT→0»',
  }),
  ...guardsIn('shared/table/rows/keys.ts', 'table/webhook-endpoints', {
    'get and view return the endpoint of the environment, and undefined if only the other one has an endpoint': `sk: \`WEBHOOK«#\${environment}»\`,`,
  }),
  ...guardsIn('shared/table/rows/keys.ts', 'table/deliveries', {
    'release makes only events of its environment due, and leaves what the other one keeps': `\`SUSPENDED#\${partnerId}«#\${environment}»\`;`,
  }),
  ...guardsIn('shared/domain/webhooks/troubled.ts', 'unit/domain/webhooks/troubled', {
    'countFailing counts by environment the endpoints that have failed for more than six hours':
      'troubled.failing(now« - FAILING_LONG», PAGE, after);',
  }),
  ...guardsIn('shared/domain/webhooks/count-kept.ts', 'unit/domain/webhooks/count-kept', {
    'countKept counts the kept events of each endpoint by environment':
      '«endpoint.environment === environment && »count > 0);',
  }),
  ...guardsIn('shared/domain/webhooks/replay.ts', 'unit/domain/webhooks/replay', {
    'replayPage returns all replayable deliveries of an endpoint, or those in the given states, oldest first':
      'const filter = { ...selection.filter, «environment, »states: statesOf(selection) };',
  }),
  ...guardsIn('shared/administration/deliveries.ts', 'service/administration/deliveries', {
    'replay-deliveries refuses a body that chooses no events: { partner_id: 1, unit_id: 3':
      "«if (environment === undefined) throw missing('environment', 'is missing: each environment has its own webhook');»",
  }),
  ...guardsIn('functions/administration/dead-letters/redrive-dead-letters.ts', 'service/administration/deliveries', {
    'redrive-dead-letters keeps no letter because the webhook of the sandbox is disabled':
      "environment: '«producao→sandbox»' }))?.enabled === false;",
  }),
  ...guardsIn('shared/administration/webhooks.ts', 'service/administration/approvals', {
    'one person may change the webhook of the sandbox of a validated partner, and not that of production':
      "«environment === 'producao' && »inProduction;",
    'a call that one person may make alone needs no approval': "environment === 'producao'« && inProduction»;",
  }),
  ...guardsIn('shared/contract/delivery.ts', 'unit/contract/delivery', {
    'the list of deliveries has no body of an event of production':
      "const corpo = «delivery.environment === 'sandbox'→true» ? delivery.body : undefined;",
  }),
  ...guardsIn('shared/partner/client/forward.ts', 'unit/partner/forward', {
    'webhook listen forwards only events that come after its start, the oldest first, each once':
      '«if (!this.#known.has(event.id)) »found.push(event);',
  }),
  ...guardsIn('shared/contract/event.ts', 'service/administration/webhooks', {
    'ping-webhook sends the event of the environment to its address, signed with its secret only':
      "type: TEST_EVENT,\n    timestamp: timestamp(now),\n    ambiente: «environment→'sandbox'»,",
  }),
  ...guardsIn('shared/table/rows/outbox.ts', 'table/deliveries', {
    'writeOutbox refuses a second delivery of an event and leaves the first as it is':
      "«ConditionExpression: 'attribute_not_exists(pk)',»",
  }),
  ...guardsIn('shared/table/webhooks/deliveries.ts', 'table/deliveries', {
    'claim gives an attempt to one of 20 workers that ask at once': 'leasedUntil < :«now→now OR attribute_exists(pk)»)',
    'claim gives the attempt of a dead worker to another worker once the lease is over':
      "':lease': now + «LEASE→10 * LEASE»,",
    'claim before the due moment returns early for a delivery of the queue, and nothing for a sweeper’s delivery':
      'AND «?dueAt <= :now» AND (attribute_not_exists(leasedUntil)',
    'claim returns nothing for a later attempt and for an unknown delivery': '«?dueAttempt >= :attempt» AND',
    'reopen makes an exhausted delivery due once, and only by the message that names the next attempt': [
      "'«?#state = :pending» AND dueAttempt >= :attempt",
      "condition: '#state = :exhausted AND «?dueAttempt = :attempt»',",
    ],
    'record drops a late failure if another worker failed with the attempt, but a late success counts': [
      '«?dueAttempt <= :latest»',
      '«result?.delivered ? attempts + 1 : attempts→attempts»',
    ],
    'record does not replace a success by a late failure': '«?#state = :pending» AND dueAttempt <= :latest',
    'record of a failure neither puts off nor ends a resend': "' AND «?dueAt = :claimed»'",
    'record writes a success though a resend came during the attempt':
      "if («result?.delivered || next→next».state === 'suspensa') return false;",
    'record ends the lease, so that the next attempt can be claimed immediately': "remove: index ? [«'leasedUntil'»] :",
    'record of a failure keeps no text if the texts were deleted during the attempt':
      "' AND «attribute_not_exists(textsDeletedAt)→attribute_exists(pk)»'",
    'record keeps no text of an attempt that is claimed after an erasure, not even of a resend':
      'history: «isMarked ? withoutTexts(history) : »history,',
    'record suspends a delivery without the text of an attempt during which an erasure came':
      "return «marked ? this.record(marked, result, next, now) : »'overtaken';",
    'listDue returns deliveries by retry owner, oldest first, until markEnqueued puts them off':
      "'«#state = :pending AND dueAttempt = :attempt AND dueAt = :dueAt→(#state = :pending AND dueAttempt = :attempt AND dueAt = :dueAt) OR attribute_exists(pk)»'",
  }),
  ...guardsIn('shared/table/webhooks/deliveries.ts', 'table/replays', {
    'record does not suspend a delivery once the endpoint is enabled, so that release misses none':
      "ConditionExpression: '«?enabled = :no»',",
    'release makes a delivery due once, though two runs have read it in the index':
      "condition: '«?#state = :suspended»',",
  }),
  ...guardsIn('shared/table/rows/row-format.ts', 'table/replays', {
    'replay returns absent for a delivery that has ended, though its row is still there':
      'OR expiresAt > :«at→at OR attribute_exists(pk)»)',
  }),
  ...guardsIn('shared/table/webhooks/replays.ts', 'table/replays', {
    'replay changes nothing for a delivery that is pending, or for an unknown event': `attribute_exists(pk) AND «?#state <> :pending AND #state IN (\${placeholders})»\``,
    'replay changes nothing for a delivery that has left the states that were asked for': `#state <> :pending AND «?#state IN (\${placeholders})»\``,
  }),
  ...guardsIn('functions/pollers/sweep-deliveries.ts', 'operations/sweep-deliveries', {
    'sweep-deliveries does one page of each of its works if its time is nearly over': [
      'giveUpKept({ kept, now, inTime«→: () => true» })',
      'countKept({ kept, now, inTime«→: () => true» })',
      'endpoints, queue, now, inTime«→: () => true» };',
    ],
    'sweep-deliveries fails after its other work if a kept delivery cannot be given up':
      '«if (failures.length > 0) throw failures[0];»',
  }),
  ...guardsIn('shared/table/webhooks/kept-deliveries.ts', 'operations/sweep-deliveries', {
    'sweep-deliveries fails after its other work if a kept delivery cannot be given up':
      "failures: «written.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason)→[]»,",
  }),
  ...guardsIn('shared/table/webhooks/kept-deliveries.ts', 'flows/retention', {
    'a resent event is kept even if the index shows the resend late or not at all':
      'OR wishedAt < :«before→before OR attribute_exists(pk)»)',
  }),
  ...guardsIn('shared/domain/analyses/bank-submission.ts', 'unit/domain/analyses/bank-submission', {
    'a run that was held up for 50 s sends nothing':
      'const inTime = clock() «- analysis.createdAt < SUBMIT_LEASE - ONE_BANK→> 0»;',
    'nothing is sent and no lease is acquired once the signal is aborted': '«if (signal.aborted) return inDoubt;»',
    'nothing is sent if the lease might run out before the bank has answered':
      'const inTime = clock() «- asked < SUBMIT_LEASE - ONE_BANK→> 0»;',
    'only the run that acquired the lease sends the analysis': '«if (!taken?.isMine) return undefined;»',
    'an analysis is refused under its lease once it is older than 48 hours':
      '«if (asked - analysis.createdAt > SUBMIT_LIMIT) return TOO_LATE;»',
    'an analysis is withdrawn if the erasure of its person was requested':
      "«if (await analyses.isToBeErased(analysis)) return { kind: 'withdrawn' };»",
    'an analysis is not sent if its person withdrew the consent':
      "«if (await analyses.isConsentWithdrawn(analysis)) return { kind: 'consent_withdrawn' };»",
    'asks nothing about an analysis that is confirmed':
      "const waits = analysis.situation === 'em_analise'« && analysis.queryNumber === ''»;",
  }),
  ...guardsIn('shared/domain/analyses/poll-analysis.ts', 'unit/domain/analyses/bank-submission', {
    'is not asked about while the request that claimed it may still be sending it':
      "queryNumber === '' && now >= createdAt && «now - createdAt < SUBMIT_LEASE→now < createdAt»;",
    'an analysis with a query number is never sent again':
      "if (status.kind === 'absent'« && analysis.queryNumber === ''»)",
    'an analysis is overdue after 30 days': 'unanswerableSince !== undefined &&« now - createdAt > CLOSE_LIMIT→ true»;',
  }),
  ...guardsIn('shared/domain/analyses/unsent-watch.ts', 'unit/domain/analyses/bank-submission', {
    'has seen the analysis unsent for only': '«sight.seenFor() >= SUBMIT_LEASE→sight.seenFor() >= 0» ? sight.lease',
    'until the container has seen that lease for a minute':
      'const seenFor = before« && (lease ?? before.lease) === before.lease» ? before.seenFor : lastSeen;',
  }),
  ...guardsIn('shared/domain/analyses/poll-questions.ts', 'unit/domain/analyses/poll-questions', {
    'after 30 days only marks the analysis': "if ((found.fault === 'analysis'« || last») &&",
    'after 30 days ends an analysis': 'const last = «isOverdue(analysis, clock())→false»;',
    'is in a batch only if it has a number':
      "analysis.queryNumber !== ''« && analysis.unanswerableSince === undefined» && !isOverdue(analysis, clock()),",
    'and is not overdue': 'analysis.unanswerableSince === undefined« && !isOverdue(analysis, clock())»,',
    'a run asks about up to twenty': 'const found = «leftOutAllowed-- > 0 && »clock() < lastStart',
    'none from lastStart on': 'const found = leftOutAllowed-- > 0« && clock() < lastStart» ?',
    'no more once the bank fails': "«if (found.kind === 'unavailable' && found.fault === 'bank') leftOutAllowed = 0;»",
  }),
  ...guardsIn('shared/domain/analyses/analysis.ts', 'unit/domain/analyses/analysis', {
    'an analysis moves only from em_analise to a final situation':
      '«if (!isPending(analysis.situation)) return undefined;\n  »if (to.situation === analysis.situation)',
  }),
  ...guardsIn('shared/domain/analyses/record-outcomes.ts', 'unit/domain/analyses/record-outcomes', {
    'is refused as other_bank': "«if (outcome.bank !== analysis.bank) return refused('other_bank');»",
    'is refused as other_number':
      "«if (hasNumber && queryNumber !== analysis.queryNumber) return refused('other_number');»",
    'a reported number with a name is compared without the name':
      '«await deps.names.numberWithoutNames(analysis, outcome.queryNumber)→outcome.queryNumber»',
    'is refused as unknown': "«if (outcome.environment === 'sandbox') return refused('unknown');»",
    'is refused as not_submitted':
      "«if (!hasNumber && isPending(analysis.situation)) return refused('not_submitted');»",
    'changes no final situation': 'if («!isPending(analysis.situation)→analysis.id < 0») {',
    'are recorded in their order even if the first read of the row is the slowest':
      '«for (const { index, outcome } of ofAnalysis) records[index] = await recordOutcome(outcome, deps)→await Promise.all(ofAnalysis.map(async ({ index, outcome }) => (records[index] = await recordOutcome(outcome, deps))))»;',
  }),
  ...guardsIn('shared/runtime/background-runs.ts', 'unit/runtime/background-runs', {
    'scheduledRun does nothing and counts the run at AWS’s time if the clock is': [
      '«if (isClockRight(Date.now() - Date.parse(time))) »await run();',
      'Date.now()« - (isKnown ? aheadMs : 0)»',
    ],
    'queueRun reports every message as failed if the clock is two days':
      'if («isClockRight(clock.aheadMs(event.Records))→true») return run();',
    'the clock is judged by a message that came back and was sent later':
      'if («aheadMs < 0 || »records.some(isFirstReceive))',
    'the clock is judged by a message that came back after two days': '«Math.max(0, aheadMs - LONGEST_RETURN_MS)→0»;',
    'a message that comes back is judged by what the container saw last': 'return «this.#lastAheadMs ?? »Math.max(',
  }),
  ...guardsIn('shared/http/right-clock.ts', 'service/wrong-clock', {
    'a partner gets 503 from submitAnalyses, and nothing is stored':
      'isClockRight(«Date.now() - requestContext.requestTimeEpoch→0»)',
    'a partner still gets the answer of a GET': "if («httpMethod === 'GET' || »isClockRight",
  }),
  ...guardsIn('shared/http/right-clock.ts', 'service/administration/wrong-clock', {
    'close-analysis is refused and writes nothing': 'isClockRight(«Date.now() - requestContext.requestTimeEpoch→0»)',
  }),
  ...guardsIn('shared/domain/values/clock.ts', 'unit/operator/circuit', {
    'the circuit accepts new submissions after 30 s although the clock was put back':
      '«now >= since && »now - since < time',
  }),
  ...guardsIn('shared/outbound/http-client.ts', 'unit/outbound/http-client', {
    'a request that an ended run left behind while it connected is never sent': '«expectTimeLeft();»',
  }),
  ...guardsIn('shared/runtime/stopwatch.ts', 'unit/runtime/stopwatch', {
    'a stopwatch measures on if the clock is corrected by 10 minutes': 'Date.now() - wallMs« - LARGEST_CORRECTION_MS»',
    'a stopwatch measures at least the time of a frozen container':
      'performance.now() - monotonicMs«, Date.now() - wallMs - LARGEST_CORRECTION_MS»',
  }),
  ...guardsIn('shared/domain/webhooks/dead-letters.ts', 'unit/domain/webhooks/dead-letters', {
    'discardLetters finds up to ten letters that the approximate count': 'Math.max(waiting«, LEAST_LOOKED_FOR»);',
  }),
  ...guardsIn('functions/pollers/sweep-erasures.ts', 'service/wrong-clock', {
    'sweep-erasures changes, sends and asks nothing if its clock is two days':
      "await «scheduledRun('sweep-erasures', tick, context, () => sweep(inTime))→sweep(inTime)»;",
  }),
  ...guardsIn('functions/pollers/sweep-deliveries.ts', 'service/wrong-clock', {
    'sweep-deliveries changes, sends and asks nothing if its clock is two days':
      "await «scheduledRun('sweep-deliveries', tick, context, run)→run()»;",
  }),
  ...guardsIn('functions/pollers/poll-bank-outcomes.ts', 'service/wrong-clock', {
    'a poller whose clock is two days ahead cancels no analysis of 29 days':
      "await «scheduledRun('poll-bank-outcomes', tick, context, run, { shard: tick.shard })→run()»;",
  }),
  ...guardsIn('functions/workers/deliver-webhook.ts', 'service/wrong-clock', {
    'deliver-webhook changes, sends and asks nothing if its clock is two days':
      "await «queueRun('deliver-webhook', event, context, clockByMessages, attempts)→attempts()»;",
  }),
  ...guardsIn('functions/pollers/poll-bank-outcomes.ts', 'service/poll-bank-outcomes', {
    'begins nothing in its last 15 seconds': 'ports.clock() + context.getRemainingTimeInMillis()« - SHUTDOWN_MARGIN»',
  }),
  ...guardsIn('shared/wiring.ts', 'unit/wiring', {
    'forces the outcome of a test CPF in the sandbox, and never in production':
      "«environment === 'sandbox' ? forcedOutcome(cpf, note) : undefined→forcedOutcome(cpf, note)»",
  }),
  ...guardsIn('shared/domain/analyses/circuit-breaker.ts', 'unit/domain/analyses/circuit-breaker', {
    'opens after five failures in a row': 'const FAILURES_TO_OPEN = «5→9»;',
    'waits for running calls before the trial call': "(state === 'tripped' && running «==→>»= 0)",
    'the circuit breaker of a lane closes when the trial call is answered, and allows no second trial':
      "state = «tried ? 'open' : »'tripped';",
    'the circuit breaker of a lane never opens for failures that an answer interrupts': '«        failures = 0;\n»',
  }),
  ...guardsIn('shared/domain/analyses/bulkhead.ts', 'unit/domain/analyses/bulkhead', {
    'a lane asks in batches of up to 100: the first one alone':
      'const goesAlone = «group.length > 1 && !probed→false»;',
    'a lane without batches asks about each analysis once, ten at a time': 'inFlight(«AT_ONCE→2 * AT_ONCE»)',
    'from lastStart on a lane starts nothing': 'const inTime = () => clock() < «lastStart→Infinity»;',
    'a lane tries a batch only once if the operator has no batches': '      «  putBack(group);\n      »}',
  }),
  ...guardsIn('shared/domain/analyses/poll-shard.ts', 'unit/domain/analyses/poll-shard', {
    'continue where they stopped': 'open ? [] : owedOf(«unfinished→[]», now)',
    'makes nobody wait': 'const cursor = «stored && isFromFuture(stored, now) ? undefined : »stored;',
  }),
  ...guardsIn('shared/domain/analyses/poll-schedule.ts', 'unit/domain/analyses/poll-schedule', {
    'shards share every partition':
      'return POLL_PARTITIONS.filter((partition) => shardOf(partition, shards) «==→<»= shard);',
    'makes up for every missed minute': '«Math.min(through + 1, minute)→minute»',
  }),
  ...guardsIn('shared/operator/read-answer.ts', 'unit/operator/operator-api', {
    'counts as no answer':
      "  expectSame(submission.«reference, reference);\n  expectSame(submission.bank→bank», bank);\n  return { kind: 'accepted'",
    'a query that is answered with another query number':
      '«if (byNumber) expectSame(submission.queryNumber, queryNumber);»',
    'a query asks by number, or by reference if there is no number or one with a mask':
      "queryNumber !== ''« && !queryNumber.includes(MASK)»;",
    'a query that is answered with a 404 of another reference':
      '«expectSame(parsed(schemas.neverReceived, answer).reference, reference);»',
    'a query that is answered with a 404 by number': 'if («!byNumber && »answer.status === 404) {',
    'a batch leaves an analysis without an answer unless exactly one entry fits it':
      'return «status && fitting.length === 1→status»',
  }),
  ...guardsIn('shared/operator/read-answer.ts', 'unit/operator/bank-text', {
    'a stored query number with a mask stays, and no form is read for it':
      '(«queryNumber.includes(MASK) || »entry.queryNumber === queryNumber)',
  }),
  ...guardsIn('shared/operator/bank-text.ts', 'unit/operator/bank-text', {
    'a stored query number with a mask stays': 'const isKept = «analysis.queryNumber.includes(MASK)→false»;',
    'the query number of an analysis that is accepted names nobody':
      'queryNumber: «numberWithoutPeople(form, result.queryNumber)→result.queryNumber» };',
    'the query number of an analysis that is known names nobody':
      'analysis.queryNumber : «await this.#names.numberWithoutNames(analysis, status.queryNumber)→status.queryNumber»,',
    'numberWithoutNames masks a CPF with dots and dash if the form is gone':
      ': «withoutFormattedCpfs(queryNumber)→queryNumber»;',
  }),
  ...guardsIn('shared/operator/without-people.ts', 'unit/operator/without-people', {
    'a street with a number in its name is masked: Rua 25 de Março': '[WORDS«, WORDS_AND_NUMBERS»].flatMap(',
    'a street with a number in its name is masked: Rua João XXIII, 20': String.raw`new Set([written«, written.replace(/,\s*\d+\s*$/, '')»]);`,
    'a bank’s text keeps nothing of a person who is written as: birth date':
      'const plain = «withoutDates(form, →(»withoutNumbers',
    'a damaged name leaves a sign of damage': "« + (isDamaged(word) && !rest ? '?' : '')»;",
    'a bank’s text stays as it is if it names nobody of its form: N?o aprovado': '«&& !banksWordFits(fits)»;',
    'a bank’s text stays as it is if it names nobody of its form: Em análise':
      '«if (isBanksWord(word, 3)) return word;»',
  }),
  ...guardsIn('shared/operator/operator-api.ts', 'unit/operator/operator-api', {
    'a connection that does not open ends after 3 s': 'const CONNECT_TIMEOUT: Milliseconds = seconds(«3→30»);',
    'counts as no answer: a submission is unknown': '«if (answer.broken) throw answer.broken;»',
    'readOutcomes returns undefined for an entry with an id with leading zeros':
      '«if (operatorReference(tenancy, id) !== reference) return undefined;»',
  }),
  ...guardsIn('shared/operator/circuit.ts', 'unit/operator/circuit', {
    'refuses new submissions while most of the last 30 s timed out':
      'late.length * 2 > submissions.«length→length * 9»',
    'refuses new submissions for 30 s after any call whose token fails':
      'if (refused) this.#refusedAt = «at→undefined»;',
  }),
  ...guardsIn('shared/webhook/send.ts', 'unit/webhook/send', {
    'is a failure of its class, and no redirect is followed': 'status >= 200 && status < «300→400»',
    'an answer with slow headers fails as timeout after 15 s in all':
      'withTimeLimit(«SEND_LIMITS→10 * SEND_LIMITS».total,',
    'retryAfterMilliseconds reads Retry-After': 'Math.«min(Math.max(asked, 0), LONGEST_RETRY_WAIT→max(asked, 0»)',
  }),
  ...guardsIn('shared/webhook/sign.ts', 'unit/webhook/sign', {
    'the previous secret signs nothing from the moment at which its overlap ends':
      'now < «secrets.previousUntil→Infinity»',
  }),
  ...guardsIn('shared/domain/simulations/pricing/tables/jumps.ts', 'unit/domain/simulations/pricing/tables/jumps', {
    'jumps needs a reason for a figure that is gone': 'exec(row)?.[1]«→ ?? row»;',
    'jumps needs no reason for a month of the year that the version before names':
      'lastDayOf(current.date) < «firstDayOf→lastDayOf»(old.date)',
    'jumps accepts no reason that covers several rates, or a rate and its parts': '« && !isOfRate(row)»);',
  }),
  ...guardsIn('shared/domain/simulations/comparison.ts', 'unit/domain/simulations/comparison', {
    'lowestAmount returns nothing for offers of another principal': '« || differing.length > 0») return undefined;',
    'lowestAmount returns nothing for offers of another cashNeeded': "'system', «'cashNeeded'→'term'»] as const",
    'compareOffers puts home equity apart from purchases': "filter(({ product }) => «product !== 'HOME_EQUITY'→true»)",
  }),
  ...guardsIn('shared/domain/simulations/pricing/eligibility.ts', 'unit/infra/pricing-tables', {
    'exactly until the day before its rate is too old': 'contractDay «<=→<» lastDayOfUse(',
  }),
  ...guardsIn(
    'shared/domain/simulations/pricing/tables/in-force.ts',
    'unit/domain/simulations/pricing/tables/in-force',
    {
      'at most 12 months more than without the page': 'return withPage < latest ? withPage : «latest→withPage»;',
    },
  ),
  ...guardsIn('shared/domain/simulations/pricing/tables/validate.ts', 'unit/domain/simulations/pricing/tables/faults', {
    'tableFaults checks the form of brb with': [
      'else if (day > «report.until→"9999"») report(row',
      '&& day <= «lastDayOf→firstDayOf»(date))',
    ],
  }),
  ...guardsIn(
    'shared/domain/simulations/pricing/tables/bank-pages.ts',
    'unit/domain/simulations/pricing/tables/faults',
    {
      'tableFaults checks the form of brb with': "if («protocol !== 'https:' || »port !== ''",
    },
  ),
  ...guardsIn('infra/alarms/pricing-tables.ts', 'unit/infra/pricing-tables', {
    'pricing-tables-old rings once for each day on which production begins to refuse a bank':
      'return «!begins && »warnings.some(',
    'days before production refuses': 'addDays(day, «-WARNING_DAYS→0»)',
    'pricing-tables-old ends when the next table of a refused bank comes into use':
      'until === undefined ? Number.POSITIVE_INFINITY : «startInSaoPaulo(until)→Number.POSITIVE_INFINITY»',
  }),
  ...guardsIn('shared/domain/values/nearest-name.ts', 'unit/domain/values/nearest-name', {
    'fold returns the same text for every spelling of a name that looks equal': [
      'return «visibleText(text)→text»\n',
      '«.replace(APOSTROPHES, "\'")»\n',
      "«.replace(HYPHENS, '-')»\n",
    ],
  }),
  ...guardsIn('shared/domain/leads/lead.ts', 'unit/domain/leads/lead', {
    'a draft of a known person conflicts in no field that it only spells in another way': [
      "if (field === 'name') return «fold(one) === fold(other)→one === other»;",
      "if (field === 'phone') return «nationalPhone(one) === nationalPhone(other)→one === other»;",
      "if (field === 'email') return «one.toLowerCase() === other.toLowerCase()→one === other»;",
    ],
    'a holder is the lead if both names look equal, whichever of them was stored':
      "if («fold(lead.name) !== fold(holder.name)→lead.name !== holder.name») differences.push('name');",
  }),
  ...guardsIn('shared/contract/fields.ts', 'unit/contract/fields', {
    'the name of a person is read as it looks, whatever invisible characters are in it': '«z.overwrite(kept),»',
  }),
  ...guardsIn('shared/contract/analysis-request.ts', 'unit/contract/analysis', {
    'the form for the bank has the names of holder, mother and spouse without invisible characters': [
      'nome_mae: described(«personName→line»()',
      'z.optional(«personName→line»())',
    ],
  }),
  ...guardsIn('shared/partner/client/client.ts', 'unit/partner/client', {
    'the client yields an item once if a new item moves it to the next page':
      'if («own === undefined || !seen.has(own)→true») {',
    'the client reads all pages of a list filtered by situacao before its first item, which a resend would move':
      "const filtered = «(fieldOf(query, 'situacao') ?? undefined) !== undefined→false»;",
    'verifyWebhook refuses META of Django as headers before it computes a signature':
      'if («missing.length === 0→true») return found;',
    'verifyWebhook refuses an empty secret after the right secret before it computes a signature':
      "held.some((secret) => «secret === ''→false» ||",
    'verifyWebhook refuses a moment in the wrong unit before it computes a signature': '!(now >= «1e11→0»',
  }),
  ...guardsIn('shared/domain/simulations/pricing/eligibility.ts', 'unit/domain/simulations/pricing/limits', {
    'refuses a term below the shortest at an age that allows no term': '« || longest === 0») return [];',
    'refuses FGTS above what a price leaves, for a buyer who may not use it':
      '«if (reasons.length > 0) return reasons;»',
    'refuses a loan above the share and above the largest loan of the housing rules, if the share is lower':
      'return «byShare < bySize→false» ?',
    'refuses a loan below the smallest and above the share of a property that is too cheap':
      'return centavos(«Math.max(propertyValue, leastProperty(terms.leastFinanced, withoutFgts(backing)))→propertyValue»);',
    'obstacles gives nothing that follows from a rate as a reason if the rate is too old':
      "bar === 'rate'« && rateObstacles(asked).length === 0»",
  }),
  ...guardsIn('shared/domain/simulations/pricing/quote.ts', 'unit/domain/simulations/pricing/limits', {
    'obstacles gives no figure of homes as a reason against the purchase of commercial property':
      '«if (others.some(({ kind }) => WITHOUT_RATE.has(kind))) return [];»',
  }),
];

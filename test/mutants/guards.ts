/**
 * The guards of the once-only core: pieces of code that keep something from happening twice, too late, too early or to the
 * wrong one. Each stands beside the test that must fail without it.
 */

export interface Guard {
  readonly file: string;
  /** The text that makes the guard; once in its file. */
  readonly text: string;
  /** What stands in its place without the guard. */
  readonly becomes: string;
  /** The test that must fail without it: its file, and a part of its name. */
  readonly test: string;
  readonly title: string;
}

/** What is taken out, «so», or «put→differently»; a condition of the table, «?so», is made true of every row. */
const CHANGE = /«(\?)?(.*?)(?:→(.*?))?»/gs;

/**
 * Guards of a file that tests of one file must notice, by the titles of these: each as its text with what is changed in it. A
 * condition is not cut out: DynamoDB refuses an expression whose values are not all used.
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
  ...guardsIn('shared/table/analyses/analyses.ts', 'table/analyses', {
    'is nobody’s once the analysis has ended without a number': '`«?situation = :pending» AND queryNumber = :none AND',
    'is nobody’s once the bank has the analysis': 'AND «?queryNumber = :none» AND',
    'is one run’s alone': ["'attribute_«not_»exists(nonce)'", "'nonce = :seen«→ OR attribute_exists(pk)»'"],
    'is noted while the analysis is pending, and never after':
      "ConditionExpression: '«?situation = :pending»',\n      ExpressionAttributeValues: {\n        ':queryNumber'",
  }),
  ...guardsIn('shared/table/analyses/analyses.ts', 'table/poll-cursors', {
    'is marked in the index from the first moment that was noted': '«AND attribute_not_exists(unanswerableSince)»',
    'an ended one gets none': "'«?situation = :pending» AND attribute_not_exists(unanswerableSince)'",
  }),
  ...guardsIn('shared/table/analyses/analyses.ts', 'table/erasures', {
    'is known to who would send an analysis':
      'return «(await getRow(erasureKey(analysis, analysis.leadId))) !→analysis =»== undefined;',
  }),
  ...guardsIn('shared/table/analyses/analysis-row.ts', 'table/analyses', {
    'does not end again by another event, nor without one': '«?#situation = :before AND #sequence = :sequenceBefore»',
    'is not completed over an outcome with another event': '«?#situation = :before AND #sequence = :sequenceBefore»',
    'is found in its partition and its age': "['unanswerableSince'«, 'duePk', 'dueSk'»]",
    'ends a pending analysis once': [
      'return delivery ? [«update, writeOutbox(delivery)→update»] : [update];',
      '«concludedAt→rawStatus2»: ended?.createdAt',
    ],
  }),
  ...guardsIn('shared/table/analyses/submissions.ts', 'table/analyses', {
    'is not taken over once it has an answer':
      '«?attribute_not_exists(sealed)» AND «lockedUntil = :seen→(lockedUntil = :seen OR attribute_exists(sealed))»',
    'is taken over by one run alone': [
      'AND «?lockedUntil = :seen»',
      "':until': «now + SUBMIT_LEASE→earlier.lockedUntil», ':seen'",
    ],
    'of a key that is taken gives what the first left': 'const progress = { lockedUntil: «now + SUBMIT_LEASE→now»,',
    'writes nothing where an analysis is no longer as it was read': "«if (!outcome[0]?.failed) return 'moved_on';»",
  }),
  ...guardsIn('shared/table/analyses/submissions.ts', 'table/erasures', {
    'lets nobody submit for its lead who has read it before':
      "erasureKey(caller, lead.id), ConditionExpression: '«?attribute_not_exists(pk)»'",
  }),
  ...guardsIn('shared/table/rows/idempotency.ts', 'table/analyses', {
    'a second time gives the first answer': "'attribute_exists(pk)« AND attribute_not_exists(sealed)»'",
    'of a key that is taken gives what the first left':
      '`attribute_not_exists(pk) OR «expiresAt→attribute_exists(pk) OR expiresAt» <= :now$',
    'made 10 times at once is done once':
      '`attribute_not_exists(pk) OR «expiresAt→attribute_exists(pk) OR expiresAt» <= :now$',
    'is forgotten once its time is over': [
      '`attribute_not_exists(pk) OR «expiresAt <= :now→(attribute_not_exists(pk) AND expiresAt <= :now)»$',
      '«if (isOver(row.expiresAt, now)) return undefined;»',
    ],
  }),
  ...guardsIn('shared/table/rows/idempotency.ts', 'operations/sweep-erasures', {
    'makes one lead of 10 calls at once': "' OR leadId = :gone«→ OR attribute_exists(pk)»'",
  }),
  ...guardsIn('shared/table/rows/idempotency.ts', 'table/leads', {
    'is answered once': 'sameContent: «row.fingerprint === fingerprint→true»,',
  }),
  ...guardsIn('shared/administration/approvals.ts', 'service/administration/approvals', {
    'after another person of a duty that may make it has approved': [
      'found?.operation === operation ? found : «undefined→found»',
      "«to === 'approved' && isSamePerson(asked.person, caller.person)→false»",
    ],
  }),
  ...guardsIn('shared/http/administration/plan.ts', 'unit/http/administration/endpoint', {
    'before another person has approved it': '«plan.needsApproval→false» ?',
  }),
  ...guardsIn('shared/http/administration/approval.ts', 'unit/http/administration/endpoint', {
    'before another person has approved it': "if («state === 'used'→true»)",
  }),
  ...guardsIn('shared/domain/audit/approvals.ts', 'unit/http/administration/endpoint', {
    'a call of another person is another call': 'JSON.stringify([«person, »operation',
    'a call with another target is another call': 'about, «target, »fields]',
  }),
  ...guardsIn('shared/table/leads/lead-correction.ts', 'table/leads', {
    'looks again where the lead is used meanwhile': 'overwriteLead(tenancy, after«, sameUses(item)»)',
  }),
  ...guardsIn('shared/table/leads/lead-correction.ts', 'service/administration/people', {
    'is refused: pending': "«if (analyses.some(({ situation }) => isPending(situation))) return 'pending';»",
  }),
  ...guardsIn('shared/table/rows/living-lead.ts', 'table/analyses', {
    'finds out that the lead is no longer the version that was read':
      "version === undefined ? '' : ' AND «?version = :version»'",
    'completes the lead with the birth date that it lacked, once':
      "«?version = :before» AND attribute_not_exists(erasingSince)'",
  }),
  ...guardsIn('shared/table/rows/living-lead.ts', 'table/erasures', {
    'marks no lead to which something was added since it was read':
      "'«attribute_not_exists(uses)' : 'uses = :uses→attribute_exists(pk)' : '(uses = :uses OR attribute_exists(pk))»'",
    'writes no change of its lead that was read before its mark':
      "version = :before« AND attribute_not_exists(erasingSince)»'",
    'has no step of the sandbox noted on its lead':
      'attribute_exists(pk)« AND attribute_not_exists(erasingSince)»${once',
    'lets nothing more be written for its lead':
      'attribute_exists(pk)« AND attribute_not_exists(erasingSince)»${version',
    'hides its lead': "«item?.['erasingSince'] === undefined ? item : undefined→item»;",
    'replays no simulation of its person': '«if (!living && leadRow) return { lead: undefined, earlier: undefined };»',
  }),
  ...guardsIn('shared/table/rows/living-lead.ts', 'table/leads', {
    'and its moment each time': "const once = step === '«replayedAt→reusedAt»'",
    'is lost to no other made at once': "«?version = :before» AND attribute_not_exists(erasingSince)'",
  }),
  ...guardsIn('shared/table/leads/leads.ts', 'table/leads', {
    'reaches nothing of that person': '«if (lead.cpf !== draft.cpf) return { corrected: id };»',
  }),
  ...guardsIn('shared/table/rows/indexed-rows.ts', 'table/indexed-rows', {
    'refuses an indexed put if the older index key has the row':
      '«check: elsewhere && { ConditionCheck: { Key: elsewhere.key, ...condition } }→check: undefined»',
    'reports the row of the newer index key if both keys have the row':
      'if (check?.failed« && !refused[index]?.failed») refused',
    'returns the row of the older index key if the row of the newer has ended':
      'found.find((candidate) => «unexpired(candidate, now)→candidate»)',
  }),
  ...guardsIn('shared/table/rows/cpf-row.ts', 'table/leads', {
    'sent 10 times at once makes one lead': "{ leadId }, { ConditionExpression: '«?attribute_not_exists(pk)»' }",
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
    'is 422 while the lead of its first call is there':
      'if (named !== leadId && «(await getRow(leadKey(tenancy, named)))→!tenancy») return',
  }),
  ...guardsIn('shared/domain/analyses/due-reader.ts', 'unit/domain/analyses/due-reader', {
    'all that is unread if page 0 cannot be read':
      'const read = await «analyses→((started = true), analyses)».pending(',
    'all that is unread if page 1 cannot be read':
      'analyses.pending(span.partition, span, «after→[after, (after = undefined)][0]»)',
  }),
  ...guardsIn('shared/domain/leads/erase-person.ts', 'table/erasures', {
    'counts each row once where': '«after.passes.length > passCount ? after : makePass(after, deps)→after»',
  }),
  ...guardsIn('shared/table/leads/erasure-ledger.ts', 'table/erasures', {
    'is dated in the ledger by the first': "«ConditionExpression: 'attribute_not_exists(pk)',»",
    'shown by their index, and counted': '«emit({}, { ErasuresFailed: 1 });»',
  }),
  ...guardsIn('shared/table/sealing/reindexing.ts', 'service/administration/index-keys', {
    'moves no CPF over the current row': "'«?attribute_not_exists(pk) OR leadId = :lead»'",
    'moves no CPF over the other row': "ConditionExpression: '«?leadId = :lead»'",
  }),
  ...guardsIn('shared/table/partners/api-keys.ts', 'table/api-keys', {
    'are rotated by one of three who try at once': "replaced ? '« AND attribute_exists(#keys.#replaced)»' : ''",
  }),
  ...guardsIn('shared/table/audit/audit.ts', 'table/audit', { 'is noted as ended once': "'«?outcome = :started»'" }),
  ...guardsIn('shared/table/rows/connection.ts', 'unit/table/client', {
    'while the same transaction is under way': "«'TransactionInProgressException',»",
  }),
  ...guardsIn('shared/queue/deliveries.ts', 'table/delivery-queue', {
    'fails no call whose events are booked': "logError('queue_send_failed', error);«→ throw error;»",
  }),
  ...guardsIn('shared/table/webhooks/unit-deliveries.ts', 'table/unit-deliveries', {
    'keeps it without the lease of an attempt': "remove: [«'leasedUntil', »'expiresAt']",
  }),
  ...guardsIn('shared/table/rows/encryption.ts', 'table/leads', {
    'opens at no other version than its own': 'version, format«, rowVersion»]',
  }),
  ...guardsIn('shared/table/analyses/consents.ts', 'table/consents', {
    'is never overwritten': "«ConditionExpression: 'attribute_not_exists(pk)',»",
  }),
  ...guardsIn('shared/table/rows/client.ts', 'unit/table/client', {
    'one is read as it stands': 'Key: key, ConsistentRead: «true→false» });',
    'are read as they stand': 'Keys: «wanted, ConsistentRead: true→wanted» }',
    'are asked for again where the table left some out':
      'wanted = «output.UnprocessedKeys?.[tableName()]?.Keys ?? []→[]»;',
    'that can never pass throws what the table said':
      "reasons.«every→some»(({ Code }) => TRANSIENT_REASONS.includes(Code ?? 'None'))",
    'of a row that a transaction holds is tried again':
      '«if (error instanceof TransactionConflictException) return true;»',
    'is given up as unavailable once the invocation has no time':
      "«if (performance.now() + longest > giveUpAt) throw new Failure('servico_indisponivel', { cause: error });»",
  }),
  ...guardsIn('shared/table/rows/client.ts', 'table/lost-answers', {
    'is one row of the audit': "return «refused['nonce'] === nonce ? 'written' : »{ refused };",
    'is an event that was given up, and is counted': '(«{ nonce: found }) => found === nonce→) => false»',
  }),
  ...guardsIn('shared/table/rows/index-keys.ts', 'table/changed-keys', {
    'is refused once a version from before the rotation is put back': 'known?.at(«-1→0»)',
    'is not mistaken by a container that remembers the keys from before a rotation':
      '«forgetServiceKeys→await heldNames»();',
  }),
  ...guardsIn('shared/domain/webhooks/waiting.ts', 'unit/domain/webhooks/replay', {
    'waitingFor counts the pending and suspended events of one partner, without account events':
      'type «!== ACCOUNT_EVENT→!== undefined»',
  }),
  ...guardsIn('shared/domain/partners/api-key.ts', 'unit/domain/partners/api-key', {
    'calls in the minute before leave room': 'Math.«ceil→floor»((previous',
  }),
  ...guardsIn('shared/table/partners/api-key-auth.ts', 'table/api-key-auth', {
    'refuses at the start of a minute after a full one, though nothing was counted in it':
      "«allowed > 0 ? '(attribute_not_exists(#cur) OR #cur < :allowed)' : '#cur < :allowed→'(attribute_not_exists(#cur) OR #cur < :allowed)»'",
    'admits 120 calls a minute, refuses the 121st':
      "? '(attribute_not_exists(#cur) OR «→attribute_exists(#cur) OR »#cur < :allowed)'",
    'smooths by the minute before':
      "'(attribute_not_exists(#prev) OR «→attribute_exists(#prev) OR »#prev <= :previous)'",
    'follows the manager down at once': "'«?#limit = :limit»',",
    'answers a refused caller by itself until the time that it named': 'if (refusal && now < «refusal.until→0»)',
    'goes on after 30 unknown keys of a partner in a minute': '>= «UNKNOWN_KEYS_ASKED→Infinity»;',
    'reads the item of a partner once a second': 'call.now - earlier.at < «READ_EVERY→0»;',
    'answers 401 to the key for which the item was read':
      "throw «isRecent ? new RateExceeded(limit, READ_AGAIN) : »new Failure('auth_invalid');",
    'forged keys keep the owner’s old and new key out of no cold container':
      '«if (entryIn(await read.item, call)) return;»',
    'is asked once a minute about a key that the partner does not have':
      'if (unknownUntil !== undefined && now < «unknownUntil→0») {',
  }),
  ...guardsIn('shared/table/partners/api-key-auth.ts', 'unit/table/api-key-auth', {
    'a call at a minute’s turn is admitted after as many refusals as late calls can cause': 'const ATTEMPTS = «5→2»;',
    'with another secret is unknown, not refused for its rate':
      'return entry && «Buffer.from(entry.h).equals(hash)→hash» ? entry : undefined;',
  }),
  ...guardsIn('shared/table/rows/key-use.ts', 'table/key-use', {
    'the count of a sealing key is right where many seal at the same time':
      'available.set(version, «remaining(version) + ENCRYPTIONS_TAKEN→ENCRYPTIONS_TAKEN»);',
  }),
  ...guardsIn('shared/table/webhooks/webhook-endpoints.ts', 'table/webhook-endpoints', {
    'repeated gives the same secret': 'before.token «=→!»== token',
    'is not touched by what an attempt from before the change says': [
      "ConditionExpression: '«?changedAt = :changedAt» AND enabled = :yes',\n      ExpressionAttributeValues: { ':now': now, ':one'",
      "ConditionExpression: '«?changedAt = :changedAt»',",
      'ConditionExpression: `«?changedAt = :changedAt» AND enabled = :yes$',
    ],
    'is not disabled for failures that ended meanwhile': "' AND «?failingSince = :since»'",
    'is looked at by the sweeper from its enabling on': "ConditionExpression: '«?dueSk = :seen»',",
    'of two at once only one holds': "ConditionExpression: '«?sealed = :before»',",
    'is enabled and well when it is set, and set once':
      "Put: { Item«, ConditionExpression: 'attribute_not_exists(pk)'» }",
    'while another’s overlap runs is refused':
      'if (keepsPrevious && !dropPrevious && previousUntil !== undefined && previousUntil > «now→Infinity») {',
  }),
  ...guardsIn('shared/table/leads/lead-erasure.ts', 'table/erasures', {
    'counts each row once where': "{ Key«, ConditionExpression: 'attribute_exists(pk)'» }",
    'failure pages and the answers kept for replays along': '    «await forgetAnswers(erasure);»',
    'whose ids end with the mark':
      '«for (let from = 0; from < older; from += BATCH) await transact(deletions(keys.slice(from, from + BATCH)));»',
    'empties no lead without its mark': "'«attribute_exists(erasingSince)→attribute_exists(pk)»'",
    'no place in its list at the end': [
      'REMOVE sealed«, listPk, listSk»,',
      'return [emptied]«.concat(deletions(listed))»;',
    ],
    'is begun once': "Put: { Item: erasureRow(erasure)«, ConditionExpression: 'attribute_not_exists(pk)'» }",
    'is not begun where its lead has been removed': "erasure.leadId)«, ConditionExpression: 'attribute_exists(pk)'» }",
    'goes on by one run, the other gets it as it stands': "ConditionExpression: '«?revision = :seen»',",
    'marks no lead that was changed since it was read': '«?version = :seen» AND $',
    'waits for what is at a bank':
      '«if (pending > 0) return this.#write(erasure, { ...erasure, pending, nextCheckAt });»',
    'leaves the CPF to a new lead of the same person': "ConditionExpression: '«?leadId = :erased»',",
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
    'deletes nothing before the ledger knows':
      "«if (erasure.cause === 'retention') await ledger.add(erasure, erasure.requestedAt);»",
  }),
  ...guardsIn('shared/domain/leads/retention.ts', 'unit/domain/leads/retention', {
    'a longer term that is set after a notice': 'terms && «notice?.seen === traceOf(lead, terms)→notice» ?',
    'a notice does not count any more after a': 'const use = «[version, uses, reusedAt, replayedAt]→[0]»;',
  }),
  ...guardsIn('shared/domain/analyses/analysis.ts', 'table/lead-retention', {
    'counts as ended at the latest one': 'concludedAt ?? «createdAt + CLOSE_LIMIT→0»',
  }),
  ...guardsIn('shared/table/rows/outbox.ts', 'table/deliveries', {
    'is made once': "«ConditionExpression: 'attribute_not_exists(pk)',»",
  }),
  ...guardsIn('shared/table/webhooks/deliveries.ts', 'table/deliveries', {
    'gives the attempt to one of many who ask at once': 'leasedUntil < :«now→now OR attribute_exists(pk)»)',
    'of a worker that died is taken over once its lease is over': "':lease': now + «LEASE→10 * LEASE»,",
    'waits for the queue': 'AND «?dueAt <= :now» AND (attribute_not_exists(leasedUntil)',
    'for an attempt that is not due yet': '«?dueAttempt >= :attempt» AND',
    'is opened once by the message that names the next attempt': [
      "'«?#state = :pending» AND dueAttempt >= :attempt",
      "condition: '#state = :exhausted AND «?dueAttempt = :attempt»',",
    ],
    'of a late worker is dropped where another has failed': [
      '«?dueAttempt <= :latest»',
      '«result?.delivered ? attempts + 1 : attempts→attempts»',
    ],
    'a late failure takes back no success': '«?#state = :pending» AND dueAttempt <= :latest',
    'is neither put off nor ended by its failure': "' AND «?dueAt = :claimed»'",
    'asks for nothing more where the attempt succeeds':
      "if («result?.delivered || next→next».state === 'suspensa') return false;",
    'ends the lease: the next attempt can be claimed at once': "remove: index ? [«'leasedUntil'»] :",
    'is listed by who is to see to it':
      "'«#state = :pending AND dueAttempt = :attempt AND dueAt = :dueAt→(#state = :pending AND dueAttempt = :attempt AND dueAt = :dueAt) OR attribute_exists(pk)»'",
  }),
  ...guardsIn('shared/table/webhooks/deliveries.ts', 'table/replays', {
    'misses nothing: a delivery cannot be suspended once the endpoint is enabled':
      "ConditionExpression: '«?enabled = :no»',",
    'that the index still shows is made once': "condition: '«?#state = :suspended»',",
  }),
  ...guardsIn('shared/table/rows/row-format.ts', 'table/replays', {
    'of what is past its time does nothing': 'OR expiresAt > :«at→at OR attribute_exists(pk)»)',
  }),
  ...guardsIn('shared/table/webhooks/replays.ts', 'table/replays', {
    'of what waits for an attempt anyway does nothing': "'attribute_exists(pk)« AND #state <> :pending»'",
  }),
  ...guardsIn('shared/table/webhooks/kept-deliveries.ts', 'flows/retention', {
    'is kept where the index shows the wish late or not at all':
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
    'has seen the analysis unsent for only': '«now - sight.since >= SUBMIT_LEASE→now > 0» ? sight.lease',
    'until the container has seen that lease for a minute':
      'const since = before« && (lease ?? before.lease) === before.lease» ? before.since : now;',
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
      "«if (hasNumber && outcome.queryNumber !== analysis.queryNumber) return refused('other_number');»",
    'is refused as unknown': "«if (outcome.environment === 'sandbox') return refused('unknown');»",
    'is refused as not_submitted':
      "«if (!hasNumber && isPending(analysis.situation)) return refused('not_submitted');»",
    'changes no final situation': 'if («!isPending(analysis.situation)→analysis.id < 0») {',
    'are recorded in their order even if the first read of the row is the slowest':
      '«for (const { index, outcome } of ofAnalysis) records[index] = await recordOutcome(outcome, deps)→await Promise.all(ofAnalysis.map(async ({ index, outcome }) => (records[index] = await recordOutcome(outcome, deps))))»;',
  }),
  ...guardsIn('functions/pollers/poll-bank-outcomes.ts', 'service/poll-bank-outcomes', {
    'begins nothing in its last 15 seconds': 'made.clock() + context.getRemainingTimeInMillis()« - SHUTDOWN_MARGIN_MS»',
  }),
  ...guardsIn('shared/wiring.ts', 'unit/wiring', {
    'is forced in the sandbox and never in production':
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
    'is no answer':
      "  expectSame(submission.«reference, reference);\n  expectSame(submission.bank→bank», bank);\n  return { kind: 'accepted'",
    'a query with another query number': '«if (byNumber) expectSame(submission.queryNumber, queryNumber);»',
    'a query with a 404 of another reference':
      '«expectSame(parsed(schemas.neverReceived, answer).reference, reference);»',
    'a query with a 404 by number': 'if («!byNumber && »answer.status === 404) {',
    'leaves each without an answer to which not exactly one entry fits':
      'return «status && fitting.length === 1→status»',
  }),
  ...guardsIn('shared/operator/operator-api.ts', 'unit/operator/operator-api', {
    'is no answer: a submission is unknown': '«if (answer.broken) throw answer.broken;»',
    'is not read, and spoils no other': '«if (operatorReference(tenancy, id) !== reference) return undefined;»',
  }),
  ...guardsIn('shared/operator/circuit.ts', 'unit/operator/circuit', {
    'are shed while most of the last 30 s timed out': 'late.length * 2 > submissions.«length→length * 9»',
    'are shed': 'if (refused) refusedAt = «at→undefined»;',
  }),
  ...guardsIn('shared/webhook/send.ts', 'unit/webhook/send', {
    'the status decides': 'status >= 200 && status < «300→400»',
    'slow headers are timeout after 15 s in all': 'withTimeLimit(«SEND_LIMITS→10 * SEND_LIMITS».total,',
    'asks for': 'Math.«min(Math.max(asked, 0), LONGEST_RETRY_WAIT→max(asked, 0»)',
  }),
  ...guardsIn('shared/webhook/sign.ts', 'unit/webhook/sign', {
    'the former secret signs nothing from the moment its overlap ends': 'now < «secrets.previousUntil→Infinity»',
  }),
];

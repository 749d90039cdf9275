/**
 * The guards of the once-only core, each with the tests that must fail without it. A condition of the table is made true
 * of every row instead of being cut out, since DynamoDB refuses an expression whose values are not all used.
 */

/** A guard: a piece of code that keeps something from happening twice, too late, too early or to the wrong one. */
export interface Guard {
  readonly name: string;
  readonly file: string;
  /** The text that makes the guard; once in its file. */
  readonly text: string;
  /** What stands in its place without the guard. @default nothing */
  readonly becomes?: string;
  /** What happens without it. */
  readonly otherwise: string;
  /** Test files that must fail without it; with a part of its name, a test. */
  readonly tests: readonly (string | readonly [file: string, name: string])[];
}

/** Guards of one file, by their names. */
function guardsIn(file: string, guards: Readonly<Record<string, Omit<Guard, 'name' | 'file'>>>): readonly Guard[] {
  return Object.entries(guards).map(([name, guard]) => ({ name, file, ...guard }));
}

/** The tests of a guard: a file, and of its tests those with a name. */
export function testsOf({ tests }: Guard): readonly (readonly [file: string, name: string | undefined])[] {
  return tests.map((test) => (typeof test === 'string' ? [test, undefined] : test));
}

const ANALYSES = 'test/table/analyses.test.ts';
const API_KEYS = 'test/table/api-key-auth.test.ts';
const DELIVERIES = 'test/table/deliveries.test.ts';
const ENDPOINTS = 'test/table/webhook-endpoints.test.ts';
const ERASURES = 'test/table/erasures.test.ts';
const LEADS = 'test/table/leads.test.ts';
const REPLAYS = 'test/table/replays.test.ts';
const RETENTION = 'test/flows/retention.test.ts';
const CURSORS = 'test/table/poll-cursors.test.ts';
const LOST = 'test/table/lost-answers.test.ts';
const CLIENT = 'test/unit/table/client.test.ts';
const SUBMISSION = 'test/unit/domain/analyses/bank-submission.test.ts';
const BREAKER = 'test/unit/domain/analyses/circuit-breaker.test.ts';
const BULKHEAD = 'test/unit/domain/analyses/bulkhead.test.ts';
const SHARD = 'test/unit/domain/analyses/poll-shard.test.ts';
const SCHEDULE = 'test/unit/domain/analyses/poll-schedule.test.ts';
const OPERATOR = 'test/unit/operator/operator-api.test.ts';
const BATCH = 'test/unit/operator/query-batch.test.ts';
const PUSHED = 'test/service/administration/outcomes.test.ts';
const TOLD = 'test/unit/operator/read-outcomes.test.ts';
const CIRCUIT = 'test/unit/operator/circuit.test.ts';
const SEND = 'test/unit/webhook/send.test.ts';
const SIGN = 'test/unit/webhook/sign.test.ts';

export const GUARDS: readonly Guard[] = [
  // The right to send an analysis to its bank.
  ...guardsIn('shared/table/analyses.ts', {
    'a lease needs a pending analysis': {
      text: "'situation = :pending AND queryNumber = :none AND",
      becomes: "'(situation = :pending OR attribute_exists(pk)) AND queryNumber = :none AND",
      otherwise: 'an analysis that ended unsent would be sent after its event',
      tests: [[ANALYSES, 'is nobody’s once the analysis has ended without a number']],
    },
    'a lease needs an analysis without a query number': {
      text: 'AND queryNumber = :none AND',
      becomes: 'AND (queryNumber = :none OR attribute_exists(pk)) AND',
      otherwise: 'what the bank has confirmed would be sent a second time',
      tests: [[ANALYSES, 'is nobody’s once the bank has the analysis']],
    },
    'a lease is taken over only by who asked after it had ended': {
      text: 'submitLeaseUntil <= :asked)',
      becomes: 'submitLeaseUntil <= :asked OR attribute_exists(pk))',
      otherwise: 'all who heard that the operator has nothing would send',
      tests: [[ANALYSES, 'is one run’s alone']],
    },
    'a lease holds for a minute': {
      text: "':until': clock() + SUBMIT_LEASE,",
      becomes: "':until': asked,",
      otherwise: 'a lease that ends as it begins is no right of one alone',
      tests: [[ANALYSES, 'is one run’s alone']],
    },
    'a note needs a pending analysis': {
      text: "ConditionExpression: 'situation = :pending',\n        ExpressionAttributeValues: {\n          ':queryNumber'",
      becomes:
        "ConditionExpression: 'situation = :pending OR attribute_exists(pk)',\n        ExpressionAttributeValues: {\n          ':queryNumber'",
      otherwise: 'a late poll would overwrite the number and the text of a final analysis',
      tests: [[ANALYSES, 'is noted while the analysis is pending, and never after']],
    },
    'the first run to find out says since when there is no answer': {
      text: 'AND attribute_not_exists(unanswerableSince)',
      otherwise: 'each run would begin the distances between questions anew',
      tests: [[CURSORS, 'is marked in the index from the first moment that was noted']],
    },
    'an ended analysis is not marked as unanswerable': {
      text: "'situation = :pending AND attribute_not_exists(unanswerableSince)'",
      becomes: "'(situation = :pending OR attribute_exists(pk)) AND attribute_not_exists(unanswerableSince)'",
      otherwise: 'a late run would write into a final row',
      tests: [[CURSORS, 'an ended one gets none']],
    },
    'who is to be erased is looked up': {
      text: 'return (await getRow(erasureKey(analysis, analysis.leadId))) !== undefined;',
      becomes: 'return analysis === undefined;',
      otherwise: 'a bank would be asked about a person who is to be erased',
      tests: [[ERASURES, 'is known to who would send an analysis']],
    },
  }),
  ...guardsIn('shared/table/analysis-row.ts', {
    'an analysis changes only from what was read': {
      text: 'situation = :before AND #sequence = :sequenceBefore',
      becomes: '(situation = :before AND #sequence = :sequenceBefore) OR attribute_exists(pk)',
      otherwise: 'of two runs that hear different outcomes the later would overwrite the first',
      tests: [
        [ANALYSES, 'does not end again by another event, nor without one'],
        [ANALYSES, 'is not completed over an outcome with another event'],
      ],
    },
    'a final analysis leaves the index of pending ones': {
      text: "', duePk, dueSk'",
      becomes: "''",
      otherwise: 'the poller would ask about it for good',
      tests: [[ANALYSES, 'is found in its partition and its age']],
    },
    'an outcome is written together with its event': {
      text: 'return delivery ? [update, writeOutbox(delivery)] : [update];',
      becomes: 'return delivery ? [update] : [update];',
      otherwise: 'an outcome without an event is never told',
      tests: [[ANALYSES, 'ends a pending analysis once']],
    },
    'an outcome keeps its moment': {
      text: "ended ? ', concludedAt = :concludedAt' : ''",
      becomes: "ended ? ', rawStatus2 = :concludedAt' : ''",
      otherwise: 'the form would be kept for ever: nobody could say when its last analysis ended',
      tests: [[ANALYSES, 'ends a pending analysis once']],
    },
  }),

  // Claims and their answers.
  ...guardsIn('shared/table/submissions.ts', {
    'a claim is taken over only while it has no answer': {
      text: 'attribute_not_exists(sealed) AND lockedUntil = :seen',
      becomes:
        '(attribute_not_exists(sealed) OR attribute_exists(pk)) AND (lockedUntil = :seen OR attribute_exists(sealed))',
      otherwise: 'an answered key would be worked on once more',
      tests: [[ANALYSES, 'is not taken over once it has an answer']],
    },
    'a claim is taken over by one run': {
      text: 'AND lockedUntil = :seen',
      becomes: 'AND (lockedUntil = :seen OR attribute_exists(pk))',
      otherwise: 'two retries would hand over the same analyses side by side',
      tests: [[ANALYSES, 'is taken over by one run alone']],
    },
    'a claim taken over is locked anew': {
      text: "':until': now + SUBMIT_LEASE, ':seen'",
      becomes: "':until': earlier.lockedUntil, ':seen'",
      otherwise: 'every later retry would take it over beside the run that has it',
      tests: [[ANALYSES, 'is taken over by one run alone']],
    },
    'a claim is locked while its run lasts': {
      text: 'const progress = { lockedUntil: now + SUBMIT_LEASE,',
      becomes: 'const progress = { lockedUntil: now,',
      otherwise: 'a retry at once would hand over beside the first run',
      tests: [[ANALYSES, 'of a key that is taken gives what the first left']],
    },
  }),
  ...guardsIn('shared/table/idempotency.ts', {
    'an answer is written only where none stands': {
      text: "'attribute_exists(pk) AND attribute_not_exists(sealed)'",
      becomes: "'attribute_exists(pk)'",
      otherwise: 'a key would answer differently later',
      tests: [[ANALYSES, 'a second time gives the first answer']],
    },
    'a key is claimed once': {
      text: '`attribute_not_exists(pk) OR expiresAt <= :now$',
      becomes: '`attribute_not_exists(pk) OR attribute_exists(pk) OR expiresAt <= :now$',
      otherwise: 'one key would make two submissions',
      tests: [
        [ANALYSES, 'of a key that is taken gives what the first left'],
        [ANALYSES, 'made 10 times at once is done once'],
      ],
    },
    'a key is free again once its lead is erased, for one call': {
      text: "' OR leadId = :gone'",
      becomes: "' OR leadId = :gone OR attribute_exists(pk)'",
      otherwise: 'of two calls at once the second would replace the answer of the first',
      tests: [['test/service/sweep-erasures.test.ts', 'makes one lead of 10 calls at once']],
    },
    'a key is free again once its time is over': {
      text: '`attribute_not_exists(pk) OR expiresAt <= :now$',
      becomes: '`attribute_not_exists(pk) OR (attribute_not_exists(pk) AND expiresAt <= :now)$',
      otherwise: 'TTL deletes days late, until when the key could neither be used nor answered',
      tests: [[ANALYSES, 'is forgotten once its time is over']],
    },
    'a record past its time is no record': {
      text: 'if (isOver(row.expiresAt, now)) return undefined;',
      otherwise: 'TTL deletes days late: the old answer would be given for a new wish',
      tests: [[ANALYSES, 'is forgotten once its time is over']],
    },
    'a key knows its content': {
      text: 'sameContent: row.fingerprint === fingerprint,',
      becomes: 'sameContent: true,',
      otherwise: 'a key sent with another body would get the answer of the first',
      tests: [[LEADS, 'is answered once']],
    },
  }),
  ...guardsIn('shared/table/submissions.ts', {
    'a completion tells a written answer from a moved analysis': {
      text: "if (!outcome[0]?.failed) return 'moved_on';",
      otherwise: 'where the poller came first the submission would end as unavailable',
      tests: [[ANALYSES, 'writes nothing where an analysis is no longer as it was read']],
    },
  }),
  ...guardsIn('shared/table/leads.ts', {
    'a submission is made for the lead that was read': {
      text: "version === undefined ? '' : ' AND version = :version'",
      becomes: "version === undefined ? '' : ' AND (version = :version OR attribute_exists(pk))'",
      otherwise: 'a form that was checked against the lead would go out for another',
      tests: [[ANALYSES, 'finds out that the lead is no longer the version that was read']],
    },
    'nothing is written for a lead that is being erased': {
      text: 'attribute_exists(pk) AND attribute_not_exists(erasingSince)$',
      becomes: 'attribute_exists(pk)$',
      otherwise: 'rows of the person would appear behind the erasure',
      tests: [[ERASURES, 'lets nothing more be written for its lead']],
    },
    'a lead is not completed over another version': {
      text: "ConditionExpression: 'version = :before',\n      ExpressionAttributeValues",
      becomes: "ConditionExpression: 'version = :before OR attribute_exists(pk)',\n      ExpressionAttributeValues",
      otherwise: 'a birth date taken over from a form would undo a change of the lead',
      tests: [[ANALYSES, 'completes the lead with the birth date that it lacked, once']],
    },
    'no change of a lead overwrites another': {
      text: "ConditionExpression: 'version = :before',\n          ExpressionAttributeValues",
      becomes: "ConditionExpression: 'version = :before OR attribute_exists(pk)',\n          ExpressionAttributeValues",
      otherwise: 'of two changes at once one would be lost',
      tests: [[LEADS, 'is lost to no other made at once']],
    },
    'a CPF has one lead in a unit': {
      text: "? { ConditionExpression: 'attribute_not_exists(pk)' }",
      becomes: "? { ConditionExpression: 'attribute_not_exists(pk) OR attribute_exists(pk)' }",
      otherwise: 'two leads of one person, each with half of the history',
      tests: [[LEADS, 'sent 10 times at once makes one lead']],
    },
    'a lead that is being erased is an unknown one': {
      text: "return item?.['erasingSince'] === undefined ? item : undefined;",
      becomes: 'return item;',
      otherwise: 'the erased person could still be read',
      tests: [[ERASURES, 'hides its lead']],
    },
  }),
  ...guardsIn('shared/table/consents.ts', {
    'a consent is never overwritten': {
      text: "ConditionExpression: 'attribute_not_exists(pk)',",
      otherwise: 'evidence must stay as it was given',
      tests: [['test/table/consents.test.ts', 'is never overwritten']],
    },
  }),

  // What the table says.
  ...guardsIn('shared/table/client.ts', {
    'a row is read as it stands': {
      text: 'consistent = true): Promise',
      becomes: 'consistent = false): Promise',
      otherwise: 'a decision would be made on a row of a moment ago',
      tests: [[CLIENT, 'one is read as it stands']],
    },
    'several rows are read as they stand': {
      text: 'Keys: wanted, ConsistentRead: true }',
      becomes: 'Keys: wanted }',
      otherwise: 'a retry would not see what the run before has claimed',
      tests: [[CLIENT, 'are read as they stand']],
    },
    'rows that an answer left out are asked for again': {
      text: '(output.UnprocessedKeys?.[tableName()]?.Keys ?? []) as typeof wanted',
      becomes: '[]',
      otherwise: 'a throttled row would be taken for one that is not there',
      tests: [[CLIENT, 'are asked for again where the table left some out']],
    },
    'a put whose answer was lost is known by its mark': {
      text: "return refused['nonce'] === nonce ? 'written' : { refused };",
      becomes: 'return { refused };',
      otherwise: 'the repetition of an own write would be taken for the write of another',
      tests: [[LOST, 'is a change of a lead that was made']],
    },
    'an update whose answer was lost is known by its mark': {
      text: '({ nonce: found }) => found === nonce',
      becomes: '() => false',
      otherwise: 'a lease that was won would be given up, and nobody would have it',
      tests: [[LOST, 'is a secret that was rotated']],
    },
    'only what passes by itself is tried again': {
      text: "reasons.every(({ Code }) => TRANSIENT_REASONS.includes(Code ?? 'None'))",
      becomes: "reasons.some(({ Code }) => TRANSIENT_REASONS.includes(Code ?? 'None'))",
      otherwise: 'a failed condition would be asked about until the time is over',
      tests: [[CLIENT, 'that can never pass throws what the table said']],
    },
    'a write that meets a transaction is tried again': {
      text: "if ((error as Error).name === 'TransactionConflictException') return true;",
      otherwise: 'neither the table nor the SDK repeats it: the call would fail',
      tests: [[CLIENT, 'of a row that a transaction holds is tried again']],
    },
    'a write is given up with its invocation': {
      text: "if (performance.now() + longest > giveUpAt) throw new Failure('servico_indisponivel', { cause: error });",
      otherwise: 'the function would be cut off without an answer',
      tests: [[CLIENT, 'is given up as unavailable once the invocation has no time']],
    },
  }),

  // Rate and keys.
  ...guardsIn('shared/domain/partners/rate.ts', {
    'the minute before is rounded up': {
      text: 'Math.ceil((previous',
      becomes: 'Math.floor((previous',
      otherwise: 'more calls than the limit would fit into 60 seconds',
      tests: ['test/unit/domain/partners/rate.test.ts'],
    },
  }),
  ...guardsIn('shared/table/api-key-auth.ts', {
    'a minute that allows nothing refuses where nothing was counted': {
      text: "allowed > 0 ? '(attribute_not_exists(#cur) OR #cur < :allowed)' : '#cur < :allowed'",
      becomes: "'(attribute_not_exists(#cur) OR #cur < :allowed)'",
      otherwise: 'the first call of a minute after a full one would be admitted',
      tests: [[API_KEYS, 'refuses at the start of a minute after a full one, though nothing was counted in it']],
    },
    'a call is asked about five times': {
      text: 'const ATTEMPTS = 5;',
      becomes: 'const ATTEMPTS = 2;',
      otherwise: 'calls that fit would be refused at a minute’s turn',
      tests: [['test/unit/table/api-key-auth.test.ts', 'is admitted after as many refusals as late calls can cause']],
    },
    'the current count is below what is allowed': {
      text: "? '(attribute_not_exists(#cur) OR #cur < :allowed)'",
      becomes: "? '(attribute_not_exists(#cur) OR attribute_exists(#cur) OR #cur < :allowed)'",
      otherwise: 'the rate would limit nothing',
      tests: [[API_KEYS, 'admits 120 calls a minute, refuses the 121st']],
    },
    'the belief about the minute before holds': {
      text: "'(attribute_not_exists(#prev) OR #prev <= :previous)'",
      becomes: "'(attribute_not_exists(#prev) OR attribute_exists(#prev) OR #prev <= :previous)'",
      otherwise: 'a new container would know nothing of the minute before and admit the whole limit again',
      tests: [[API_KEYS, 'smooths by the minute before']],
    },
    'the belief about the limit holds': {
      text: "'#limit = :limit',",
      becomes: "'(#limit = :limit OR attribute_exists(pk))',",
      otherwise: 'a limit that the manager has lowered would not hold',
      tests: [[API_KEYS, 'follows the manager down at once']],
    },
    'a key is the one that the partner has': {
      text: "if (!entry || !Buffer.from(entry.h).equals(hash)) throw new Failure('auth_invalid');",
      becomes: "if (!entry) throw new Failure('auth_invalid');",
      otherwise: 'a key with a known id and another secret would count as refused for its rate, not as unknown',
      tests: [['test/unit/table/api-key-auth.test.ts', 'with another secret is unknown, not refused for its rate']],
    },
    'a refused caller is not asked about again before its time': {
      text: 'if (wait && now < wait.until) throw',
      becomes: 'if (wait && now < 0) throw',
      otherwise: 'each refused call would cost a write on the partner’s row',
      tests: [[API_KEYS, 'answers a refused caller by itself until the time that it named']],
    },
    'an unknown key is asked about once a minute': {
      text: 'if (unknownUntil !== undefined && call.now < unknownUntil) {',
      becomes: 'if (unknownUntil !== undefined && call.now < 0) {',
      otherwise: 'a forged key would cost a write on the partner’s row with each call',
      tests: [[API_KEYS, 'is asked once a minute about a key that the partner does not have']],
    },
  }),
  ...guardsIn('shared/table/key-use.ts', {
    'a refill that meets another adds to it': {
      text: 'left.set(version, (left.get(version) ?? 0) + ENCRYPTIONS_TAKEN);',
      becomes: 'left.set(version, ENCRYPTIONS_TAKEN);',
      otherwise: 'encryptions that were counted would be thrown away, and the count grow too fast',
      tests: [['test/table/key-use.test.ts', 'is right where many seal at the same time']],
    },
  }),
  ...guardsIn('shared/table/webhook-endpoints.ts', {
    'a rotation repeated with its token keeps the secret that it has made': {
      text: 'before.token === token',
      becomes: 'before.token !== token',
      otherwise: 'after a lost answer the secret that the partner knows would be dropped',
      tests: [['test/table/webhook-endpoints.test.ts', 'repeated gives the same secret']],
    },
  }),

  // A person's erasure.
  ...guardsIn('shared/table/lead-erasure.ts', {
    'an erasure is begun once': {
      text: "putRow({ Item: rowOf(erasure), ConditionExpression: 'attribute_not_exists(pk)' })",
      becomes: 'putRow({ Item: rowOf(erasure) })',
      otherwise: 'a second command would set a finished erasure back to its start',
      tests: [[ERASURES, 'is begun once']],
    },
    'of two that go on with an erasure one writes': {
      text: "ConditionExpression: 'revision = :seen',",
      becomes: "ConditionExpression: 'revision = :seen OR attribute_exists(pk)',",
      otherwise: 'a late run would set the erasure back to what it has read',
      tests: [[ERASURES, 'goes on by one run, the other gets it as it stands']],
    },
    'a lead is marked as it was read': {
      text: 'version = :seen AND $',
      becomes: '(version = :seen OR attribute_exists(pk)) AND $',
      otherwise: 'what was written with a new version of the lead would be overlooked',
      tests: [[ERASURES, 'marks no lead that was changed since it was read']],
    },
    'a lead is marked while nothing new hangs on it': {
      text: "'attribute_not_exists(uses)' : 'uses = :uses'",
      becomes: "'attribute_exists(pk)' : '(uses = :uses OR attribute_exists(pk))'",
      otherwise: 'an analysis made since the reading would lose its form while its bank works on it',
      tests: [[ERASURES, 'marks no lead to which something was added since it was read']],
    },
    'an erasure waits for what is at a bank': {
      text: 'if (pending > 0) return write(erasure, { ...erasure, pending, nextCheckAt });',
      otherwise: 'the bank’s answer would find no form any more',
      tests: [[ERASURES, 'waits for what is at a bank']],
    },
    'an older lead does not take the CPF of a newer one away': {
      text: "ConditionExpression: 'leadId = :erased',",
      becomes: "ConditionExpression: 'leadId = :erased OR attribute_exists(pk)',",
      otherwise: 'the person’s new lead could be made twice',
      tests: [[ERASURES, 'leaves the CPF to a new lead of the same person']],
    },
  }),

  // The outbox and its attempts.
  ...guardsIn('shared/table/delivery-row.ts', {
    'an event is booked once': {
      text: "ConditionExpression: 'attribute_not_exists(pk)',",
      otherwise: 'a delivered event would begin anew',
      tests: [[DELIVERIES, 'is made once']],
    },
  }),
  ...guardsIn('shared/table/deliveries.ts', {
    'an attempt is one worker’s': {
      text: 'leasedUntil < :now)',
      becomes: 'leasedUntil < :now OR attribute_exists(pk))',
      otherwise: 'an event whose message came twice would be sent twice at once',
      tests: [[DELIVERIES, 'gives the attempt to one of many who ask at once']],
    },
    'an attempt is left to another once its lease is over': {
      text: "':lease': now + LEASE,",
      becomes: "':lease': now + 10 * LEASE,",
      otherwise: 'the event of a worker that died would wait for longer than it must',
      tests: [[DELIVERIES, 'of a worker that died is taken over once its lease is over']],
    },
    'an attempt is not made before it is due': {
      text: 'AND dueAt <= :now AND (attribute_not_exists(leasedUntil)',
      becomes: 'AND (dueAt <= :now OR attribute_exists(pk)) AND (attribute_not_exists(leasedUntil)',
      otherwise: 'a message that comes early would use up the schedule',
      tests: [[DELIVERIES, 'waits for the queue']],
    },
    'a message brings no later attempt than its row has': {
      text: 'dueAttempt >= :attempt AND',
      becomes: '(dueAttempt >= :attempt OR attribute_exists(pk)) AND',
      otherwise: 'a message from a redrive would make the attempt of a row that was put back',
      tests: [[DELIVERIES, 'for an attempt that is not due yet']],
    },
    'only what is pending is attempted': {
      text: "'#state = :pending AND dueAttempt >= :attempt",
      becomes: "'(#state = :pending OR attribute_exists(pk)) AND dueAttempt >= :attempt",
      otherwise: 'a delivered event would be sent again by each copy of its message',
      tests: [[DELIVERIES, 'is opened once by the message that names the next attempt']],
    },
    'a late outcome does not count twice': {
      text: 'dueAttempt <= :latest',
      becomes: '(dueAttempt <= :latest OR attribute_exists(pk))',
      otherwise: 'a slow worker would give up what another has put off',
      tests: [[DELIVERIES, 'of a late worker is dropped where another has failed']],
    },
    'a late success counts': {
      text: 'result?.delivered ? attempts + 1 : attempts',
      becomes: 'attempts',
      otherwise: 'an event that has arrived would be sent once more',
      tests: [[DELIVERIES, 'of a late worker is dropped where another has failed']],
    },
    'an outcome needs a pending delivery': {
      text: '#state = :pending AND dueAttempt <= :latest',
      becomes: '(#state = :pending OR attribute_exists(pk)) AND dueAttempt <= :latest',
      otherwise: 'a late failure would take a delivered event back',
      tests: [[DELIVERIES, 'a late failure takes back no success']],
    },
    'a failure does not put off what was resent meanwhile': {
      text: "' AND dueAt = :claimed'",
      becomes: "' AND (dueAt = :claimed OR attribute_exists(pk))'",
      otherwise: 'a resend that was accepted would make no attempt, or one hours later',
      tests: [[DELIVERIES, 'is neither put off nor ended by its failure']],
    },
    'a success ends what was resent meanwhile': {
      text: "if (result?.delivered || next.state === 'suspensa') return false;",
      becomes: "if (next.state === 'suspensa') return false;",
      otherwise: 'an event that has arrived would be sent once more',
      tests: [[DELIVERIES, 'asks for nothing more where the attempt succeeds']],
    },
    'an outcome ends its lease': {
      text: ', duePk = :duePk, dueSk = :dueSk REMOVE leasedUntil',
      becomes: ', duePk = :duePk, dueSk = :dueSk',
      otherwise: 'the next attempt would find the row taken',
      tests: [[DELIVERIES, 'ends the lease: the next attempt can be claimed at once']],
    },
    'nothing is suspended for an endpoint that is enabled': {
      text: "ConditionExpression: 'enabled = :no',",
      becomes: "ConditionExpression: 'enabled = :no OR attribute_exists(pk)',",
      otherwise: 'an event suspended after the release would wait for ever',
      tests: [[REPLAYS, 'misses nothing: a delivery cannot be suspended once the endpoint is enabled']],
    },
    'a redrive opens its own attempt': {
      text: "condition: '#state = :exhausted AND dueAttempt = :attempt',",
      becomes: "condition: '#state = :exhausted AND (dueAttempt = :attempt OR attribute_exists(pk))',",
      otherwise: 'an old copy of a message would open what was given up',
      tests: [[DELIVERIES, 'is opened once by the message that names the next attempt']],
    },
    'only what is suspended is released': {
      text: "condition: '#state = :suspended',",
      becomes: "condition: '#state = :suspended OR attribute_exists(pk)',",
      otherwise: 'the index is late: what was delivered meanwhile would be sent again',
      tests: [['test/table/release.test.ts', 'that the index still shows is released once']],
    },
  }),
  ...guardsIn('shared/table/expiry.ts', {
    'a delivery past its time is not made due': {
      text: 'OR expiresAt > :at)',
      becomes: 'OR expiresAt > :at OR attribute_exists(pk))',
      otherwise: 'TTL deletes days late: an event of another year would be sent',
      tests: [['test/table/release.test.ts', 'past its time is not sent again']],
    },
  }),
  ...guardsIn('shared/table/deliveries.ts', {
    'the queue is noted for the attempt that it was told': {
      text: "'#state = :pending AND dueAttempt = :attempt AND dueAt = :dueAt'",
      becomes: "'(#state = :pending AND dueAttempt = :attempt AND dueAt = :dueAt) OR attribute_exists(pk)'",
      otherwise: 'a final delivery would come back into the index of what is due',
      tests: [[DELIVERIES, 'is listed by who is to see to it']],
    },
  }),
  ...guardsIn('shared/table/replays.ts', {
    'what waits for an attempt is not replayed': {
      text: "'attribute_exists(pk) AND #state <> :pending'",
      becomes: "'attribute_exists(pk)'",
      otherwise: 'an attempt under way would be made twice',
      tests: [[REPLAYS, 'of what waits for an attempt anyway does nothing']],
    },
  }),

  // The endpoint.
  ...guardsIn('shared/table/webhook-endpoints.ts', {
    'a failure counts against the endpoint that failed': {
      text: "ConditionExpression: 'changedAt = :changedAt AND enabled = :yes',\n        ExpressionAttributeValues: { ':now': now, ':one'",
      becomes:
        "ConditionExpression: '(changedAt = :changedAt OR attribute_exists(pk)) AND enabled = :yes',\n        ExpressionAttributeValues: { ':now': now, ':one'",
      otherwise: 'the failures of an address that was replaced would disable the new one',
      tests: [[ENDPOINTS, 'is not touched by what an attempt from before the change says']],
    },
    'a success clears the endpoint that took it': {
      text: "ConditionExpression: 'changedAt = :changedAt',",
      becomes: "ConditionExpression: 'changedAt = :changedAt OR attribute_exists(pk)',",
      otherwise: 'a late success of the old address would hide that the new one fails',
      tests: [[ENDPOINTS, 'is not touched by what an attempt from before the change says']],
    },
    'an endpoint is disabled as the attempt knew it': {
      text: 'ConditionExpression: `changedAt = :changedAt AND enabled = :yes$',
      becomes: 'ConditionExpression: `(changedAt = :changedAt OR attribute_exists(pk)) AND enabled = :yes$',
      otherwise: 'a 410 of the old address would disable the new one',
      tests: [[ENDPOINTS, 'is not touched by what an attempt from before the change says']],
    },
    'an endpoint is disabled for failures that go on': {
      text: "' AND failingSince = :since'",
      becomes: "' AND (failingSince = :since OR attribute_exists(pk))'",
      otherwise: 'an endpoint that something has just arrived at would be disabled for what is over',
      tests: [[ENDPOINTS, 'is not disabled for failures that ended meanwhile']],
    },
    'an endpoint enabled once more is looked at once more': {
      text: "ConditionExpression: 'dueSk = :seen',",
      becomes: "ConditionExpression: 'dueSk = :seen OR attribute_exists(pk)',",
      otherwise: 'what was kept since would not be released',
      tests: [[ENDPOINTS, 'is looked at by the sweeper from its enabling on']],
    },
  }),
  ...guardsIn('shared/table/kept-deliveries.ts', {
    'what somebody wishes to be sent again is not given up': {
      text: 'OR wishedAt < :before)',
      becomes: 'OR wishedAt < :before OR attribute_exists(pk))',
      otherwise: 'what was promised to be kept would be gone before its address is enabled',
      tests: [[RETENTION, 'is kept where the index shows the wish late or not at all']],
    },
  }),
  ...guardsIn('shared/table/webhook-endpoints.ts', {
    'of two rotations at once one holds': {
      text: "ConditionExpression: 'sealed = :before',",
      becomes: "ConditionExpression: 'sealed = :before OR attribute_exists(pk)',",
      otherwise: 'a secret that was handed out would sign nothing',
      tests: [[ENDPOINTS, 'of two at once only one holds']],
    },
    'a webhook is set once': {
      text: "    ConditionExpression: 'attribute_not_exists(pk)',\n",
      otherwise: 'a second setting would replace the secret without a word',
      tests: [[ENDPOINTS, 'is enabled and well when it is set, and set once']],
    },
    'a promised overlap is kept': {
      text: 'if (kept && !dropPrevious && previousUntil !== undefined && previousUntil > now) {',
      becomes: 'if (kept && !dropPrevious && previousUntil !== undefined && previousUntil > Infinity) {',
      otherwise: 'a receiver that still has the older secret would refuse every event',
      tests: [[ENDPOINTS, 'while another’s overlap runs is refused']],
    },
  }),

  // Submission and polling.
  ...guardsIn('shared/domain/analyses/bank-submission.ts', {
    'a first submission is not sent by a run that was held up': {
      text: 'const inTime = clock() - analysis.createdAt < SUBMIT_LEASE - ONE_BANK;',
      becomes: 'const inTime = clock() > 0;',
      otherwise: 'the poller may have sent it by then',
      tests: [[SUBMISSION, 'is not sent by a run that was held up']],
    },
    'an absent analysis is not sent by a call that has ended': {
      text: 'if (signal.aborted) return inDoubt;',
      otherwise: 'the lease would be taken for nothing, and nobody could send for a minute',
      tests: [[SUBMISSION, 'takes no lease and sends nothing once its signal is aborted']],
    },
    'an absent analysis is not sent by a run that was held up': {
      text: 'const inTime = clock() - asked < SUBMIT_LEASE - ONE_BANK;',
      becomes: 'const inTime = clock() > 0;',
      otherwise: 'another may have the lease by the time it sends',
      tests: [[SUBMISSION, 'sends nothing where its lease may be over before the bank has answered']],
    },
    'an absent analysis is sent by who has the lease': {
      text: 'if (!(await analyses.acquireSubmitLease(analysis, asked))) return undefined;',
      becomes: 'await analyses.acquireSubmitLease(analysis, asked);',
      otherwise: 'a second credit query on a person’s name',
      tests: [[SUBMISSION, 'absent, and someone else sends it']],
    },
    'an absent analysis is not sent after 48 hours': {
      text: 'if (asked - analysis.createdAt > SUBMIT_LIMIT) return TOO_LATE;',
      otherwise: 'a query that nobody expects any more would be made',
      tests: [[SUBMISSION, 'is refused under its lease once it is older than 48 hours']],
    },
    'an absent analysis of a person to be erased is withdrawn': {
      text: "if (await analyses.isToBeErased(analysis)) return { kind: 'withdrawn' };",
      otherwise: 'a bank would be asked about a person who is to be erased',
      tests: [[SUBMISSION, 'is withdrawn where the person is to be erased']],
    },
  }),
  ...guardsIn('shared/table/submissions.ts', {
    'a person whose erasure waits is submitted no more': {
      text: "erasureKey(caller, lead.id), ConditionExpression: 'attribute_not_exists(pk)'",
      becomes: "erasureKey(caller, lead.id), ConditionExpression: 'attribute_not_exists(pk) OR attribute_exists(pk)'",
      otherwise: 'each new submission would put the erasure off, and ask a bank about a person who is to be erased',
      tests: [[ERASURES, 'lets nobody submit for its lead who has read it before']],
    },
  }),
  ...guardsIn('shared/domain/analyses/bank-submission.ts', {
    'a resumed submission that got no answer is not sent': {
      text: "if (status.kind === 'unavailable') return inDoubt;",
      becomes:
        "if (status.kind === 'unavailable') return (await submitIfAbsent(analysis, form, asked, deps)) ?? inDoubt;",
      otherwise: 'silence does not mean that the operator has nothing',
      tests: [[SUBMISSION, 'without an answer']],
    },
    'a bank that has confirmed is left alone': {
      text: "const waits = analysis.situation === 'em_analise' && analysis.queryNumber === '';",
      becomes: "const waits = analysis.situation === 'em_analise';",
      otherwise: 'a retry would ask about what is settled',
      tests: [[SUBMISSION, 'leaves banks alone that have confirmed']],
    },
  }),
  ...guardsIn('shared/domain/analyses/poll-analysis.ts', {
    'a poll leaves a submission to the request that makes it': {
      text: "return analysis.queryNumber === '' && now - analysis.createdAt < SUBMIT_LEASE;",
      becomes: 'return now - analysis.createdAt < 0;',
      otherwise: 'the operator has nothing yet, and the poller would send beside the request',
      tests: [[SUBMISSION, 'leaves a bank submission to the request that is making it']],
    },
    'a poll never sends what has a number': {
      text: "if (status.kind === 'absent' && analysis.queryNumber === '')",
      becomes: "if (status.kind === 'absent')",
      otherwise: 'an operator that has forgotten a number would get a second submission',
      tests: [[SUBMISSION, 'never sends again what has a number']],
    },
    'an analysis is given up after 30 days and not before': {
      text: 'if (now - analysis.createdAt <= PENDING_LIMIT) return undefined;',
      becomes: 'if (now - analysis.createdAt < PENDING_LIMIT) return undefined;',
      otherwise: 'the contract names the moment',
      tests: [[SUBMISSION, 'an analysis is given up']],
    },
  }),
  ...guardsIn('shared/domain/analyses/analysis.ts', {
    'a final situation is final': {
      text: 'if (!isPending(analysis.situation)) return undefined;\n  if (to.situation === analysis.situation)',
      becomes: 'if (to.situation === analysis.situation)',
      otherwise: 'a final analysis would take on another number and text',
      tests: ['test/unit/domain/analyses/analysis.test.ts'],
    },
  }),
  ...guardsIn('shared/domain/analyses/record-outcomes.ts', {
    'a told outcome names its bank': {
      text: "if (told.bank !== analysis.bank) return refused('other_bank');",
      otherwise: 'one bank’s word would end what is at another',
      tests: [[PUSHED, 'is refused where reference, bank and number do not fit']],
    },
    'a told outcome names its number': {
      text: "if (told.queryNumber !== analysis.queryNumber) return refused('other_number');",
      otherwise: 'the word on another query would end this one, and take its number’s place',
      tests: [[PUSHED, 'is refused where reference, bank and number do not fit']],
    },
    'a told outcome waits for the submission to be confirmed': {
      text: "if (analysis.queryNumber === '') return refused(isPending(analysis.situation) ? 'not_submitted' : 'final');",
      otherwise: 'it could end an analysis whose submission is under way',
      tests: [[PUSHED, 'is refused before its submission is confirmed']],
    },
    'a told outcome of what is final says so': {
      text: 'if (!isPending(analysis.situation)) {',
      becomes: 'if (analysis.id < 0) {',
      otherwise: 'the operator would take a changed mind for recorded',
      tests: [[PUSHED, 'changes nothing that is']],
    },
    'the sandbox takes no told outcome': {
      text: "if (told.environment === 'sandbox') return refused('unknown');",
      otherwise: 'the operator could end what it has never seen',
      tests: [[PUSHED, 'is refused where reference, bank and number do not fit']],
    },
    'what one push tells of an analysis is taken in its order': {
      text: 'for (const { index, outcome } of ofOne) records[index] = await recordOutcome(outcome, deps);',
      becomes:
        'await Promise.all(ofOne.map(async ({ index, outcome }) => (records[index] = await recordOutcome(outcome, deps))));',
      otherwise: 'an older word that is read more slowly would be refused or come last',
      tests: ['test/unit/domain/analyses/record-outcomes.test.ts'],
    },
  }),
  ...guardsIn('shared/operator/read-outcomes.ts', {
    'a reference is read exactly': {
      text: 'if (operatorReference(tenancy, id) !== data.reference) return undefined;',
      otherwise: 'a number too large to be exact would name another analysis',
      tests: [[TOLD, 'is not read, and spoils no other']],
    },
  }),
  ...guardsIn('functions/pollers/poll-bank-outcomes.ts', {
    'a run begins nothing in its last 15 seconds': {
      text: 'made.clock() + context.getRemainingTimeInMillis() - SHUTDOWN_MARGIN_MS',
      becomes: 'made.clock() + context.getRemainingTimeInMillis()',
      otherwise: 'a run that is cut off writes no cursor, and the next begins where it began',
      tests: [['test/service/poll-bank-outcomes.test.ts', 'begins nothing in its last 15 seconds']],
    },
  }),
  ...guardsIn('shared/wiring.ts', {
    'the outcome of a test CPF is forced in the sandbox alone': {
      text: "environment === 'sandbox' ? forcedOutcome(cpf) : undefined",
      becomes: 'forcedOutcome(cpf)',
      otherwise: 'production would store an outcome that nobody has decided',
      tests: [['test/unit/wiring.test.ts', 'is forced in the sandbox and never in production']],
    },
  }),
  ...guardsIn('shared/domain/analyses/circuit-breaker.ts', {
    'a breaker trips after five failures': {
      text: 'const FAILURES_TO_OPEN = 5;',
      becomes: 'const FAILURES_TO_OPEN = 9;',
      otherwise: 'a dead bank would take the time of the run',
      tests: [[BREAKER, 'opens after five failures in a row']],
    },
    'a tripped breaker waits for what is under way': {
      text: "(state === 'tripped' && running === 0)",
      becomes: "(state === 'tripped' && running >= 0)",
      otherwise: 'the one more try would be ten',
      tests: [[BREAKER, 'waits for the calls under way before the one more try']],
    },
    'a bank gets one more try a run': {
      text: "state = tried ? 'open' : 'tripped';",
      becomes: "state = 'tripped';",
      otherwise: 'a bank that answers now and then would take the time of every other',
      tests: [[BREAKER, 'closes with the answer to the try, and gives no second one']],
    },
    'a breaker counts failures in a row': {
      text: '        failures = 0;\n',
      otherwise: 'five failures among a thousand answers would shut a bank off',
      tests: [[BREAKER, 'never opens for failures that an answer interrupts']],
    },
  }),
  ...guardsIn('shared/domain/analyses/bulkhead.ts', {
    'the first batch goes alone': {
      text: 'const goesAlone = unit.length > 1 && !probed;',
      becomes: 'const goesAlone = false;',
      otherwise: 'an operator without batches would be asked in vain twice',
      tests: [[BULKHEAD, 'batches hold up to 100, the first goes alone']],
    },
    'a lane asks ten at a time': {
      text: 'inFlight(AT_ONCE)',
      becomes: 'inFlight(2 * AT_ONCE)',
      otherwise: 'one bank would take the connections of the others',
      tests: [[BULKHEAD, 'each is asked once, ten at a time']],
    },
    'a lane starts nothing from lastStart on': {
      text: 'const inTime = () => clock() < lastStart;',
      becomes: 'const inTime = () => clock() < Infinity;',
      otherwise: 'the run would be cut off with questions under way',
      tests: [[BULKHEAD, 'from lastStart on nothing starts']],
    },
    'a batch that was refused is given back': {
      text: '        giveBack(unit);\n      }',
      becomes: '      }',
      otherwise: 'a hundred analyses would not be asked about by any run',
      tests: [[BULKHEAD, 'an operator without batches is found out once']],
    },
  }),
  ...guardsIn('shared/domain/analyses/poll-shard.ts', {
    'what waited for a day is asked about before it is given up': {
      text: 'cursor !== undefined && now - span.dueAt < ASKED_WITHIN',
      becomes: 'cursor !== undefined || now - span.dueAt < ASKED_WITHIN',
      otherwise: 'after an outage of ours an outcome that the bank has would be thrown away',
      tests: [[SHARD, 'ask about what is too old before it is given up']],
    },
    'a run leaves to the next what it did not come to': {
      text: 'open ? [] : owedOf(left, now)',
      becomes: 'open ? [] : owedOf([], now)',
      otherwise: 'what a run was cut off from would wait for its pace again, an hour or for good',
      tests: [[SHARD, 'go on where they stopped']],
    },
  }),
  ...guardsIn('shared/domain/analyses/poll-schedule.ts', {
    'each shard has its own partitions': {
      text: 'return POLL_PARTITIONS.filter((partition) => shardOf(partition, shards) === shard);',
      becomes: 'return POLL_PARTITIONS.filter((partition) => shardOf(partition, shards) <= shard);',
      otherwise: 'two shards would ask about the same analyses at once',
      tests: [SCHEDULE],
    },
    'minutes that no run took are made up for': {
      text: 'Math.min(through + 1, minute)',
      becomes: 'minute',
      otherwise: 'a tick that was missed would put the old off by an hour',
      tests: [[SCHEDULE, 'make up for every tick that was missed']],
    },
  }),

  // The operator's word.
  ...guardsIn('shared/operator/read-answer.ts', {
    'an answer is about the reference that was asked': {
      text: "  expectSame(submission.reference, reference);\n  expectSame(submission.bank, bank);\n  return { kind: 'accepted'",
      becomes: "  expectSame(submission.bank, bank);\n  return { kind: 'accepted'",
      otherwise: 'an analysis would bear another person’s query number',
      tests: [[OPERATOR, 'is no answer']],
    },
    'an outcome is about the number that was asked': {
      text: 'if (byNumber) expectSame(submission.queryNumber, queryNumber);',
      otherwise: 'the outcome of another query would end the analysis',
      tests: [[OPERATOR, 'a query with another query number']],
    },
    'only the contract’s refusal says that a reference was never received': {
      text: 'expectSame(parsed(schemas.neverReceived, answer).reference, reference);',
      otherwise: 'any 404 of a proxy would cause a second submission',
      tests: [OPERATOR],
    },
    'a number that the operator has forgotten is not absent': {
      text: 'if (!byNumber && answer.status === 404) {',
      becomes: 'if (answer.status === 404) {',
      otherwise: 'the poller would send what the bank has confirmed',
      tests: [OPERATOR],
    },
  }),
  ...guardsIn('shared/operator/operator-api.ts', {
    'an answer that breaks off is none': {
      text: 'if (answer.broken) throw answer.broken;',
      otherwise: 'half an answer could be read as a whole one',
      tests: [OPERATOR],
    },
  }),
  ...guardsIn('shared/operator/read-answer.ts', {
    'a status of a batch fits exactly one analysis': {
      text: 'return status && fitting.length === 1',
      becomes: 'return status',
      otherwise: 'of two answers that differ one would be believed',
      tests: [[BATCH, 'leaves each without an answer to which not exactly one entry fits']],
    },
  }),
  ...guardsIn('shared/operator/circuit.ts', {
    'submissions are shed while most time out': {
      text: 'late.length * 2 > submissions.length',
      becomes: 'late.length * 2 > submissions.length * 9',
      otherwise: 'each would hold a function for its whole time',
      tests: [[CIRCUIT, 'are shed while most of the last 30 s timed out']],
    },
    'submissions are shed while the token is refused': {
      text: 'if (refused) refusedAt = at;',
      becomes: 'if (refused) refusedAt = undefined;',
      otherwise: 'claims would be stored that no bank gets',
      tests: [[CIRCUIT, 'are shed']],
    },
  }),

  // The webhook's attempts.
  ...guardsIn('shared/webhook/send.ts', {
    'a redirect is a failure': {
      text: 'status >= 200 && status < 300',
      becomes: 'status >= 200 && status < 400',
      otherwise: 'an event would count as taken by who has sent it elsewhere',
      tests: [[SEND, 'the status decides']],
    },
    'an attempt ends in 15 seconds': {
      text: 'withTimeLimit(limits.total,',
      becomes: 'withTimeLimit(10 * limits.total,',
      otherwise: 'a slow receiver would outlast the lease of the attempt',
      tests: [[SEND, 'slow headers are timeout after 15 s in all']],
    },
  }),
  ...guardsIn('shared/webhook/sign.ts', {
    'the former secret signs until its overlap ends': {
      text: 'now < secrets.previousUntil',
      becomes: 'now < Infinity',
      otherwise: 'a secret that leaked would sign for good',
      tests: [[SIGN, 'the former secret signs nothing from the moment its overlap ends']],
    },
  }),
  ...guardsIn('shared/webhook/retry-after.ts', {
    'a receiver’s wish is bounded': {
      text: 'Math.min(Math.max(asked, 0), LONGEST_WAIT)',
      becomes: 'Math.max(asked, 0)',
      otherwise: 'a receiver could put its events off for years',
      tests: ['test/unit/webhook/retry-after.test.ts'],
    },
  }),
];

import { findLeads } from '#shared/administration/leads.ts';
import type { AnswerOf } from '#shared/administration/operations.ts';
import { AdministrationRefusal } from './administration-client.ts';
import { CommandError, EXIT, verdict } from './errors.ts';
import { type ByCpf, once, type TypedOperation, textOf } from './operation-verb.ts';
import { checkFields, type Fields, picked } from './options.ts';
import { through } from './pages.ts';
import type { Session } from './session.ts';
import { type Shape, shapeOf } from './shape.ts';

// `leads export` and `leads erase` without --lead make their call for each lead of the person with a CPF.

type Place = AnswerOf<'find-leads'>['found'][number];

const placeText = ({ partner_id, unit_id, environment, lead_id, role }: Place) =>
  `partner ${partner_id}, unit ${unit_id}, ${environment}, lead ${lead_id} as ${role}`;

async function placesOf(search: Fields, session: Session): Promise<readonly Place[]> {
  checkFields(findLeads, search);
  const found: Place[] = [];
  for await (const page of through((cursor) => session.ask('find-leads', search, { cursor })))
    found.push(...page.found);
  if (found.length === 0)
    throw new CommandError('nobody with this CPF is known there (a person who was erased is found by --lead)');
  return found;
}

export function byCpf(session: Session): ReadonlyMap<string, ByCpf> {
  const everywhere: ByCpf = async (operation, given, isDry) => {
    const cpf = await session.secretInput('CPF (not shown): ');
    const places = await placesOf({ ...picked(given, findLeads.body.shape), cpf }, session);
    if (operation.confirm && !isDry)
      await session.confirm(`${operation.english} (${places.map(placeText).join('; ')})`);
    const done: (readonly [Place, Fields])[] = [];
    const failed: unknown[] = [];
    // A failure at one place loses no other place's answer: some answers cannot be had a second time.
    for (const place of places)
      try {
        done.push([place, await once(operation, { ...given, ...place, cpf }, session, { isDry })]);
      } catch (error) {
        if (places.length === 1) throw error;
        session.note(`${placeText(place)}: ${verdict(error).line}`);
        failed.push(error);
      }
    if (done.length > 0) print(operation, done, shapeOf(isDry ? operation.preview : operation.answer), session);
    if (failed.length > 0) throw joinedFailure(failed, places.length);
  };
  return new Map([
    ['export-lead', everywhere],
    ['erase-lead', everywhere],
  ]);
}

/** Returns a failure that waits for an approval if every place waits for an approval. */
function joinedFailure(failed: readonly unknown[], places: number): CommandError {
  const sentence = `${failed.length} of ${places} places: see above`;
  const isWaiting = failed.every((error) => verdict(error).code === EXIT.waiting);
  return isWaiting ? new AdministrationRefusal('approval_needed', sentence) : new CommandError(`failed at ${sentence}`);
}

/** Prints the answers of an export as one JSON document. */
function print(
  operation: TypedOperation,
  answers: readonly (readonly [Place, Fields])[],
  shape: Shape,
  session: Session,
): void {
  const isDocument = shape.fields.has('person');
  const value = answers.map(([, answer]) => (isDocument ? answer['person'] : answer));
  session.print(value, () =>
    isDocument
      ? `${JSON.stringify(value, null, 2)}\n`
      : answers
          .map(([place, answer]) => `${placeText(place)}:\n${textOf(operation, answer, shape, {}, session)}`)
          .join('\n'),
  );
}

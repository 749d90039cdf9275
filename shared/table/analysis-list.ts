/**
 * The list of a lead's analyses: pages of about 1 KB beside the lead, with ten bytes for each analysis.
 *
 * An analysis is one attribute of a page: its id in base64 names it, one character holds bank, situation and whether it
 * is the first of its submission (whose consent then has the same number). The list is written in the transactions that
 * make and end analyses, so that it is never behind them, and it is read whole, in one consistent query together with
 * the lead: page, total and pending ones come from the same read. 20,000 analyses are 223 pages, 53 read units.
 */
import * as z from 'zod/mini';
import type { Analysis, Situation } from '../domain/analyses/analysis.ts';
import type { AnalysisChange, LeadAnalysis } from '../domain/analyses/ports.ts';
import type { Bank } from '../domain/values/bank.ts';
import type { AnalysisId, ConsentId, LeadId } from '../domain/values/ids.ts';
import type { Tenancy } from '../domain/values/tenancy.ts';
import { type Item, queryAllRows, type TransactItem } from './client.ts';
import { ANALYSIS_LIST, analysisListKey, leadKey } from './keys.ts';
import { livingLead } from './leads.ts';

/** Analyses in a page: one that is full stays within 1 KB, so that a change of it is one write. */
export const LISTED_MOST = 90;

/** Stored by their place: append only. */
const SITUATIONS = ['em_analise', 'aprovado', 'condicionado', 'recusado', 'cancelado', 'erro'] as const;
const BANKS = ['bradesco', 'itau', 'santander', 'inter', 'brb', 'cashme'] as const;
/** The character of the first pair of situation and bank: all that follow are printable. */
const FIRST_CHARACTER = '0'.charCodeAt(0);

const pageFormat = z.catchall(
  z.object({ pk: z.string(), sk: z.string(), listed: z.optional(z.int()) }),
  z.string().check(z.length(1)),
);

/** A lead's row with the list of its analyses, newest first, and the ids of its consents, newest first. */
export interface ListedLead {
  readonly lead: Item;
  readonly analyses: readonly LeadAnalysis[];
  readonly consentIds: readonly ConsentId[];
}

/** 54 bits in nine characters. */
function nameOf(id: AnalysisId): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(id) << 10n);
  return bytes.toString('base64url').slice(0, 9);
}

function idOf(name: string): AnalysisId {
  return Number(Buffer.from(`${name}AA`, 'base64url').readBigUInt64BE() >> 10n) as AnalysisId;
}

/** Whether an analysis is the one whose number its submission and its consent bear. */
const leadsSubmission = ({ id, submissionId }: Pick<Analysis, 'id' | 'submissionId'>) => Number(id) === submissionId;

function characterOf(analysis: Pick<Analysis, 'id' | 'submissionId' | 'bank' | 'situation'>): string {
  const pair = SITUATIONS.indexOf(analysis.situation) * BANKS.length + BANKS.indexOf(analysis.bank);
  return String.fromCharCode(FIRST_CHARACTER + 2 * pair + Number(leadsSubmission(analysis)));
}

function ofCharacter(character: string): { bank: Bank; situation: Situation; first: boolean } {
  const code = character.charCodeAt(0) - FIRST_CHARACTER;
  const pair = Math.floor(code / 2);
  const situation = SITUATIONS[Math.floor(pair / BANKS.length)];
  if (!situation) throw new Error('the list of a lead holds a character of another version');
  return { situation, bank: BANKS[pair % BANKS.length]!, first: code % 2 === 1 };
}

/** SET clauses that write analyses into their page, with the names and values that they use. */
function writing(analyses: readonly Analysis[]) {
  return {
    set: `SET ${analyses.map((_, index) => `#a${index} = :a${index}`).join(', ')}`,
    names: Object.fromEntries(analyses.map(({ id }, index) => [`#a${index}`, nameOf(id)])),
    values: Object.fromEntries(analyses.map((analysis, index) => [`:a${index}`, characterOf(analysis)])),
  };
}

/** The transaction's part that lists new analyses of one lead on one page; fails where the page has no room for them. */
export function listAnalyses(analyses: readonly Analysis[]): TransactItem {
  const [first] = analyses as readonly [Analysis];
  const { set, names, values } = writing(analyses);
  return {
    Update: {
      Key: analysisListKey(first, first.leadId, first.listPage ?? 0),
      UpdateExpression: `${set} ADD listed :count`,
      ConditionExpression: 'attribute_not_exists(listed) OR listed <= :room',
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: {
        ...values,
        ':count': analyses.length,
        ':room': LISTED_MOST - analyses.length,
      },
    },
  };
}

/** The transaction's parts that list analyses as they have become: one for each page, none where no situation changes. */
export function relistAnalyses(changes: readonly AnalysisChange[]): TransactItem[] {
  const moved = changes.filter(({ before, after }) => before.situation !== after.situation);
  const pages = Map.groupBy(moved, ({ before }) => before.listPage ?? 0);
  return [...pages].map(([page, own]) => {
    const { set, names, values } = writing(own.map(({ after }) => after));
    const [{ before }] = own as [AnalysisChange];
    return {
      Update: {
        Key: analysisListKey(before, before.leadId, page),
        UpdateExpression: set,
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: values,
      },
    };
  });
}

/** A lead with its list, as they stand; undefined where there is no such lead, or its person is being erased. */
export async function readLivingList(tenancy: Tenancy, leadId: LeadId): Promise<ListedLead | undefined> {
  const listed = await readAnalysisList(tenancy, leadId);
  return livingLead(listed?.lead) && listed;
}

/** The same of any lead, erased or not. */
export async function readAnalysisList(tenancy: Tenancy, leadId: LeadId): Promise<ListedLead | undefined> {
  const { pk, sk } = leadKey(tenancy, leadId);
  const rows = await queryAllRows({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :list AND :lead',
    ExpressionAttributeValues: { ':pk': pk, ':list': ANALYSIS_LIST, ':lead': sk },
    ConsistentRead: true,
  });
  const lead = rows.find((row) => row['sk'] === sk);
  if (!lead) return undefined;
  const listed = rows
    .filter((row) => row !== lead)
    .flatMap((row) => {
      const { pk: _, sk: __, listed: ___, ...page } = pageFormat.parse(row);
      return Object.entries(page).map(([name, character]) => ({ id: idOf(name), ...ofCharacter(character) }));
    })
    .sort((a, b) => b.id - a.id);
  return {
    lead,
    analyses: listed.map(({ id, bank, situation }) => ({ id, bank, situation })),
    consentIds: listed.flatMap(({ id, first }) => (first ? [Number(id) as ConsentId] : [])),
  };
}

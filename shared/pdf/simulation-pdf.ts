import { simulationIdFor } from '../domain/simulations/opportunity.ts';
import type { PresentedOffer } from '../domain/simulations/ports.ts';
import { bankName } from '../domain/values/bank.ts';
import { balanceChart, CHART_HEIGHT, instalmentChart } from './charts.ts';
import { costPage } from './cost-page.ts';
import { packObjects } from './pack-objects.ts';
import { COLOURS, LEAST_SIZE, PAGE, Paper, type Style } from './paper.ts';
import { scheduleTable } from './schedule-table.ts';
import { summaryPage } from './summary-page.ts';
import { DOCUMENT_NAMES } from './wording.ts';

const FOOT = 814;
const RUNNING_HEAD = 52;
const RUNNING_NAME: Style = { size: LEAST_SIZE, colour: COLOURS.quiet };
const RUNNING_BANK: Style = { size: LEAST_SIZE, weight: 'semibold', colour: COLOURS.accent };
const BELOW_RUNNING_HEAD = 68;

/**
 * A document for the customer, in Portuguese: a tagged PDF 1.7 with its own fonts, PDF/UA-1 and PDF/A-2a. The same
 * record always makes the same bytes.
 */
export async function simulationPdf({ opportunity, offer, schedule, agent }: PresentedOffer): Promise<Uint8Array> {
  const id = simulationIdFor(opportunity, offer);
  const bank = bankName(offer.bank);
  const name = DOCUMENT_NAMES[offer.product];
  const paper = new Paper({
    title: `${name} nº ${id} – ${bank}`,
    subject: `Simulação indicativa, tabela ${offer.tableVersion}`,
    createdAt: opportunity.createdAt,
  });

  let page = 0;
  const turnPage = () => {
    paper.doc.addPage();
    page += 1;
    if (page > 1)
      paper.artifact(() => {
        paper.text(name, RUNNING_NAME, { x: PAGE.left, y: RUNNING_HEAD });
        paper.text(bank, RUNNING_BANK, { x: PAGE.right, y: RUNNING_HEAD, align: 'right' });
        paper.rule(RUNNING_HEAD + 6, COLOURS.accent, 0.75);
      }, 'Pagination');
    return BELOW_RUNNING_HEAD;
  };

  turnPage();
  const record = { id, opportunity, offer, schedule, agent };
  summaryPage(paper, record);
  costPage(paper, record, turnPage());
  const top = turnPage();
  instalmentChart(paper, top, schedule);
  balanceChart(paper, top + CHART_HEIGHT + 8, offer, schedule);
  scheduleTable(paper, schedule, top + 2 * CHART_HEIGHT + 22, turnPage);
  paper.foot(`Simulação nº ${id} · Tabela ${offer.tableVersion} · Simulação indicativa`, FOOT);
  return packObjects(paper.bytes());
}

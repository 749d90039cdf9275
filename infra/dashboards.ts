import type { BoardName } from './alarms/row.ts';
import { alarmsMade, alarmsOf } from './alarms.ts';
import { LIGHTS_GUIDE, lights } from './dashboards/lights.ts';
import { PARTNERS_GUIDE, partners } from './dashboards/partners.ts';
import { PLATFORM_GUIDE, platform } from './dashboards/platform.ts';
import { PRODUCT_GUIDE, product } from './dashboards/product.ts';
import { FULL, type Widget } from './dashboards/widget.ts';
import { COPIES, type Stage } from './stages.ts';

export interface Board {
  readonly name: BoardName;
  readonly title: string;
  readonly rows: readonly (readonly Widget[])[];
}

/** CloudWatch has no metric of a table's size. */
const SIZES = `The sizes of the tables: \`doctor\`; from ${COPIES.largestTable / 1e9} GB on the copies need another plan.`;

/** `made`: the alarms that the stage makes. `all`: every alarm, because the local page evaluates every alarm. */
export function boardsOf(stage: Stage, alarms: 'made' | 'all' = 'made', commit = 'unknown'): readonly Board[] {
  const rows = (alarms === 'all' ? alarmsOf(stage) : alarmsMade(stage)).filter(({ level }) => level !== 'clock');
  const board = (name: BoardName, title: string, guide: string, widgets: Board['rows']): Board => {
    const names = rows.filter((alarm) => alarm.board === name).map((alarm) => alarm.name);
    const links = `What to do for each alarm: [runbook](${stage.runbookUrl}). Times are UTC. The title of a widget says what one point is.`;
    const markdown = [LIGHTS_GUIDE, guide, links].join('\n\n');
    const top: (readonly Widget[])[] = [lights(stage, rows)];
    if (names.length > 0) top.push([{ kind: 'alarms', title: `Alarms: ${title}`, width: FULL, names }]);
    top.push([{ kind: 'text', title: '', width: FULL, markdown }]);
    return { name, title, rows: top.concat(widgets) };
  };
  return [
    board('product', 'Product', `${PRODUCT_GUIDE} The operator: ${stage.operatorContact}.`, product(stage)),
    board('partners', 'Partners', PARTNERS_GUIDE, partners(stage)),
    board('platform', 'Platform', `${PLATFORM_GUIDE} ${SIZES} Deployed commit: ${commit}.`, platform(stage)),
  ];
}

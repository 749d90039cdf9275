import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Annotations, App, CfnWaitConditionHandle, Stack, Validations } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { AwsSolutionsChecks } from 'cdk-nag';
import settings from '../cdk.json' with { type: 'json' };
import { bundle, putBeside } from '../infra/bundle.ts';
import { commitOf } from '../infra/commit.ts';
import { undeployable } from '../infra/deployable.ts';
import { PANEL } from '../infra/functions.ts';
import { addStage } from '../infra/stage-stacks.ts';
import { REGION, STAGE_NAMES, stageNamed, stageValues } from '../infra/stages.ts';
import { validateTables } from '../shared/domain/simulations/pricing/tables/validate.ts';
import { dayInSaoPaulo } from '../shared/domain/values/clock.ts';
import { packFiles } from '../shared/partner/docs/pack.ts';
import { packOnce } from '../shared/partner/docs/pack-once.ts';
import { FOLDER } from '../shared/partner/docs/packed.ts';
import generateOnce from './generate-once.ts';
import { bundlePage } from './manager/panel/bundle.ts';

function stop(sentences: readonly string[]): never {
  for (const sentence of sentences) console.error(sentence);
  process.exit(1);
}

function orStop<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    return stop([error instanceof Error ? error.message : String(error)]);
  }
}

const project = join(import.meta.dirname, '..');
const { values } = orStop(() => parseArgs({ options: { stage: { type: 'string' } } }));
const outdir = process.env['CDK_OUTDIR'] ?? join(project, settings.output);

// The local run sets CDK_VALIDATION to false: no rules are checked, and neither source maps nor tree.json are written.
const fullSynthesis = process.env['CDK_VALIDATION'] !== 'false';

// Only the CDK command line reads cdk.json: `npm run synth` needs the same settings.
const app = new App({
  outdir,
  analyticsReporting: settings.versionReporting,
  treeMetadata: fullSynthesis,
  context: settings.context,
});
const stageOption: unknown = values.stage ?? app.node.tryGetContext('stage');
// Only the CDK command line deploys. `npm run synth` only writes templates.
const deploys = process.env['CDK_CLI_VERSION'] !== undefined;
if (deploys && stageOption === undefined) {
  // `cdk bootstrap` only needs the environment of a stack. An annotated error on an empty stack stops the commands that
  // synthesise for a deployment.
  const none = new Stack(app, 'no-stage', { env: { region: REGION } });
  new CfnWaitConditionHandle(none, 'Nothing');
  Annotations.of(none).addError(`name the stage: -c stage=${STAGE_NAMES.join(', -c stage=')}.`);
  app.synth();
  process.exit(0);
}
const stages = stageOption === undefined ? STAGE_NAMES : [orStop(() => stageNamed(String(stageOption)))];
const faults = stages.flatMap((name) => undeployable(stageValues(name), process.env['CDK_DEFAULT_ACCOUNT']));
if (deploys && faults.length > 0) stop(faults);

// A pricing table with a fault must not be bundled: it would price offers that no bank makes.
validateTables(dayInSaoPaulo(Date.now()));
generateOnce();
// esbuild runs in a process of its own, so the documentation is packed at the same time.
const [codeFolder, docs] = await Promise.all([
  bundle(join(outdir, 'bundles'), project, { maps: fullSynthesis }),
  packOnce(project, async () => (await import('../shared/partner/docs/site.ts')).docsFiles()),
]);
putBeside(join(codeFolder('get-docs'), FOLDER), docs);
putBeside(join(codeFolder(PANEL.operation), FOLDER), await packFiles(await bundlePage()));
// `hotfix` is for a fix in the middle of an incident: the release has no canary, and alarms that are already on do not
// stop the release.
const hotfix = String(app.node.tryGetContext('hotfix')) === 'true';
const commit = commitOf(project);
for (const name of stages) {
  const stage = stageValues(name);
  const codeOf = (operation: string) => Code.fromAsset(codeFolder(operation));
  addStage(app, hotfix ? { ...stage, shift: 'hotfix' } : stage, codeOf, commit);
}

// CDK checks the templates by itself, unless CDK_VALIDATION is false. The rules of cdk-nag are added to that check.
if (fullSynthesis) Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
app.synth();
// The CDK command line sets CDK_OUTDIR and prints its own summary.
if (!process.env['CDK_OUTDIR'] && !process.exitCode) {
  for (const fault of faults) console.warn(`cannot be deployed yet: ${fault}`);
  console.log(`${stages.join(', ')}: synthesised and checked, in ${outdir}`);
}

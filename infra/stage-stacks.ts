import { type App, CfnOutput } from 'aws-cdk-lib';
import { AdministrationStack } from './administration-stack.ts';
import { DataStack } from './data-stack.ts';
import { type CodeOf, ServiceStack } from './service-stack.ts';
import { checkStage, prefixOf, type Stage } from './stages.ts';
import { WatchStack } from './watch-stack.ts';

/** Throws an Error if the stage's values cannot be deployed. */
export function addStage(app: App, stage: Stage, codeOf: CodeOf, commit = 'unknown') {
  checkStage(stage);
  const prefix = prefixOf(stage);
  const common = {
    description: `Partner mortgage credit integration service, commit ${commit}`,
    env: { account: stage.account, region: stage.region },
    tags: { service: 'partner-credit', stage: stage.name },
  };
  const data = new DataStack(app, `${prefix}-data`, stage, common);
  const service = new ServiceStack(app, `${prefix}-service`, stage, data, codeOf, common);
  new CfnOutput(service, 'Commit', { value: commit, description: 'The commit that runs' });
  const dependencies = { data, service, codeOf };
  const administration = new AdministrationStack(app, `${prefix}-administration`, stage, dependencies, common);
  const watch = new WatchStack(app, `${prefix}-watch`, stage, data.operationsKey, commit, common);
  // Queries of the watch stack name log groups of the other stacks.
  watch.addStackDependency(service);
  watch.addStackDependency(administration);
  return { data, service, administration, watch };
}

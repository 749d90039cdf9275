import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { type Blueprint, blueprintOf } from '#infra/local/blueprint.ts';
import { readAssembly, Template } from '#infra/local/template.ts';
import { addStage } from '#infra/stage-stacks.ts';
import { stageValues } from '#infra/stages.ts';
import settings from '../../cdk.json' with { type: 'json' };

export const QUEUES = 'http://127.0.0.1:9324';

/**
 * Synthesises the dev stage with functions that answer with their operation, event and environment. `remove` deletes
 * the files.
 */
export function assemblyWithStubs(): { blueprint: Blueprint; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'assembly-'));
  const app = new App({ analyticsReporting: false, context: settings.context, outdir: join(folder, 'out') });
  addStage(app, stageValues('dev', {}), (operation) => {
    const code = join(folder, operation);
    mkdirSync(code, { recursive: true });
    writeFileSync(
      join(code, 'index.mjs'),
      `export const handler = async (event) => ({
        statusCode: 200,
        body: JSON.stringify({ operation: '${operation}', event, environment: process.env }),
      });`,
    );
    return Code.fromAsset(code);
  });
  app.synth();
  return {
    blueprint: blueprintOf(new Template(readAssembly(join(folder, 'out')), QUEUES)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Seals the record of package.json's version, right after the commit that has added it: `npm run record:seal`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RECORDS, SEAL } from '#infra/local/rehearsal/recorded-release.ts';
import manifest from '../../package.json' with { type: 'json' };
import { PROJECT, sealOf } from './history.ts';

const seal = sealOf(manifest.version);
const file = join(RECORDS, manifest.version, SEAL);
writeFileSync(join(PROJECT, file), `${JSON.stringify(seal, null, 1)}\n`, { flag: 'wx' });
console.log(`${file} says what release ${manifest.version} is: commit it`);

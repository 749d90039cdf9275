import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { oldestRelease, recordedVersions, SEAL } from '#infra/local/rehearsal/recorded-release.ts';
import { lossesBetween, type OpenapiDocument } from '#test/makers/openapi-growth.ts';
import { lossesInFormats, type RecordedFormats, recordFormats } from '#test/record/formats.ts';
import { faultsOfHistory, PROJECT, sealOf } from '#test/record/history.ts';
import { asRecorded, readRecord, record } from '#test/record/recorded.ts';
import manifest from '../../package.json' with { type: 'json' };

const readJson = <T>(file: string): T => JSON.parse(readFileSync(join(PROJECT, file), 'utf8'));
const partners: OpenapiDocument = readJson('shared/partner/openapi/openapi.json');
const administration: OpenapiDocument = readJson('shared/administration/document/openapi.json');
/** The one call of the administration that another company's program makes. */
const outcomes: OpenapiDocument = { ...administration, paths: { '/resultados': administration.paths['/resultados']! } };
const formats = asRecorded(recordFormats());
record('openapi.json', partners);
record('outcomes.openapi.json', outcomes);
record('formats.json', formats);

const versions = recordedVersions(PROJECT);

describe.each(versions)('release %s', (version) => {
  it('a program that was written against its API works with this one', () => {
    expect(lossesBetween(readRecord<OpenapiDocument>(version, 'openapi.json'), partners)).toEqual([]);
  });

  it('the operator’s program that reports outcomes to it works with this one', () => {
    expect(lossesBetween(readRecord<OpenapiDocument>(version, 'outcomes.openapi.json'), outcomes)).toEqual([]);
  });

  it('its messages, ids and signatures are still understood and made', () => {
    expect(lossesInFormats(readRecord<RecordedFormats>(version, 'formats.json'))).toEqual([]);
  });
});

describe('lossesInFormats', () => {
  const changed = (name: string, change: { given?: unknown; made?: unknown }) =>
    lossesInFormats({ ...formats, [name]: { ...formats[name]!, ...change } });

  it('it refuses a message that is no longer read', () => {
    expect(changed('message of a delivery', { given: '{"event":"evt_0123456789"}' })).toEqual([
      expect.stringMatching(/^message of a delivery: was {"eventId".*}, and is now "refused: /),
    ]);
  });

  it('it refuses another event id, and a text that nothing reads any more', () => {
    expect(changed('ids of the events of an analysis', { made: ['evt_other'] })).toEqual([
      expect.stringMatching(/^ids of the events of an analysis: was \["evt_other"\], and is now /),
    ]);
    expect(lossesInFormats({ parcel: { given: '', made: '' } })).toEqual(['parcel: nothing reads it any more']);
  });
});

describe('the records', () => {
  it('no commit of this project has changed a record, and each is the one that its seal names', () => {
    expect(faultsOfHistory()).toEqual([]);
  });

  it('the changelog for operators has a section for each release and for this version', () => {
    const changelog = readFileSync(join(PROJECT, 'infra/CHANGELOG.md'), 'utf8');
    const sections = Array.from(changelog.matchAll(/^## (\d+\.\d+\.\d+)/gm), ([, version]) => version);
    expect(sections[0]).toBe(manifest.version);
    expect(sections).toEqual(expect.arrayContaining(versions));
  });
});

describe('faultsOfHistory', () => {
  const root = mkdtempSync(join(tmpdir(), 'partner-credit-history-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  let project: string;
  const folder = 'test/released/1.0.0';
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...words], {
      cwd: project,
      stdio: 'pipe',
    }).toString();
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(project, file)), { recursive: true });
    writeFileSync(join(project, file), text);
  };
  const commit = (title: string) => {
    git('add', '--all');
    git('commit', '--quiet', '--allow-empty', '--message', title);
  };
  const seal = () => {
    write(join(folder, SEAL), JSON.stringify(sealOf('1.0.0', project)));
    commit('Seal the record of 1.0.0');
  };

  let made = 0;
  beforeEach(() => {
    project = join(root, String(++made));
    mkdirSync(project);
    git('init', '--quiet', '--initial-branch=main');
    write('README.md', 'the project');
    commit('Begin');
    write(join(folder, 'rows.json'), '{"rows":1}');
    write(join(folder, 'openapi.json'), '{"openapi":1}');
    commit('Record 1.0.0');
  });

  it('a record that was sealed by the next commit has no fault, and its commit is the oldest release', () => {
    expect(faultsOfHistory(project)).toEqual([]);
    const released = git('rev-parse', 'HEAD').trim();
    expect(oldestRelease(project)).toBeUndefined();
    seal();
    write('README.md', 'later');
    commit('Go on');
    expect(faultsOfHistory(project)).toEqual([]);
    expect(oldestRelease(project)).toBe(released);
  });

  it('a second release is added next to the first', () => {
    seal();
    write('test/released/1.1.0/rows.json', '{"rows":2}');
    commit('Record 1.1.0');
    expect(faultsOfHistory(project)).toEqual([]);
    expect(recordedVersions(project)).toEqual(['1.0.0', '1.1.0']);
  });

  it('a commit that edits a record is a fault, also if a later commit puts it right', () => {
    seal();
    write(join(folder, 'rows.json'), '{"rows":2}');
    commit('Edit a record');
    const faults = [
      expect.stringMatching(/^this commit changes a record: [0-9a-f]+ Edit a record$/),
      `${folder}: rows.json is not the recorded one`,
    ];
    expect(faultsOfHistory(project)).toEqual(faults);
    write(join(folder, 'rows.json'), '{"rows":1}');
    commit('Put it right');
    expect(faultsOfHistory(project)).toHaveLength(2);
  });

  it('a commit that edits a record together with its seal is a fault', () => {
    seal();
    write(join(folder, 'rows.json'), '{"rows":2}');
    write(join(folder, SEAL), readFileSync(join(project, folder, SEAL), 'utf8').replace(/("rows.json":")\w+/, '$10'));
    commit('Edit both');
    expect(faultsOfHistory(project)[0]).toMatch(/Edit both$/);
  });

  it('a record that is edited in a merge is a fault', () => {
    seal();
    git('checkout', '--quiet', '-b', 'side');
    write('README.md', 'side');
    commit('Work aside');
    git('checkout', '--quiet', 'main');
    git('merge', '--quiet', '--no-ff', '--no-commit', 'side');
    write(join(folder, 'rows.json'), '{"rows":2}');
    commit('Merge the side');
    expect(faultsOfHistory(project)).toContainEqual(expect.stringMatching(/ Merge the side$/));
  });

  it('a record that is moved away, removed or added to is a fault', () => {
    seal();
    renameSync(join(project, folder, 'rows.json'), join(project, folder, 'moved.json'));
    commit('Move a file of the record');
    const faults = faultsOfHistory(project);
    expect(faults).toContainEqual(expect.stringMatching(/ Move a file of the record$/));
    expect(faults).toContain(`${folder}: rows.json is missing`);
    expect(faults).toContain(`${folder}: moved.json is not part of the record`);
  });

  it('an edit that no commit has yet is a fault', () => {
    seal();
    write(join(folder, 'openapi.json'), '{"openapi":2}');
    expect(faultsOfHistory(project)).toEqual([`${folder}: openapi.json is not the recorded one`]);
  });

  it('a record without its seal is a fault once another commit follows', () => {
    write('README.md', 'later');
    commit('Go on without the seal');
    expect(faultsOfHistory(project)).toEqual([`${folder} has no ${SEAL}: run npm run record:seal`]);
  });

  it('a record is sealed only right after the commit that has added it', () => {
    write('README.md', 'later');
    commit('Go on');
    expect(() => sealOf('1.0.0', project)).toThrow(/^commit the record of 1.0.0 first: /);
  });

  it('a history in which the release’s commit is missing is a fault', () => {
    const { files } = sealOf('1.0.0', project);
    write(join(folder, SEAL), JSON.stringify({ commit: '0'.repeat(40), files }));
    commit('Seal another commit');
    expect(faultsOfHistory(project)).toEqual([expect.stringMatching(/ is not in the history$/)]);
  });

  it('a shallow clone and a folder without history are faults', () => {
    const clone = join(root, `${made}-clone`);
    execFileSync('git', ['clone', '--quiet', '--depth=1', `file://${project}`, clone], { stdio: 'pipe' });
    expect(faultsOfHistory(clone)).toEqual([expect.stringMatching(/run git fetch --unshallow$/)]);
    rmSync(join(project, '.git'), { recursive: true });
    expect(faultsOfHistory(project)).toEqual([expect.stringMatching(/^there is no git history here/)]);
  });
});

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { RULE_TYPES } from '@app/dto';
import type { OpenApiDocument } from '@app/openapi';
import { root } from '../../scripts/build/project.mjs';
import { NpmStart } from '../start/npm-start.js';
import { type Demo, ProjectCopy, type RunRecord } from '../start/project-copy.js';
import { queryDatabase } from '../identity/query-database.js';
import { describeWithCurl } from '../support/needs.js';
import { requestExamples } from './document-examples.js';
import { matchesExpected, readGuideSteps, runCurl, runGuideSteps } from './guide-steps.js';

/** A banner that fits a terminal beside what led to it. */
const BANNER_LINES = 25;

const curlsOf = (text: string): string[] =>
  text.split('\n').filter((line) => line.trim().startsWith('curl '));

const GUIDES = readdirSync(join(root, 'docs/guides')).map((name) => `docs/guides/${name}`);

/**
 * Events are exported a minute after they were stored. Readers are later than that after `npm start`, so this test puts the events of
 * the demo's past, some 4,000, five minutes back: the guide then pages through them.
 */
async function exportPast({ databaseUrl }: RunRecord, { communityId }: Demo): Promise<number> {
  const sql = `UPDATE analytics.events SET received_at = received_at - interval '5 minutes' WHERE community_id = $1 RETURNING 1`;
  return (await queryDatabase(databaseUrl, sql, [communityId])).length;
}

/** Readers copy these commands into a shell beside `npm start`. */
describeWithCurl('the commands of', () => {
  let project: ProjectCopy | undefined;
  let suite: NpmStart | undefined;

  beforeAll(async () => {
    project = await ProjectCopy.make();
    suite = new NpmStart(project);
    await suite.up();
    expect(await exportPast(project.run(), project.demo())).toBeGreaterThan(1000);
  });
  afterAll(async () => {
    suite?.signalGroup('SIGINT');
    await suite?.exitCode();
    project?.remove();
  });

  it('the banner of npm start: shows the API key once, in a check that is granted, on at most 25 lines', async () => {
    if (!project || !suite) throw new Error('npm start did not run');
    const banner = suite.output.slice(suite.output.indexOf('Gatehouse is up')).trimEnd();
    const lines = banner.split('\n');
    expect(lines.length).toBeLessThanOrEqual(BANNER_LINES);
    expect(banner.split(project.demo().apiKey)).toHaveLength(2);
    expect(lines.at(-1)).toBe('Ctrl-C ends everything.');
    const curls = curlsOf(banner);
    expect(curls).toHaveLength(1);
    expect(JSON.parse(await runCurl(curls[0] ?? ''))).toEqual({ roles: [{ id: '001', granted: true }] });
    const pages = banner.match(/http:\S+\/docs\S*/g) ?? [];
    expect(pages).toHaveLength(3);
    for (const page of pages) expect([page, (await fetch(page)).status]).toEqual([page, 200]);
  });

  it('npm start -- --help beside a run succeed and answer: a check at once, one that is polled, one that calls back, and the demo bot', async () => {
    if (!project) throw new Error('npm start did not run');
    const { PATH, HOME } = process.env;
    const { stdout } = await promisify(execFile)('npm', ['start', '--silent', '--', '--help'], {
      cwd: project.folder,
      env: { PATH, HOME },
    });
    expect(stdout).toContain('--no-demo');
    expect(stdout).toContain(project.ports.GATEWAY_MANAGEMENT_PORT);
    const curls = curlsOf(stdout);
    const answers: unknown[] = [];
    for (const curl of curls) answers.push(JSON.parse(await runCurl(curl)));
    const granted = { roles: [{ id: '001', granted: true }] };
    const { polledRequestId, calledBackRequestId, clientId, gatewayUrl, botAccount } = project.demo();
    const holderRoles = {
      roles: [
        { id: 'whale', granted: true },
        { id: 'collector', granted: true },
      ],
    };
    const chatUserRoles = {
      roles: [
        { id: 'whale', granted: false },
        { id: 'collector', granted: true },
      ],
    };
    expect(answers).toEqual([
      granted,
      granted,
      { requestId: polledRequestId, ...granted, errors: [] },
      [
        {
          deliveryId: expect.stringMatching(/^msg_/),
          signature: 'valid',
          body: { requestId: calledBackRequestId, clientId, ...granted },
        },
      ],
      { requestId: expect.any(String) },
      holderRoles,
      chatUserRoles,
      expect.objectContaining({ url: expect.stringContaining(`${gatewayUrl}/wallet-links/`) }),
      expect.objectContaining({ evm: [{ address: botAccount, chainId: 31_337 }] }),
    ]);
  });

  it.each(['README.md', 'docs/operations.md', 'clients/typescript/README.md', ...GUIDES])(
    'commands of: %s succeed and print what it shows',
    async (page) => {
      const steps = readGuideSteps(readFileSync(join(root, page), 'utf8'));
      expect(steps).not.toEqual([]);
      const outputs = await runGuideSteps(steps, project?.folder ?? root);
      const wrong = steps.flatMap(({ expected, commands }, at) => {
        const output = outputs[at] ?? '';
        return expected === undefined || matchesExpected(output, expected)
          ? []
          : [{ commands, expected, output }];
      });
      expect(wrong).toEqual([]);
    },
  );

  it('commands of: the examples of rule types in the OpenAPI document are granted', async () => {
    if (!project) throw new Error('npm start did not run');
    const { gatewayUrl, apiKey } = project.demo();
    const { paths } = (await (await fetch(`${gatewayUrl}/openapi.json`)).json()) as OpenApiDocument;
    const content = paths['/access-control/check-roles']?.post?.requestBody?.content['application/json'];
    const { examples } = content as { examples: Record<string, { value: object }> };
    expect(Object.keys(examples)).toEqual(expect.arrayContaining([...RULE_TYPES]));
    const answers = Object.entries(examples).map(async ([name, { value }]) => {
      const response = await fetch(`${gatewayUrl}/access-control/check-roles`, {
        method: 'POST',
        headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json' },
        body: JSON.stringify(value),
      });
      return [name, await response.json()];
    });
    const granted = Object.keys(examples).map((name) => [name, { roles: [{ id: 'member', granted: true }] }]);
    expect(await Promise.all(answers)).toEqual(granted);
  });

  // Last, because the examples delete the demo community.
  it('commands of: the OpenAPI document succeed as they stand, or get the status that it says they get', async () => {
    if (!project) throw new Error('npm start did not run');
    const demo = project.demo();
    const response = await fetch(`${demo.gatewayUrl}/openapi.json`);
    expect(await requestExamples((await response.json()) as OpenApiDocument, demo)).toEqual([]);
  });
});

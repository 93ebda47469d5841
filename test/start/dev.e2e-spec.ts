import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { apps } from '../../scripts/suite/apps.mjs';
import { until } from '../support/until.js';
import { NpmStart, type StartSettings } from './npm-start.js';
import { ProjectCopy } from './project-copy.js';

jest.setTimeout(300_000);

const DOCUMENT_PATH_FILE = 'apps/gateway/src/own-paths.ts';
/** A lib that identity and token-gating load, and the gateway does not. */
const KEY_RING_FILE = 'libs/key-ring/src/index.ts';

describe('npm run dev', () => {
  let project: ProjectCopy;
  let current: NpmStart | undefined;

  beforeAll(async () => {
    project = await ProjectCopy.make({ hasOwnBuild: true });
  });
  afterEach(async () => {
    await current?.destroy();
  });
  afterAll(() => {
    project.remove();
  });

  const start = async (settings: StartSettings): Promise<NpmStart> => {
    current = new NpmStart(project, { ...settings, script: 'dev' });
    await current.up();
    return current;
  };
  const fileOf = (file: string): string => join(project.folder, file);
  const edit = (file: string, change: (text: string) => string): void => {
    writeFileSync(fileOf(file), change(readFileSync(fileOf(file), 'utf8')));
  };
  const gatewayUrl = (): string => `http://127.0.0.1:${project.ports.GATEWAY_PORT ?? ''}`;
  const statusOf = async (path: string): Promise<number> => (await fetch(gatewayUrl() + path)).status;
  const hasInspector = (app: string): Promise<boolean> => {
    const port = project.ports[`${app}_INSPECTOR_PORT`] ?? '';
    return fetch(`http://127.0.0.1:${port}/json/version`).then(
      (response) => response.ok,
      () => false,
    );
  };
  const pidsOf = (): Record<string, number> =>
    Object.fromEntries(
      project
        .run()
        .children.filter(({ name }) => apps.some((app) => app.name === name))
        .map(({ name, pid }) => [name, pid]),
    );
  const countOf = (run: NpmStart, text: string): number => run.output.split(text).length - 1;

  it('npm run dev: restarts the gateway once after quick saves, keeps it while a source does not compile, restarts who loads a lib, and ends on Ctrl-C', async () => {
    const run = await start({ options: ['--no-demo'] });
    const record = project.run();
    for (const { variable } of apps)
      expect([variable, await hasInspector(variable)]).toEqual([variable, true]);

    for (const name of ['first', 'second', 'third'])
      edit(DOCUMENT_PATH_FILE, (text) => text.replace(/'\/[\w-]+\.json'/, `'/${name}.json'`));
    await run.says('[dev] gateway restarted');
    expect(await statusOf('/third.json')).toBe(200);
    expect(await statusOf('/openapi.json')).toBe(404);
    expect(await hasInspector('GATEWAY')).toBe(true);

    const before = pidsOf();
    edit(DOCUMENT_PATH_FILE, (text) => text.replace("'/third.json'", "'/fourth.json' +"));
    await run.says('does not compile');
    expect(run.output).toContain(DOCUMENT_PATH_FILE);
    expect(await statusOf('/third.json')).toBe(200);
    expect(pidsOf()).toEqual(before);
    expect(countOf(run, '[dev] gateway restarted')).toBe(1);

    edit(DOCUMENT_PATH_FILE, (text) => text.replace(' +', ''));
    await until('the gateway is restarted', () => countOf(run, '[dev] gateway restarted') === 2);
    expect(await statusOf('/fourth.json')).toBe(200);

    const beforeLib = pidsOf();
    edit(KEY_RING_FILE, (text) => `${text}\nexport const ADDED_BY_A_TEST = true;\n`);
    await run.says('[dev] identity restarted');
    await run.says('[dev] token-gating restarted');
    const afterLib = pidsOf();
    const restarted = apps.map(({ name }) => name).filter((name) => beforeLib[name] !== afterLib[name]);
    expect(restarted).toEqual(['identity', 'token-gating']);

    run.signalGroup('SIGINT');
    expect(await run.exitCode()).toBe(0);
    expect(run.left(record)).toEqual([]);
    expect(run.left()).toEqual([]);
  });

  it('npm run dev -- analytics: watches and inspects this app only, says that it does not start, and starts it when it is mended', async () => {
    const run = await start({ options: ['--no-demo', 'analytics'] });
    expect(await hasInspector('ANALYTICS')).toBe(true);
    expect(await hasInspector('GATEWAY')).toBe(false);
    const main = 'apps/analytics/src/main.ts';
    edit(main, (text) => `throw new Error('broken by a test');\n${text}`);
    await run.says('[dev] analytics does not start');
    expect(run.output).toContain('broken by a test');
    // The others go on.
    expect(await statusOf('/fourth.json')).toBe(200);
    edit(main, (text) => text.replace(/^throw .*\n/, ''));
    await run.says('[dev] analytics restarted');
    const record = project.run();
    run.signalNpm('SIGTERM');
    expect(await run.untilNothingIsLeft(record)).toEqual([]);
  });

  it('npm run dev -- nothing: names the apps there are, and starts none', async () => {
    current = new NpmStart(project, { script: 'dev', options: ['nothing'] });
    expect(await current.exitCode()).toBe(1);
    expect(current.output).toContain('There is no app "nothing"');
    expect(current.output).toContain('token-gating');
  });
});

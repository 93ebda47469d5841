import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { collectImages } from '../../scripts/images/collect-images.mjs';
import { root } from '../../scripts/build/project.mjs';
import { createAppSecrets } from '../../scripts/secrets/app-secrets.mjs';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.js';
import { listFiles, read } from '../support/project-files.js';

/** What runs a command in a pod or container of an app, or as the image `client`. */
const IN_IMAGE =
  /^(?:kubectl -n gatehouse exec (?:-i )?deploy\/(?<pod>[a-z-]+) -- |docker compose -f docker\/compose\.yaml exec (?:-T )?(?<service>[a-z-]+) )(?<command>node \/app\/.*)$/;

interface Documented {
  readonly page: string;
  readonly app: string;
  readonly command: string;
}

const pages = listFiles(['.md']);
const documented: Documented[] = pages.flatMap((page) =>
  read(page)
    .split('\n')
    .flatMap((line) => {
      const { pod, service, command } = IN_IMAGE.exec(line.trim())?.groups ?? {};
      const app = pod ?? service;
      return app === undefined || command === undefined ? [] : [{ page, app, command }];
    }),
);

/** The images' own file trees, as docker/Dockerfile copies them to `/app`, with a database for their commands. */
describe('commands in images', () => {
  let folder: string;
  let database: FreshDatabase;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-commands-'));
    collectImages(root, join(folder, 'images'));
    mkdirSync(join(folder, 'work'));
    writeFileSync(join(folder, 'work/secret.txt'), '0123456789abcdef0123456789abcdef\n');
    writeFileSync(join(folder, 'work/policy.json'), '{}\n');
    database = await freshDatabase('account-kit', 'analytics', 'identity');
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await database.drop();
  });

  it('docs: the lines for images name each command of account-kit, analytics and identity', () => {
    expect(new Set(documented.map(({ app }) => app))).toEqual(
      new Set(['account-kit', 'analytics', 'identity']),
    );
    const named = documented.map(({ command }) => /\/app\/gatehouse\.mjs ([a-z-]+)/.exec(command)?.[1]);
    expect([...new Set(named)].sort()).toEqual([
      'actions',
      'analytics',
      'client',
      'freeze',
      'keys',
      'platforms',
      'policies',
    ]);
  });

  it('docs: no page names a file of the build for images', () => {
    const wrong = pages.filter((page) => read(page).includes('node dist/bundles/'));
    expect(wrong).toEqual([]);
    const missing = pages.flatMap((page) =>
      [...read(page).matchAll(/node \/app\/([\w.-]+\.m?js)/g)]
        .map(([, file = '']) => file)
        .filter(
          (file) =>
            !['account-kit', 'analytics', 'gateway', 'identity'].some((app) =>
              existsSync(join(folder, 'images', app, file)),
            ),
        ),
    );
    expect(missing).toEqual([]);
  });

  it.each(documented)('$page: runs in the image of $app: $command', ({ app, command }) => {
    const values = Object.fromEntries(createAppSecrets({ databaseUrl: database.url }))[app];
    const { status, stdout, stderr } = spawnSync(
      'sh',
      ['-c', command.replace('/app/', `${join(folder, 'images', app)}/`)],
      {
        cwd: join(folder, 'work'),
        encoding: 'utf8',
        timeout: 120_000,
        env: {
          PATH: process.env['PATH'],
          NODE_ENV: 'production',
          ACCOUNT_KEY_VAULT: 'local',
          CREDENTIAL_ENVIRONMENT: 'live',
          CLIENT_ID: 'my-app',
          ID: 'Iv1.0123456789abcdef',
          ...values,
        },
      },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toBeDefined();
  });

  it('image client: lists the client applications of a deployment', () => {
    const file = join(folder, 'images/client/identity/create-client.command.js');
    const values = Object.fromEntries(createAppSecrets({ databaseUrl: database.url }))['identity'];
    const env = { PATH: process.env['PATH'], CREDENTIAL_ENVIRONMENT: 'live', ...values };
    expect(readFileSync(join(root, 'docker/Dockerfile'), 'utf8')).toContain(
      '/app/identity/create-client.command.js',
    );
    expect(execFileSync(process.execPath, [file, 'list', '--json'], { env, encoding: 'utf8' })).toMatch(
      /^\{"clients":\[/,
    );
  });
});

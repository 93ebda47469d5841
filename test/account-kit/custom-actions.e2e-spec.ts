import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDatabase, type Database } from '@app/database';
import type { ServiceContext } from '@app/service';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { privateKeyToAccount } from 'viem/accounts';
import { verifyMessage } from 'viem';
import { ActionRunnerService } from '../../apps/account-kit/src/actions/action-runner.service.js';
import { ActionService, CustomActionMetrics } from '../../apps/account-kit/src/actions/action.service.js';
import { CustomActionsService } from '../../apps/account-kit/src/actions/custom-actions.service.js';
import { toActionCid } from '../../apps/account-kit/src/actions/parse-action-cid.js';
import { storage } from '../../apps/account-kit/src/database/storage.js';
import { bundleOf } from '../../scripts/build/bundle.mjs';
import { root } from '../../scripts/build/project.mjs';
import { freshDatabase, type FreshDatabase } from '../support/fresh-database.js';

const worker = 'dist/bundles/account-kit/assets/apps/account-kit/src/actions/action.worker.js';
const run = promisify(execFile);
const actionKey = privateKeyToAccount(`0x${'11'.repeat(32)}`);

let postgres: FreshDatabase;
let database: Database;
let actions: CustomActionsService;
let service: ActionService;
const registry = new Registry();
/** The runner has time for a busy machine. */
const runner = new ActionRunnerService(pathToFileURL(join(root, worker)), 30_000);

beforeAll(async () => {
  postgres = await freshDatabase('account-kit');
  const settings = {
    DATABASE_URL: postgres.url,
    DATABASE_POOL_SIZE: 4,
    DATABASE_STATEMENT_TIMEOUT_MS: 10_000,
  };
  database = createDatabase(storage, settings, { name: 'account-kit', logger: pino({ level: 'silent' }) });
  await database.connect();
  actions = new CustomActionsService(database);
  const context = { metrics: { registry } } as ServiceContext;
  service = new ActionService(actions, runner, new CustomActionMetrics(context));
});

afterAll(async () => {
  runner.onApplicationShutdown();
  await database.close();
  await postgres.drop();
});

const toSource = (text: string) => Buffer.from(text);
const add = (clientId: string, text: string): Promise<string> =>
  actions.add(clientId, undefined, toSource(text));

const execute = (clientId: string, actionIpfs: string, actionJsParams: Record<string, unknown> = {}) =>
  service.execute(
    {
      client: { id: clientId, ownerId: 'tenant' },
      loadSigner: () =>
        Promise.resolve({
          address: actionKey.address,
          sign: (bytes) => actionKey.signMessage({ message: { raw: bytes } }),
        }),
    },
    { actionIpfs, actionJsParams },
  );

describe('a listed action', () => {
  it('listed action: runs with its parameters, and signs with the key that the response names', async () => {
    const source = 'export default { name: params.name, signature: await sign(`Hello ${params.name}`) };';
    const cid = await add('signing', source);
    const { response } = await execute('signing', cid, { name: 'Ada' });
    const result = response.result as { name: string; signature: `0x${string}` };
    expect(result.name).toBe('Ada');
    expect(
      await verifyMessage({
        address: response.actionAddress as `0x${string}`,
        message: 'Hello Ada',
        signature: result.signature,
      }),
    ).toBe(true);
  });

  it('listed action: belongs to one client application', async () => {
    const cid = await add('owner', 'export default 1');
    await expect(execute('owner', cid)).resolves.toMatchObject({ response: { result: 1 } });
    await expect(execute('other', cid)).rejects.toMatchObject({
      statusCode: 404,
      details: { code: 'action_not_found' },
    });
  });

  it('listed action: fails as a bad request with its message', async () => {
    const cid = await add('failing', 'throw new Error(`no ${params.what}`)');
    await expect(execute('failing', cid, { what: 'luck' })).rejects.toMatchObject({
      statusCode: 400,
      message: 'The custom action failed: Error: no luck',
      details: { code: 'action_invalid' },
    });
  });

  it('listed action: is counted by its outcome', async () => {
    registry.resetMetrics();
    const cid = await add('counted', 'if (params.fails) throw 1; export default 1');
    await execute('counted', cid);
    await expect(execute('counted', cid, { fails: true })).rejects.toBeDefined();
    const { values } = (await registry.getSingleMetric('custom_actions_total')?.get()) ?? { values: [] };
    expect(values.map(({ labels, value }) => [labels.outcome, value])).toEqual([
      ['finished', 1],
      ['failed', 1],
    ]);
  });

  it('listed action: must not return what is nested too deeply', async () => {
    const nested =
      'let all = []; for (let i = 0; i < params.depth - 1; i += 1) all = [all]; export default all;';
    const cid = await add('nesting', nested);
    await expect(execute('nesting', cid, { depth: 32 })).resolves.toBeDefined();
    await expect(execute('nesting', cid, { depth: 33 })).rejects.toMatchObject({
      details: { code: 'action_limit_exceeded', limit: 'result' },
    });
  });
});

describe('the list of custom actions', () => {
  it('list of custom actions: refuses bytes that are not those of the CID, and sources that are too large or no text', async () => {
    const source = toSource('export default 1');
    const invalid = { statusCode: 400, details: { code: 'action_source_invalid' } };
    await expect(
      actions.add('strict', toActionCid(source).toString(), toSource('export default 2')),
    ).rejects.toMatchObject(invalid);
    for (const bytes of [Buffer.alloc(256 * 1_024 + 1, 32), Buffer.from([0xff])])
      await expect(actions.add('strict', toActionCid(bytes).toString(), bytes)).rejects.toMatchObject(
        invalid,
      );
    expect(await actions.list('strict')).toEqual([]);
  });

  it('list of custom actions: holds 50 actions and 2 MiB of each client application, also when they are added at once', async () => {
    const added = await Promise.allSettled(
      Array.from({ length: 52 }, (_, index) => add('many', `export default ${index}`)),
    );
    expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
    expect(await actions.list('many')).toHaveLength(50);

    const large = (index: number) => `export default ${index}`.padEnd(256 * 1_024);
    for (let index = 0; index < 8; index += 1) await add('large', large(index));
    await expect(add('large', 'export default 1')).rejects.toMatchObject({
      statusCode: 409,
      details: { code: 'action_list_limit_exceeded' },
    });
    // What is listed already takes no more room.
    await add('large', large(0));
  });

  it('list of custom actions: is kept with a command', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-actions-'));
    const file = join(folder, 'action.js');
    await writeFile(file, 'export default "by command"');
    const cid = toActionCid(toSource('export default "by command"')).toString();
    const command = (...args: string[]) =>
      run(process.execPath, [bundleOf(root, 'account-kit', 'actions.command.js'), ...args], {
        env: { DATABASE_URL: postgres.url, PATH: process.env.PATH },
      });
    try {
      for (const named of [[], ['--cid', cid]])
        expect((await command('add', '--client', 'commanded', ...named, '--file', file)).stdout).toBe(
          `${cid}\n`,
        );
      await expect(execute('commanded', cid)).resolves.toMatchObject({ response: { result: 'by command' } });
      expect((await command('list', '--client', 'commanded')).stdout).toMatch(
        new RegExp(`^${cid} 27 \\S+ application\\n$`),
      );
      await writeFile(file, 'something else');
      await expect(
        command('add', '--client', 'commanded', '--cid', cid, '--file', file),
      ).rejects.toMatchObject({
        code: 65,
        stderr: 'The source of the action does not have this CID.\n',
      });
      await command('remove', '--client', 'commanded', '--cid', cid);
      await expect(execute('commanded', cid)).rejects.toMatchObject({ statusCode: 404 });
      await expect(command('add', '--client', 'commanded')).rejects.toMatchObject({
        code: 64,
        stderr: '--file: is missing\n',
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

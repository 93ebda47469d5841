import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deriveUserId, parseClientCredential } from '@app/auth';
import type { CreatedClientApplication } from '../../apps/identity/src/applications/insert-client-application.js';
import type { CommandServices } from '../../apps/identity/src/applications/command/command-services.js';
import { freshDatabase, type FreshDatabase } from '../support/fresh-database.js';
import { clientCommand, clientCommandJson } from './client-command.js';
import { queryDatabase } from './query-database.js';
import { identityServices } from './identity-services.js';
import { identityUnderTest } from './identity-under-test.js';

describe('the client command', () => {
  let database: FreshDatabase;
  let env: NodeJS.ProcessEnv;
  let services: CommandServices;

  beforeAll(async () => {
    database = await freshDatabase('identity');
    ({ env } = await identityUnderTest(database.url));
    services = await identityServices(env);
  });

  afterAll(async () => {
    await services.database.close();
    await database.drop();
  });

  it('client command: creates a client application and lists it without its secrets', async () => {
    const created = await clientCommandJson<CreatedClientApplication>(
      env,
      '--name',
      'Größe 😀',
      '--plan',
      'free',
    );
    expect(parseClientCredential('gth', created.apiKey)).toEqual({ environment: 'local', id: created.keyId });
    expect(parseClientCredential('gths', created.clientSecret ?? '')?.environment).toBe('local');
    const { stdout } = await clientCommand(env, 'list');
    expect(stdout).toContain(created.clientId);
    expect(stdout).toContain('Größe 😀');
    expect(stdout).toContain(created.keyId);
    expect(stdout).not.toContain(created.apiKey.slice(-20, -4));
  });

  it('client command: gives an application and its plan to the user of an account, also to one who has a tenant', async () => {
    const account = `eip155:1:0x${'aB'.repeat(20)}`;
    const create = (...plan: string[]) =>
      clientCommandJson<CreatedClientApplication>(env, '--name', 'mine', '--account', account, ...plan);
    const first = await create('--plan', 'free');
    const second = await create('--plan', 'paid');
    expect(second.ownerId).toBe(first.ownerId);
    const tenants = await queryDatabase(
      database.url,
      'SELECT user_id, plan FROM identity.plan_holders WHERE id = $1',
      [first.ownerId],
    );
    expect(tenants).toEqual([{ user_id: deriveUserId('ethereum', `0x${'ab'.repeat(20)}`), plan: 'paid' }]);
    const wrong = await clientCommand(env, 'create', '--name', 'x', '--plan', 'free', '--account', '0xabc');
    expect([wrong.code, wrong.stderr]).toEqual([
      64,
      expect.stringContaining('--account: must be a CAIP-10 id'),
    ]);
  });

  it('client command: creates a public client without a secret', async () => {
    const args = ['create', '--name', 'spa', '--plan', 'free', '--type', 'public'];
    expect((await clientCommandJson<CreatedClientApplication>(env, ...args)).clientSecret).toBeNull();
  });

  it('client command: exits with 64 for invalid usage', async () => {
    const result = await clientCommand(env, 'create', '--plan', 'free');
    expect(result).toEqual({
      code: 64,
      stdout: '',
      stderr: '--name: is missing\nRun with --help to list the commands.\n',
    });
  });

  it('client command: reports other errors without a stack', async () => {
    const unknown = await clientCommand(env, 'revoke-key', '000000000000');
    expect(unknown).toEqual({ code: 1, stdout: '', stderr: 'No API key has this id.\n' });
    const unusable = await clientCommand({ ...env, CREDENTIAL_PEPPER: 'c2hvcnQ' }, 'list');
    expect(unusable.code).toBe(78);
    expect(unusable.stderr).toContain('CREDENTIAL_PEPPER: must be at least 32 bytes');
    expect(unusable.stderr).not.toContain('c2hvcnQ');
    const absent = await clientCommand(
      { ...env, DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/x' },
      'list',
    );
    expect(absent.code).toBe(1);
    expect(absent.stderr).not.toContain('hunter2');
  });

  it('client command: enforces plan limits for concurrent creations', async () => {
    const terms = { plan: 'free', perSecond: null, perMonth: null } as const;
    const client = { name: 'shop', type: 'confidential', scopes: [] } as const;
    const { ownerId, clientId } = await services.clientApplications.create({
      ...client,
      scopes: [],
      tenant: terms,
    });
    const clients = await Promise.allSettled(
      Array.from({ length: 10 }, () =>
        services.clientApplications.create({ ...client, scopes: [], tenant: ownerId }),
      ),
    );
    expect(clients.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
    await expect(services.apiKeys.create(clientId)).rejects.toMatchObject({
      statusCode: 409,
      details: { code: 'api_key_limit_exceeded' },
    });
  });
});

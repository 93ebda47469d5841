import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { CreatedClientApplication } from '../../apps/identity/src/applications/insert-client-application.js';
import type { FreshDatabase } from '../support/fresh-database.js';
import { ApplicationOwner } from './application-owner.js';
import { clientCommand, clientCommandJson } from './client-command.js';
import type { IdentityUnderTest } from './identity-under-test.js';
import { SignInWorld } from './sign-in-world.js';
import { queryDatabase } from './query-database.js';

describe('operator commands', () => {
  let database: FreshDatabase;
  let identity: IdentityUnderTest;

  beforeAll(async () => {
    ({ database, identity } = await SignInWorld.lease());
  });

  const audited = (target: string) =>
    queryDatabase(
      database.url,
      'SELECT actor_kind, actor_id, action, details FROM identity.audit_records WHERE target = $1 ORDER BY id',
      [target],
    );

  it('operator commands: approve and reject applications, audited as the command line', async () => {
    const owner = new ApplicationOwner(identity, { id: `user_${randomUUID()}` });
    const { clientId } = (await owner.register({ scopes: ['user:read', 'token-gating', 'accountkit'] }))
      .application;
    const run = (...args: string[]) => clientCommandJson<{ scopes: string[] }>(identity.env, ...args);
    expect((await clientCommand(identity.env, 'list')).stdout).toContain(
      'pending  user:read  without token-gating,accountkit',
    );
    expect((await run('approve', clientId, '--scopes', 'token-gating')).scopes).toEqual([
      'user:read',
      'token-gating',
    ]);
    expect((await run('reject', clientId, '--reason', 'No imprint.')).scopes).toEqual(['user:read']);
    expect(await clientCommand(identity.env, 'approve', clientId, '--scopes', 'operator')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The application does not request operator, or these scopes need no approval.\n',
    });
    expect(await audited(clientId)).toMatchObject([
      { action: 'client.created' },
      { actor_kind: 'command', actor_id: null, action: 'client.approved' },
      { actor_kind: 'command', action: 'client.rejected', details: { reason: 'No imprint.' } },
    ]);
  });

  it('operator commands: create and change every field of an application', async () => {
    const flags = ['--redirect-uris', 'https://a.example/cb,1 http://[::1]/cb', '--implicit', 'on'];
    const created = await clientCommandJson<CreatedClientApplication>(
      identity.env,
      ...['create', '--name', 'spa', '--plan', 'free', '--type', 'public', '--scopes', 'operator'],
      ...flags,
    );
    const { clientId } = created;
    await clientCommandJson(identity.env, 'set', clientId, '--origins', 'https://a.example', '--name', 'SPA');
    const sql = `SELECT name, redirect_uris, origins, implicit, status, approved_scopes, revision
      FROM identity.client_applications WHERE id = $1`;
    expect(await queryDatabase(database.url, sql, [clientId])).toEqual([
      {
        name: 'SPA',
        redirect_uris: ['https://a.example/cb,1', 'http://[::1]/cb'],
        origins: ['https://a.example'],
        implicit: true,
        status: 'approved',
        approved_scopes: ['operator'],
        revision: 2,
      },
    ]);
    const wrong = await clientCommand(identity.env, 'set', clientId, '--redirect-uris', 'http://a.example/');
    expect(wrong.code).toBe(64);
    expect(wrong.stderr).toContain('--redirect-uris: must be https');
    expect(JSON.stringify(await audited(clientId))).not.toContain(created.apiKey.slice(-20));
  });
});

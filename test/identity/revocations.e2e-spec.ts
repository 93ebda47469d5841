import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import 'reflect-metadata';
import { PRINCIPAL_HEADER, type Principal } from '@app/auth';
import type { CredentialChanges, RevokedToken, RevokedTokensPage } from '@app/dto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CredentialChangesService } from '../../apps/identity/src/tokens/change-feed/credential-changes.controller.js';
import { recordCredentialChanges } from '../../apps/identity/src/tokens/change-feed/credential-changes.queries.js';
import { RevocationsService } from '../../apps/identity/src/tokens/revocations/revocations.service.js';
import { GATEWAY_ITSELF } from './identity-under-test.js';
import { queryDatabase } from './query-database.js';
import { SignInWorld } from './sign-in-world.js';

const SOON = new Date(Date.now() + 600_000);
const idsOf = (tokens: readonly RevokedToken[]) => tokens.map(({ id }) => id).sort();

describe('revoked tokens', () => {
  let world: SignInWorld;
  let revocations: RevocationsService;

  beforeAll(async () => {
    world = await SignInWorld.start({ DATABASE_POOL_SIZE: '20' });
    revocations = new RevocationsService(world.services.database);
  });

  afterAll(async () => {
    await world.stop();
  });

  const ask = async <T>(path: string): Promise<T> => {
    const response = await world.identity.get(path, GATEWAY_ITSELF);
    expect(response.status).toBe(200);
    return (await response.json()) as T;
  };
  /** Loads all pages, like a gateway. */
  const loadAll = async () => {
    const tokens: RevokedToken[] = [];
    const pages: number[] = [];
    for (let after: string | null = ''; after !== null;) {
      const path = `/internal/credentials/revoked-tokens?after=${encodeURIComponent(after)}`;
      const page: RevokedTokensPage = await ask<RevokedTokensPage>(path);
      tokens.push(...page.tokens);
      pages.push(page.tokens.length);
      after = page.next;
    }
    return { tokens, pages };
  };
  const changesAfter = (last: number) =>
    ask<CredentialChanges>(`/internal/credentials/changes?after=${String(last)}`);

  const revoke = (...ids: string[]) =>
    world.services.database.transaction((manager) =>
      revocations.revoke(
        manager,
        ids.map((id) => ({ id, expiresAt: SOON })),
      ),
    );

  it('revoked tokens: are in the change feed and in the full list', async () => {
    const { last } = await changesAfter(0);
    await revoke('one', 'two', 'two');
    const changes = await changesAfter(last);
    expect(changes).toMatchObject({ last: last + 2, hasMore: false, truncated: false, clientIds: [] });
    const [one, two] = ['one', 'two'].map((id) => ({ id, expiresAtMs: SOON.getTime() }));
    expect([...changes.revoked].sort((a, b) => a.id.localeCompare(b.id))).toEqual([one, two]);
    const { tokens } = await loadAll();
    for (const token of [one, two]) expect(tokens).toContainEqual(token);
  });

  it('revoked tokens: share one sequence with changes of client applications', async () => {
    const { last } = await changesAfter(0);
    await world.services.database.transaction((manager) => recordCredentialChanges(manager, ['client_x']));
    await revoke('three');
    const revoked = [{ id: 'three', expiresAtMs: SOON.getTime() }];
    expect(await changesAfter(last)).toMatchObject({ clientIds: ['client_x'], revoked, last: last + 2 });
    expect(await changesAfter(last + 1)).toMatchObject({ clientIds: [], revoked });
  });

  it('revoked tokens: are recorded once, and not at all when expired', async () => {
    await revoke('four');
    const { last } = await changesAfter(0);
    await revoke('four');
    await world.services.database.transaction((manager) =>
      revocations.revoke(manager, [{ id: 'dead', expiresAt: new Date(Date.now() - 90_000) }]),
    );
    await world.services.database.transaction((manager) => revocations.revoke(manager, []));
    expect((await changesAfter(last)).last).toBe(last);
    expect(idsOf((await loadAll()).tokens)).not.toContain('dead');
  });

  it('revoked tokens: are not recorded when the transaction fails', async () => {
    const { last } = await changesAfter(0);
    const failing = world.services.database.transaction(async (manager) => {
      await revocations.revoke(manager, [{ id: 'undone', expiresAt: SOON }]);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect((await changesAfter(last)).revoked).toEqual([]);
    expect(idsOf((await loadAll()).tokens)).not.toContain('undone');
  });

  it('revoked tokens: are deleted after they expire', async () => {
    await queryDatabase(
      world.database.url,
      `INSERT INTO identity.revoked_tokens (id, expires_at)
       SELECT 'old_' || n, now() - interval '90 seconds' FROM generate_series(1, 150) n`,
    );
    expect((await loadAll()).tokens.filter(({ id }) => id.startsWith('old_'))).toEqual([]);
    await revoke('five');
    await revoke('six');
    const rest = `SELECT id FROM identity.revoked_tokens WHERE id LIKE 'old_%'`;
    expect(await queryDatabase(world.database.url, rest)).toEqual([]);
  });

  it('revoked tokens: stay listed for a while after they expire, for clock skew', async () => {
    const { last } = await changesAfter(0);
    await world.services.database.transaction((manager) =>
      revocations.revoke(manager, [{ id: 'just', expiresAt: new Date(Date.now() - 5_000) }]),
    );
    expect(idsOf((await changesAfter(last)).revoked)).toEqual(['just']);
    expect(idsOf((await loadAll()).tokens)).toContain('just');
  });

  it('revoked tokens: keep the later of two expiry times', async () => {
    const until = (expiresAt: Date) =>
      world.services.database.transaction((manager) =>
        revocations.revoke(manager, [{ id: 'twice', expiresAt }]),
      );
    const later = new Date(SOON.getTime() + 60_000);
    await until(SOON);
    const { last } = await changesAfter(0);
    await until(later);
    expect((await changesAfter(last)).revoked).toEqual([{ id: 'twice', expiresAtMs: later.getTime() }]);
    await until(SOON);
    expect((await changesAfter(last + 1)).last).toBe(last + 1);
    expect((await loadAll()).tokens).toContainEqual({ id: 'twice', expiresAtMs: later.getTime() });
  });

  it('revoked tokens: are paged', async () => {
    let { last } = await changesAfter(0);
    const ids = Array.from({ length: 9_500 }, (_, n) => `many_${String(n)}`);
    await revoke(...ids);
    const seen: string[] = [];
    for (let hasMore = true; hasMore;) {
      const changes = await changesAfter(last);
      expect(changes.revoked.length).toBeLessThanOrEqual(1_000);
      seen.push(...idsOf(changes.revoked));
      ({ last, hasMore } = changes);
    }
    expect(seen.sort()).toEqual([...ids].sort());
    const { tokens, pages } = await loadAll();
    expect(idsOf(tokens).filter((id) => id.startsWith('many_'))).toEqual([...ids].sort());
    expect(pages.length).toBe(3);
  });

  it('revoked tokens: are not lost when transactions overlap', async () => {
    const feed = new CredentialChangesService(world.services.database);
    let last = 0;
    for (let hasMore = true; hasMore;) ({ last, hasMore } = await feed.listAfter(last));
    let isOver = false as boolean;
    const seen = new Set<string>();
    const reading = (async () => {
      for (let over = false; !over;) {
        over = isOver;
        const changes = await feed.listAfter(last);
        for (const { id } of changes.revoked) seen.add(id);
        last = changes.last;
      }
    })();
    // No more than there are connections: on a busy machine the others would wait too long for one.
    const ids = Array.from({ length: 16 }, (_, n) => `race_${String(n)}`);
    await Promise.all(
      ids.map((id, n) =>
        world.services.database.transaction(async (manager) => {
          await sleep((n * 7) % 11);
          await revocations.revoke(manager, [{ id, expiresAt: SOON }]);
          await sleep((n * 5) % 13);
        }),
      ),
    );
    isOver = true;
    await reading;
    expect([...seen].sort()).toEqual([...ids].sort());
  });

  const statusFor = async (method: string, path: string, principal: Principal, issuer: string) => {
    const token = await world.identity.tokenFor(principal, issuer, 'identity');
    return (await fetch(world.app.url + path, { method, headers: { [PRINCIPAL_HEADER]: token } })).status;
  };

  it.each([
    ['GET', '/internal/credentials/revoked-tokens'],
    ['GET', '/internal/credentials/changes?after=0'],
    ['POST', '/internal/credentials'],
    ['POST', '/internal/ethereum-credentials'],
    ['GET', '/internal/token-keys'],
  ])('are for the gateway only: %s %s', async (method, path) => {
    expect(await statusFor(method, path, { kind: 'anonymous' }, 'gateway')).toBe(403);
    for (const name of ['token-gating', 'analytics'])
      expect(await statusFor(method, path, { kind: 'service', name }, name)).toBe(403);
    expect(await statusFor(method, path, GATEWAY_ITSELF, 'gateway')).toBe(method === 'GET' ? 200 : 400);
  });

  it('revoked tokens: differ from plans, which token-gating may load, too', async () => {
    const statusOfPlans = (name: string) =>
      statusFor('POST', '/internal/client-plans', { kind: 'service', name }, name);
    expect(await statusOfPlans('analytics')).toBe(403);
    expect(await statusOfPlans('token-gating')).toBe(400); // authorized, but the body is empty
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import 'reflect-metadata';
import type { CredentialChanges, RevokedTokens } from '@app/dto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChangeFeed } from '../../apps/identity/src/credentials/change-feed.js';
import { recordChanges } from '../../apps/identity/src/credentials/record-changes.js';
import { Revocations } from '../../apps/identity/src/revocations/revocations.js';
import { GATEWAY_ITSELF } from './identity-under-test.js';
import { queryDatabase } from './query-database.js';
import { SignInWorld } from './sign-in-world.js';

const SOON = new Date(Date.now() + 600_000);
const seconds = (date: Date) => Math.ceil(date.getTime() / 1_000);

describe('revoked tokens', () => {
  let world: SignInWorld;
  let revocations: Revocations;

  beforeAll(async () => {
    world = await SignInWorld.start({ DATABASE_POOL_SIZE: '20' });
    revocations = new Revocations(world.services.database);
  });

  afterAll(async () => {
    await world.stop();
  });

  const ask = async <T>(path: string): Promise<T> => {
    const response = await world.identity.get(path, GATEWAY_ITSELF);
    expect(response.status).toBe(200);
    return (await response.json()) as T;
  };
  const all = () => ask<RevokedTokens>('/internal/credentials/revoked-tokens');
  const after = (last: number) =>
    ask<CredentialChanges>(`/internal/credentials/changes?after=${String(last)}`);

  const revoke = (...ids: string[]) =>
    world.services.database.transaction((manager) =>
      revocations.revoke(
        manager,
        ids.map((id) => ({ id, expiresAt: SOON })),
      ),
    );

  it('are in the feed, and in the list for who begins to follow it', async () => {
    const { last } = await after(0);
    await revoke('one', 'two', 'two');
    const told = await after(last);
    expect(told).toEqual({ last: last + 2, truncated: false, clientIds: [], tokenIds: expect.any(Array) });
    expect(told.tokenIds.sort()).toEqual(['one', 'two']);
    const list = await all();
    expect(list.asOf).toBe(told.last);
    const tokens = list.tokens.filter(({ id }) => ['one', 'two'].includes(id));
    expect(tokens.sort((a, b) => a.id.localeCompare(b.id))).toEqual([
      { id: 'one', expiresAt: seconds(SOON) },
      { id: 'two', expiresAt: seconds(SOON) },
    ]);
  });

  it('share one sequence with changes of client applications', async () => {
    const { last } = await after(0);
    await world.services.database.transaction((manager) => recordChanges(manager, ['client_x']));
    await revoke('three');
    expect(await after(last)).toMatchObject({ clientIds: ['client_x'], tokenIds: ['three'], last: last + 2 });
    expect(await after(last + 1)).toMatchObject({ clientIds: [], tokenIds: ['three'] });
  });

  it('are said once, and not at all when they are dead already', async () => {
    await revoke('four');
    const { last } = await after(0);
    await revoke('four');
    await world.services.database.transaction((manager) =>
      revocations.revoke(manager, [{ id: 'dead', expiresAt: new Date(Date.now() - 1_000) }]),
    );
    await world.services.database.transaction((manager) => revocations.revoke(manager, []));
    expect((await after(last)).last).toBe(last);
    expect((await all()).tokens.map(({ id }) => id)).not.toContain('dead');
  });

  it('are not said when the transaction fails', async () => {
    const { last } = await after(0);
    const failing = world.services.database.transaction(async (manager) => {
      await revocations.revoke(manager, [{ id: 'undone', expiresAt: SOON }]);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect((await after(last)).tokenIds).toEqual([]);
    expect((await all()).tokens.map(({ id }) => id)).not.toContain('undone');
  });

  it('leave the table when they are dead', async () => {
    await queryDatabase(
      world.database.url,
      `INSERT INTO identity.revoked_tokens (id, expires_at)
       SELECT 'old_' || n, now() - interval '1 second' FROM generate_series(1, 150) n`,
    );
    expect((await all()).tokens.filter(({ id }) => id.startsWith('old_'))).toEqual([]);
    await revoke('five');
    await revoke('six');
    const rest = `SELECT id FROM identity.revoked_tokens WHERE id LIKE 'old_%'`;
    expect(await queryDatabase(world.database.url, rest)).toEqual([]);
  });

  it('that are too many for one answer make it say so', async () => {
    const { last } = await after(0);
    await revoke(...Array.from({ length: 1_001 }, (_, n) => `many_${String(n)}`));
    expect((await after(last)).truncated).toBe(true);
    expect((await all()).tokens.filter(({ id }) => id.startsWith('many_'))).toHaveLength(1_001);
  });

  it('are lost by no reader, whatever order transactions begin and end in', async () => {
    const feed = new ChangeFeed(world.services.database);
    let { last } = await feed.after(0);
    let isOver = false as boolean;
    const seen = new Set<string>();
    const reading = (async () => {
      for (let over = false; !over;) {
        over = isOver;
        const told = await feed.after(last);
        for (const id of told.tokenIds) seen.add(id);
        last = told.last;
      }
    })();
    const ids = Array.from({ length: 45 }, (_, n) => `race_${String(n)}`);
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

  it('are no business of callers', async () => {
    const path = '/internal/credentials/revoked-tokens';
    expect((await world.identity.get(path, { kind: 'anonymous' })).status).toBe(403);
  });
});

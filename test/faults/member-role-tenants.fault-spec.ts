import type { Principal } from '@app/auth';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { until } from '../support/until.js';
import { RolesWorld } from '../token-gating/roles-world.js';
import { RowLock } from '../token-gating/row-lock.js';
import { eoa } from '../token-gating/wallet-book.js';

/** Ten statements' worth: a victim behind all of them would be answered after them. */
const FLOOD = 1_000;
const WHOLE = 10n ** 18n;

let world: RolesWorld;

beforeAll(async () => {
  // The watcher has sockets of its own, which come and go.
  world = await RolesWorld.start({ TRANSFER_WATCHER: 'off' });
}, 120_000);

afterAll(() => world.stop());

const asTenant = (tenantId: string): Principal => ({
  kind: 'caller',
  client: { id: `client_of_${tenantId}`, ownerId: tenantId, plan: 'free' },
  scopes: ['token-gating'],
});

/** Connections of the app, each with a request of its own while none is answered. */
async function countConnections(): Promise<number> {
  const metrics = await (await fetch(`${world.gating.app.managementUrl}/metrics`)).text();
  return Number(/nodejs_active_resources\{type="TCPSocketWrap"[^}]*\} (\d+)/.exec(metrics)?.[1]);
}

/** A community of a tenant, with one member whose role is stored. @returns what requests the member's roles */
async function settledMemberOf(tenantId: string): Promise<() => Promise<number>> {
  const userId = `user_of_${tenantId}`;
  world.book.set(userId, eoa(await world.wallet(WHOLE)));
  const id = await world.communities.create({
    roles: ['whale'],
    rules: [world.holds('1', { roleId: 'whale' })],
    members: [userId],
    clients: [`client_of_${tenantId}`],
  });
  const ask = async () => (await world.roles(id, userId, asTenant(tenantId))).status;
  expect(await ask()).toBe(200);
  return ask;
}

it('T307: roles of a member: of one tenant are answered before most requests of a tenant that floods the statements and wallet requests that both share', async () => {
  const flood = await settledMemberOf('attacker');
  const ask = await settledMemberOf('victim');
  const lock = await RowLock.acquire(
    world.communities.databaseUrl,
    'LOCK TABLE token_gating.community_administrators IN ACCESS EXCLUSIVE MODE',
  );
  let answered = 0;
  try {
    const first = flood();
    await lock.waitUntilBlocking();
    const flooding = Array.from({ length: FLOOD }, () => flood().finally(() => (answered += 1)));
    await until('the flood is at the app', async () => (await countConnections()) > FLOOD);
    const connections = await countConnections();
    const before = ask().then((status) => ({ status, answered }));
    await until('the victim is at the app', async () => (await countConnections()) > connections);
    await lock.release();
    const victim = await before;
    expect(victim.status).toBe(200);
    // On a busy machine the last requests of the flood may run out of time.
    for (const status of [await first, ...(await Promise.all(flooding))])
      expect([200, 503]).toContain(status);
    expect(victim.answered).toBeLessThan(FLOOD / 2);
  } finally {
    await lock.release();
  }
});

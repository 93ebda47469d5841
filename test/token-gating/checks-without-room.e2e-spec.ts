import type { Principal } from '@app/auth';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { HostileNode } from '../support/hostile-node.js';
import { uniformNode } from '../support/uniform-node.js';
import { until } from '../support/until.js';
import { GatingApp } from './gating-app.js';

/** Two of them are more than the share of one tenant. */
const READS_PER_LARGE_CHECK = 20_000;
const LARGE_CHECKS = 12;
const holder = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const contractAddress = '0x00000000000000000000000000000000000000c1';

const ofTenant = (ownerId: string): Principal => ({
  kind: 'caller',
  client: { id: `client_of_${ownerId}`, ownerId, plan: 'free' },
  scopes: ['token-gating'],
});

let node: HostileNode;
let gating: GatingApp;

beforeAll(async () => {
  node = await uniformNode(1n, 100);
  // Far shorter than the checks wait for each other.
  gating = await GatingApp.start({
    RPC_URL_31337: node.url,
    CHECK_REREAD_FOR_MS: '300',
    CHECK_REREAD_AFTER_MS: '100',
  });
});

afterAll(async () => {
  await gating.stop();
  await node.stop();
});

const accept = async (tenant: string, tokenIds: string[]): Promise<string> => {
  const rules = tokenIds.map((tokenId) => ({
    type: 'ERC1155',
    chainId: 31_337,
    contractAddress,
    tokenId,
    roleId: 'role',
  }));
  const { status, body } = await gating.check({ account: holder, rules, async: true }, {}, ofTenant(tenant));
  expect(status).toBe(200);
  return (body as { requestId: string }).requestId;
};

const poll = (tenant: string, id: string) =>
  gating.request('GET', `/access-control/check-roles/responses/${id}`, undefined, {}, ofTenant(tenant));

interface Answered {
  readonly roles: readonly { readonly granted: boolean }[];
  readonly errors?: readonly unknown[];
}

const answers = async (tenant: string, ids: readonly string[]): Promise<Answered[]> => {
  const answered: Answered[] = [];
  for (const id of ids)
    await until(`${id} is answered`, async () => {
      const { status, body } = await poll(tenant, id);
      if (status === 200) answered.push(body as Answered);
      return status === 200;
    });
  return answered;
};

it('T244: asynchronous checks: large asynchronous checks of one tenant wait for room for their reads, and none fails for the lack of it', async () => {
  const half = READS_PER_LARGE_CHECK / 2;
  const large = await Promise.all(
    Array.from({ length: LARGE_CHECKS }, (_, at) => {
      const first = at * READS_PER_LARGE_CHECK;
      return accept('attacker', [
        `${first}-${first + half - 1}`,
        `${first + half}-${first + READS_PER_LARGE_CHECK - 1}`,
      ]);
    }),
  );
  const small = await Promise.all(
    Array.from({ length: 5 }, (_, at) => accept('victim', [String(9_000_000 + at)])),
  );
  for (const [tenant, ids] of [
    ['victim', small],
    ['attacker', large],
  ] as const)
    for (const { roles, errors } of await answers(tenant, ids)) {
      expect(errors ?? []).toEqual([]);
      expect(roles.every(({ granted }) => granted)).toBe(true);
    }
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Principal } from '@app/auth';
import { client, GatingApp } from '../token-gating/gating-app.js';
import { OpenSeaStandIn } from '../support/open-sea.js';

const ACCOUNT = `0x${'a1'.repeat(20)}`;
const CONTRACT = { chain: 'ethereum', address: `0x${'e1'.repeat(20)}` };
const attacker: Principal = {
  ...client,
  client: { id: 'client_2', ownerId: 'owner_2', plan: 'free' },
};
/** Beyond the burst, and more than the share of a tenant. */
const ATTACKS = 140;

let openSea: OpenSeaStandIn;
let gating: GatingApp;

beforeAll(async () => {
  openSea = await OpenSeaStandIn.start(100);
  openSea.add('victim', [CONTRACT], [{ chain: 'ethereum', owner: ACCOUNT, identifier: '1' }]);
  gating = await GatingApp.start({ ...openSea.environment, OPENSEA_REQUESTS_PER_MINUTE: '120' });
});

afterAll(async () => {
  await gating.stop();
  await openSea.stop();
});

describe('the requests to OpenSea', () => {
  it('T84: requests to OpenSea of a tenant: take their turn, however many another tenant makes', async () => {
    let answered = 0;
    const attacks = Array.from({ length: ATTACKS }, async (_, index) => {
      const rules = [{ type: 'OPEN_SEA', collectionName: `attack-${index}` }];
      const { status } = await gating.check({ account: ACCOUNT, rules }, {}, attacker);
      answered += 1;
      return status;
    });
    const rules = [{ type: 'OPEN_SEA', collectionName: 'victim' }];
    const { status, body } = await gating.check({ account: ACCOUNT, rules });
    expect([status, body]).toEqual([200, { roles: [{ id: '001', granted: true }] }]);
    // Attacks that wait are served later: the victim did not wait for them.
    expect(answered).toBeLessThan(ATTACKS - 20);
    const statuses = await Promise.all(attacks);
    expect(statuses.filter((one) => one !== 200 && one !== 503)).toEqual([]);
  });
});

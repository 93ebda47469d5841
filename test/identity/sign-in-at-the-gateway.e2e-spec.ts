import { beforeAll, describe, expect, it } from '@jest/globals';
import { deriveUserId } from '@app/auth';
import type { LocalChain } from '../support/local-chain.js';
import { WalletAtTheGateway } from '../support/wallet-at-the-gateway.js';
import { leaseOAuthWorldOnAChain } from './oauth-world-on-a-chain.js';

describe('a wallet at the gateway', () => {
  let chain: LocalChain;
  let wallet: WalletAtTheGateway;

  beforeAll(async () => {
    const leased = await leaseOAuthWorldOnAChain();
    ({ chain } = leased);
    wallet = await WalletAtTheGateway.start(leased.world.suite);
  });

  const me = async (headers: Record<string, string>) => {
    const response = await wallet.me(headers);
    return { status: response.status, body: (await response.json()) as { id?: string } };
  };

  it('wallet at the gateway: accesses its account with an AE token and with a credential, with and without an API key', async () => {
    const { address } = wallet.owner;
    const id = deriveUserId('ethereum', address.toLowerCase());
    for (const authorization of [await wallet.aeToken(address), await wallet.credential(address)])
      for (const more of [{}, wallet.key]) {
        const { status, body } = await me({ authorization, ...more });
        expect([status, body]).toMatchObject([200, { id, platform: 'ethereum' }]);
      }
  });

  it('wallet at the gateway: may be a contract wallet on its chain', async () => {
    const { address } = await chain.deploy('SignerWallet', [wallet.owner.address]);
    const accountId = `eip155:${String(chain.chainId)}:${address}`;
    const id = deriveUserId('ethereum', accountId.toLowerCase());
    for (const authorization of [await wallet.aeToken(accountId), await wallet.credential(accountId)])
      expect(await me({ authorization })).toMatchObject({ status: 200, body: { id } });
  });

  it('wallet at the gateway: is required for its account and not sufficient for checks', async () => {
    const { address } = wallet.owner;
    const check = (headers: Record<string, string>) =>
      wallet.post('/access-control/check-roles', headers, {
        account: address,
        rules: [{ type: 'NATIVE', chainId: chain.chainId, minToken: '1', roleId: '001' }],
      });
    expect((await me(wallet.key)).status).toBe(401);
    expect((await check(wallet.key)).status).toBe(200);
    expect((await check({ authorization: await wallet.credential(address) })).status).toBe(403);
  });

  it('wallet at the gateway: cannot get a token with scopes of the client application', async () => {
    const question = { uri: 'https://shop.example', resources: ['urn:scope:token-gating'] };
    const { address } = wallet.owner;
    for (const authorization of [await wallet.aeToken(address), await wallet.credential(address)])
      for (const path of ['/ethereum-login/challenges', '/ethereum-login/id-tokens'])
        expect((await wallet.post(path, { authorization }, question)).status).toBe(403);
    expect((await wallet.post('/ethereum-login/challenges', wallet.key, question)).status).toBe(200);
  });

  it('wallet at the gateway: cannot use a login message as a credential', async () => {
    const { message, signature } = await wallet.challenge({ accountId: wallet.owner.address });
    const text = `${Buffer.from(message).toString('base64url')}.${signature}`;
    expect((await me({ authorization: `Ethereum ${text}` })).status).toBe(401);
  });
});

import { describe, expect, it } from '@jest/globals';
import { formatSignInMessage } from '@app/chain/sign-in';
import type { EvmAddress } from '@app/dto';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { ContractWalletService } from '../../apps/identity/src/wallet-signatures/contract-wallet.service.js';
import { ZERO_ADDRESS } from '../../apps/identity/src/wallet-signatures/sign-in-chains.js';
import { EthereumSignatureVerifier } from '../../apps/identity/src/ethereum-login/challenges/ethereum-signature-verifier.js';

const contract = privateKeyToAccount(generatePrivateKey()).address;
const wallet = privateKeyToAccount(generatePrivateKey());
/** Every contract confirms every signature. */
const contracts = {
  hasNodes: () => true,
  isValidSignature: () => Promise.resolve(true),
} as unknown as ContractWalletService;
const verifier = new EthereumSignatureVerifier(contracts);

const verify = async (address: string, accountAddress?: EvmAddress) => {
  const message = formatSignInMessage({
    domain: 'shop.example',
    address,
    uri: 'https://shop.example/',
    chainId: 1,
    nonce: '00000000',
    issuedAt: new Date().toISOString(),
  });
  const signature = await wallet.signMessage({ message });
  const account = accountAddress && ({ namespace: 'eip155', chainId: 1, address: accountAddress } as const);
  const verified = await verifier.verify({
    requester: { clientId: 'client_1' },
    message,
    signature,
    account,
  });
  return verified?.wallet.accountId;
};

describe('EthereumSignatureVerifier', () => {
  it('EthereumSignatureVerifier: accepts a contract wallet that the message names', async () => {
    expect(await verify(contract)).toBe(`eip155:1:${contract}`);
    expect(await verify(contract, contract)).toBe(`eip155:1:${contract}`);
  });

  it('T58: EthereumSignatureVerifier: accepts no contract wallet for a message without an account', async () => {
    expect(await verify(ZERO_ADDRESS, contract)).toBeUndefined();
  });

  it('EthereumSignatureVerifier: accepts the private key that signed a message without an account', async () => {
    expect(await verify(ZERO_ADDRESS)).toBe(`eip155:1:${wallet.address}`);
    expect(await verify(ZERO_ADDRESS, wallet.address)).toBe(`eip155:1:${wallet.address}`);
  });
});

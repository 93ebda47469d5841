import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Address, encodeFunctionData, hashMessage, type Hex, serializeErc6492Signature } from 'viem';
import { forwardTo } from '../support/hostile-node.js';
import { magic, message, owner, SALT, SigningContracts, stranger } from './signing-contracts.js';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

let world: SigningContracts;

beforeAll(async () => {
  world = await SigningContracts.start();
});

afterEach(async () => {
  await world.clear();
});

afterAll(async () => {
  await world.stop();
});

describe('a contract wallet (ERC-1271)', () => {
  it('contract wallet (ERC-1271): confirms a signature of its owner, with its address in any case', async () => {
    expect(await world.isSigned(world.deployed, world.signed)).toBe(true);
    expect(await world.isSigned(world.deployed.toLowerCase(), world.signed)).toBe(true);
  });

  it.each<[string, () => string]>([
    ['a signature of another key', () => world.signedByStranger],
    ['a signature of 64 bytes', () => world.signed.slice(0, -2)],
    ['an empty signature', () => '0x'],
    ['a text that is not hex', () => '0xzz'],
    ['an odd number of digits', () => `${world.signed}0`],
  ])('contract wallet (ERC-1271): does not confirm %s', async (_, signature) => {
    expect(await world.isSigned(world.deployed, signature())).toBe(false);
  });

  it('contract wallet (ERC-1271): gets signatures of at most 8 KiB', async () => {
    const { address } = await world.chain.deploy('Garbage', [`0x${magic.padEnd(64, '0')}`]);
    expect(await world.isSigned(address, `0x${'ab'.repeat(8_192)}`)).toBe(true);
    expect(await world.isSigned(address, `0x${'ab'.repeat(8_193)}`)).toBe(false);
  });

  it('contract wallet (ERC-1271): does not confirm a signature over another text', async () => {
    const { chainId } = world.chain;
    const other = { chainId, account: world.deployed, message: `${message} `, signature: world.signed };
    expect(await world.signatures.isValidSignature(other)).toBe(false);
  });

  it('contract wallet (ERC-1271): may confirm an empty signature for a message that it approved on chain', async () => {
    const wallet = await world.chain.deploy('ApprovingWallet');
    expect(await world.isSigned(wallet.address, '0x')).toBe(false);
    await world.chain.send(wallet, 'approve', [hashMessage(message)]);
    expect(await world.isSigned(wallet.address, '0x')).toBe(true);
    expect(await world.isSigned(wallet.address, '0x00')).toBe(false);
  });

  it('T61: contract wallet (ERC-1271): is not asked after a call that the prover chose', async () => {
    const token = await world.chain.deploy('DemoERC721', ['Token', 'TKN']);
    const { address } = await world.chain.deploy('TokenBoundWallet', [token.address, 7n]);
    const data = encodeFunctionData({ ...token, functionName: 'mint', args: [stranger.address, 7n] });
    const wrapped = serializeErc6492Signature({
      address: token.address,
      data,
      signature: world.signedByStranger,
    });
    expect(await world.isSigned(address, wrapped)).toBe(false);
    await world.chain.send(token, 'mint', [owner.address, 7n]);
    expect(await world.isSigned(address, wrapped)).toBe(false);
    expect(await world.isSigned(address, world.signed)).toBe(true);
  });
});

describe('a plain key', () => {
  it('plain key: is not confirmed as a contract, even with its own signature or the malleable form of it', async () => {
    const malleableS = ORDER - BigInt(`0x${world.signed.slice(66, 130)}`);
    const parity = world.signed.endsWith('1b') ? '1c' : '1b';
    const highS: Hex = `${world.signed.slice(0, 66) as Hex}${malleableS.toString(16).padStart(64, '0')}${parity}`;
    expect(await world.isSigned(owner.address, world.signed)).toBe(false);
    expect(await world.isSigned(owner.address, highS)).toBe(false);
    const data = encodeFunctionData({
      ...world.factory,
      functionName: 'addressOf',
      args: [owner.address, SALT],
    });
    for (const signature of [world.signed, highS]) {
      const wrapped = serializeErc6492Signature({ address: world.factory.address, data, signature });
      expect(await world.isSigned(owner.address, wrapped)).toBe(false);
    }
  });
});

describe('a contract that is not a valid wallet', () => {
  const word = (hex: string): string => hex.padStart(64, '0');

  it.each([
    ['returns true', word('1')],
    ['returns the magic value with leading padding', word(magic)],
    ['returns the magic value with other bytes after it', magic.padEnd(64, '1')],
    ['returns only four bytes', magic],
    ['returns 31 bytes', magic.padEnd(62, '0')],
    ['returns all bits', 'f'.repeat(64)],
    ['returns zeros', '0'.repeat(64)],
    ['returns empty data', ''],
    ['returns 0xffffffff', 'ffffffff'.padEnd(64, '0')],
    ['returns the magic value in the second word', '0'.repeat(64) + magic.padEnd(64, '0')],
  ])('contract that is not a valid wallet: does not confirm when it %s', async (_, bytes) => {
    const { address } = await world.chain.deploy('Garbage', [`0x${bytes}`]);
    expect(await world.isSigned(address, world.signed)).toBe(false);
    expect(await world.isSigned(address, wrapErc6492(world.signed, address))).toBe(false);
  });

  it.each<[string, string, unknown[]]>([
    ['reverts with a reason', 'Reverting', [0, 'out of gas: response too large, rate limit']],
    ['reverts without one', 'Reverting', [1, '']],
    ['runs into an invalid instruction', 'Reverting', [2, '']],
    ['exhausts the gas', 'GasBurner', []],
    ['returns 3 MB', 'Flooder', [3_000_000n, false]],
    ['reverts with 3 MB', 'Flooder', [3_000_000n, true]],
  ])('contract that is not a valid wallet: does not confirm when it %s', async (_, contract, args) => {
    const { address } = await world.chain.deploy(contract, args);
    expect(await world.isSigned(address, world.signed)).toBe(false);
    expect(await world.isSigned(address, wrapErc6492(world.signed, address))).toBe(false);
  });

  it('contract that is not a valid wallet: does not confirm when it exceeds the timeout, and the node stays healthy', async () => {
    const looper = '0x00000000000000000000000000000000000000bb';
    const forward = forwardTo(world.chain.rpcUrl);
    const url = await world.node((request, response) =>
      JSON.stringify(request.params).includes(`"to":"${looper}"`) ? undefined : forward(request, response),
    );
    const verifier = world.createVerifier([url]);
    const attempts = Array.from({ length: 6 }, () => world.isSigned(looper, world.signed, verifier));
    expect(await Promise.all(attempts)).toEqual(attempts.map(() => false));
    expect(await world.isSigned(world.deployed, world.signed, verifier)).toBe(true);
  });

  it('contract that is not a valid wallet: gets a retry of a lost request', async () => {
    const forward = forwardTo(world.chain.rpcUrl);
    let lost = false;
    const url = await world.node((request, response) => {
      if (lost || !JSON.stringify(request.params).includes(`"to":"${world.deployed.toLowerCase()}"`))
        return forward(request, response);
      lost = true;
    });
    expect(await world.isSigned(world.deployed, world.signed, world.createVerifier([url]))).toBe(true);
    expect(lost).toBe(true);
  });

  it('contract that is not a valid wallet: does not confirm where nothing is deployed', async () => {
    expect(await world.isSigned('0x00000000000000000000000000000000000000cc', world.signed)).toBe(false);
  });

  const wrapErc6492 = (signature: Hex, address: Address): Hex =>
    serializeErc6492Signature({ address, data: '0x', signature });
});

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Address, encodeFunctionData, type Hex, serializeErc6492Signature } from 'viem';
import { magic, owner, SALT, SigningContracts, stranger } from './signing-contracts.js';

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

describe('a wallet that is not deployed yet (ERC-6492)', () => {
  const create = (salt: Hex = SALT): Hex =>
    encodeFunctionData({ ...world.factory, functionName: 'create', args: [owner.address, salt] });
  const getAddress = async (salt: Hex = SALT): Promise<Address> =>
    (await world.chain.client.readContract({
      ...world.factory,
      functionName: 'addressOf',
      args: [owner.address, salt],
    })) as Address;
  const wrapped = (signature: Hex, data: Hex = create(), address: Address = world.factory.address): Hex =>
    serializeErc6492Signature({ address, data, signature });

  it('wallet that is not deployed yet (ERC-6492): confirms a signature of its owner without being deployed', async () => {
    const account = await getAddress();
    expect(await world.isSigned(account, wrapped(world.signed))).toBe(true);
    expect(await world.chain.client.getCode({ address: account })).toBeUndefined();
  });

  it('wallet that is not deployed yet (ERC-6492): confirms it after deployment too, wrapped or not', async () => {
    const salt: Hex = `0x${'08'.repeat(32)}`;
    const account = await getAddress(salt);
    await world.chain.send(world.factory, 'create', [owner.address, salt]);
    expect(await world.isSigned(account, wrapped(world.signed, create(salt)))).toBe(true);
    expect(await world.isSigned(account, world.signed)).toBe(true);
  });

  it.each<[string, () => Hex]>([
    ['its owner’s signature without the factory', () => world.signed],
    ['a signature of another key', () => wrapped(world.signedByStranger)],
    [
      'a factory call that deploys another account',
      () => wrapped(world.signed, create(`0x${'09'.repeat(32)}`)),
    ],
    ['a factory that reverts', () => wrapped(world.signed, '0xdeadbeef')],
    ['a factory without code', () => wrapped(world.signed, create(), stranger.address)],
    ['a wallet as the factory', () => wrapped(world.signed, '0x', world.deployed)],
    ['only the magic suffix', () => `0x${'6492'.repeat(16)}`],
    ['garbage before the suffix', () => `0x${'ab'.repeat(100)}${'6492'.repeat(16)}`],
    ['lengths out of range before the suffix', () => `0x${'ff'.repeat(96)}${'6492'.repeat(16)}`],
    ['a signature that is wrapped twice', () => wrapped(wrapped(world.signed))],
  ])('wallet that is not deployed yet (ERC-6492): does not confirm %s', async (_, signature) => {
    expect(await world.isSigned(await getAddress(), signature())).toBe(false);
  });

  it('wallet that is not deployed yet (ERC-6492): is not confirmed by a factory that returns the magic value', async () => {
    const confirming = await world.chain.deploy('Garbage', [`0x${magic.padEnd(64, '0')}`]);
    expect(
      await world.isSigned(await getAddress(), wrapped(world.signedByStranger, '0x', confirming.address)),
    ).toBe(false);
  });
});

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

describe('an account that is not deployed yet (ERC-6492)', () => {
  const create = (salt: Hex = SALT): Hex =>
    encodeFunctionData({ ...world.factory, functionName: 'create', args: [owner.address, salt] });
  const addressOf = async (salt: Hex = SALT): Promise<Address> =>
    (await world.chain.client.readContract({
      ...world.factory,
      functionName: 'addressOf',
      args: [owner.address, salt],
    })) as Address;
  const wrapped = (signature: Hex, data: Hex = create(), address: Address = world.factory.address): Hex =>
    serializeErc6492Signature({ address, data, signature });

  it('confirms what its owner signed, and is not deployed by it', async () => {
    const account = await addressOf();
    expect(await world.isSigned(account, wrapped(world.signed))).toBe(true);
    expect(await world.chain.client.getCode({ address: account })).toBeUndefined();
  });

  it('confirms it still when it is deployed, wrapped or not', async () => {
    const salt: Hex = `0x${'08'.repeat(32)}`;
    const account = await addressOf(salt);
    await world.chain.send(world.factory, 'create', [owner.address, salt]);
    expect(await world.isSigned(account, wrapped(world.signed, create(salt)))).toBe(true);
    expect(await world.isSigned(account, world.signed)).toBe(true);
  });

  it.each<[string, () => Hex]>([
    ['its owner’s signature without the factory', () => world.signed],
    ['somebody else’s signature', () => wrapped(world.signedByStranger)],
    ['a factory that makes another account', () => wrapped(world.signed, create(`0x${'09'.repeat(32)}`))],
    ['a factory that refuses', () => wrapped(world.signed, '0xdeadbeef')],
    ['a factory that is none', () => wrapped(world.signed, create(), stranger.address)],
    ['a wallet for a factory', () => wrapped(world.signed, '0x', world.deployed)],
    ['the mark alone', () => `0x${'6492'.repeat(16)}`],
    ['garbage before the mark', () => `0x${'ab'.repeat(100)}${'6492'.repeat(16)}`],
    ['lengths beyond its end before the mark', () => `0x${'ff'.repeat(96)}${'6492'.repeat(16)}`],
    ['a wrapping in a wrapping', () => wrapped(wrapped(world.signed))],
  ])('does not confirm %s', async (_, signature) => {
    expect(await world.isSigned(await addressOf(), signature())).toBe(false);
  });

  it('is not made true by a factory that says so itself', async () => {
    const yes = await world.chain.deploy('Garbage', [`0x${magic.padEnd(64, '0')}`]);
    expect(await world.isSigned(await addressOf(), wrapped(world.signedByStranger, '0x', yes.address))).toBe(
      false,
    );
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  getContractAddress,
  keccak256,
  parseAbi,
  parseAbiParameters,
} from 'viem';
import { readRegistryArtifact } from '../../../../../test/support/delegate-registry.js';
import { MalformedReturnDataError } from './abi-codec.js';
import {
  createDelegationCheckRead,
  createDelegationsRead,
  createInboxRead,
  DELEGATE_REGISTRY,
  type Delegation,
} from './delegate-registry-reads.js';

const abi = parseAbi([
  'function readSlots(bytes32[])',
  'function getDelegationsFromHashes(bytes32[])',
  'function checkDelegateForContract(address,address,address,bytes32)',
]);
const ZERO = `0x${'0'.repeat(64)}` as const;
const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes): Address => `0x${Buffer.from(bytes).toString('hex')}`);
const TYPES = ['none', 'all', 'contract', 'other', 'other', 'other'] as const;
const delegations = fc.array(
  fc.record({
    type: fc.integer({ min: 0, max: 5 }),
    to: address,
    from: address,
    rights: fc.boolean(),
    contract: address,
  }),
  { maxLength: 16 },
);

const encodeDelegations = (list: typeof delegations extends fc.Arbitrary<infer T> ? T : never): string =>
  encodeAbiParameters(
    parseAbiParameters('(uint8 t, address a, address b, bytes32 r, address c, uint256 i, uint256 n)[]'),
    [
      list.map(({ type, to, from, rights, contract }) => ({
        ...{ t: type, a: to, b: from, r: rights ? keccak256(to) : ZERO, c: contract, i: 1n, n: 2n },
      })),
    ],
  ).slice(2);
const hashOf = (type: number, at: number): string =>
  `${keccak256(encodePacked(['uint256'], [BigInt(at)])).slice(2, 64)}0${type}`;

describe('reads of the delegate registry', () => {
  it('DELEGATE_REGISTRY: is the address that follows from the code of the published source', async () => {
    const { bytecode } = await readRegistryArtifact();
    const computed = getContractAddress({
      opcode: 'CREATE2',
      from: '0x0000000000FFe8B47B3e2130213B802212439497',
      salt: '0x00000000000000000000000000000000000000002bbc593dd77cb93fbb932d5f',
      bytecode,
    });
    expect(computed.toLowerCase()).toBe(DELEGATE_REGISTRY);
  });

  it('createInboxRead: names the length and the hashes of incomingDelegationHashes, and reads back what they hold', () => {
    const to = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
    const slot = keccak256(encodeAbiParameters(parseAbiParameters('address, uint256'), [to, 2n]));
    const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}` as const;
    const first = BigInt(keccak256(slot));
    const read = createInboxRead(to, 3, 2);
    const args = [[slot, word(first + 3n), word(first + 4n)]] as const;
    expect(`0x${read.data}`).toBe(encodeFunctionData({ abi, functionName: 'readSlots', args }));
    const answer = (length: bigint, ...words: bigint[]) =>
      encodeAbiParameters(parseAbiParameters('bytes32[]'), [[length, ...words].map(word)]).slice(2);
    const [a, b] = [word(7n).slice(2), word(8n).slice(2)];
    expect(read.decode(answer(5n, 7n, 8n))).toEqual({ length: 5n, hashes: [a, b] });
    expect(read.decode(answer(4n, 7n, 0n))).toEqual({ length: 4n, hashes: [a] });
    expect(read.decode(answer(2n ** 255n, 7n, 8n)).length).toBe(2n ** 255n);
    for (const wrong of [answer(5n, 7n, 0n), answer(5n, 7n), answer(5n, 7n, 8n, 9n), '', 'ff'])
      expect(() => read.decode(wrong)).toThrow(MalformedReturnDataError);
  });

  it('createInboxRead: makes the first read of an account once', () => {
    const to = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
    expect(createInboxRead(to, 0, 4)).toBe(createInboxRead(to, 0, 4));
    expect(createInboxRead(to, 4, 4).data).not.toBe(createInboxRead(to, 0, 4).data);
    expect(createInboxRead(to, 0, 2).data).not.toBe(createInboxRead(to, 0, 4).data);
  });

  it('createDelegationsRead: decodes what viem encodes, and nothing of another length, offset or type', () => {
    fc.assert(
      fc.property(delegations, fc.nat(), (list, cut) => {
        const hashes = list.map(({ type }, at) => hashOf(type, at));
        const read = createDelegationsRead(hashes);
        const call = encodeFunctionData({
          abi,
          functionName: 'getDelegationsFromHashes',
          args: [hashes.map((hash) => `0x${hash}` as const)],
        });
        expect(`0x${read.data}`).toBe(call);
        const data = encodeDelegations(list);
        expect(read.decode(data)).toEqual(
          list.map(({ type, to, from, rights, contract }): Delegation => ({
            type: TYPES[type] ?? 'none',
            delegate: to,
            vault: from,
            contract,
            hasRights: rights,
          })),
        );
        const shorter = data.slice(0, cut % data.length);
        expect(() => read.decode(shorter)).toThrow(MalformedReturnDataError);
        expect(() => read.decode(`${data}${'0'.repeat(64)}`)).toThrow(MalformedReturnDataError);
        expect(() => read.decode(`${'0'.repeat(62)}40${data.slice(64)}`)).toThrow(MalformedReturnDataError);
        if (list.length === 0) return;
        const others = createDelegationsRead(list.map(({ type }, at) => hashOf((type % 5) + 1, at)));
        if (list.some(({ type }) => type !== 0))
          expect(() => others.decode(data)).toThrow(MalformedReturnDataError);
      }),
      { numRuns: 200 },
    );
  });

  it('createDelegationCheckRead: asks about all or one contract with all rights, and takes only true or false', () => {
    const [to, vault, contract] = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}` as const) as [
      Address,
      Address,
      Address,
    ];
    const read = createDelegationCheckRead(to, vault, contract);
    const args = [to, vault, contract, ZERO] as const;
    expect(`0x${read.data}`).toBe(
      encodeFunctionData({ abi, functionName: 'checkDelegateForContract', args }),
    );
    expect([read.decode(`${'0'.repeat(63)}1`), read.decode('0'.repeat(64))]).toEqual([true, false]);
    expect(() => read.decode(`${'0'.repeat(63)}2`)).toThrow(MalformedReturnDataError);
  });
});

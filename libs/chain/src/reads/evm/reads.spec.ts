import type { EvmAddress } from '@app/dto';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import {
  decodeFunctionResult,
  encodeFunctionData,
  encodeFunctionResult,
  erc1155Abi,
  erc20Abi,
  erc721Abi,
  getAddress,
  multicall3Abi,
} from 'viem';
import { MalformedReturnDataError } from './abi-codec.js';
import {
  createErc1155BalanceRead,
  createErc20BalanceRead,
  createErc20DecimalsRead,
  createErc721BalanceRead,
  createErc721OwnerRead,
  createNativeBalanceRead,
} from './reads.js';

const contract: EvmAddress = '0x00000000000000000000000000000000000000cc';
const maxUint256 = 2n ** 256n - 1n;
const uint256 = fc.oneof(fc.bigInt(0n, maxUint256), fc.constantFrom(0n, 2n ** 53n + 1n, maxUint256));
const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((array) => getAddress(`0x${Buffer.from(array).toString('hex')}`));

describe('calldata', () => {
  it('calldata of reads: equals what viem encodes', () => {
    fc.assert(
      fc.property(address, uint256, (account, id) => {
        const args = [account] as const;
        expect([
          createNativeBalanceRead(account).data,
          createErc20BalanceRead(contract, account).data,
          createErc20DecimalsRead(contract).data,
          createErc721BalanceRead(contract, account).data,
          createErc721OwnerRead(contract, id).data,
          createErc1155BalanceRead(contract, account, id).data,
        ]).toEqual(
          [
            encodeFunctionData({ abi: multicall3Abi, functionName: 'getEthBalance', args }),
            encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args }),
            encodeFunctionData({ abi: erc20Abi, functionName: 'decimals' }),
            encodeFunctionData({ abi: erc721Abi, functionName: 'balanceOf', args }),
            encodeFunctionData({ abi: erc721Abi, functionName: 'ownerOf', args: [id] }),
            encodeFunctionData({ abi: erc1155Abi, functionName: 'balanceOf', args: [account, id] }),
          ].map((data) => data.slice(2)),
        );
      }),
    );
  });

  it('calldata of reads: throws RangeError for an invalid address or token id', () => {
    for (const text of ['', '0x', '0x12', `0x${'g'.repeat(40)}`, `0x${'a'.repeat(41)}`, `${contract}"`]) {
      expect(() => createErc20BalanceRead(contract, text)).toThrow(RangeError);
      expect(() => createErc20DecimalsRead(text as EvmAddress)).toThrow(RangeError);
    }
    for (const id of [-1n, maxUint256 + 1n])
      expect(() => createErc721OwnerRead(contract, id)).toThrow(RangeError);
  });
});

describe('return data', () => {
  it('return data of reads: is decoded as viem decodes it', () => {
    fc.assert(
      fc.property(uint256, address, fc.nat(255), (value, owner, decimals) => {
        const balance = encodeFunctionResult({ abi: erc20Abi, functionName: 'balanceOf', result: value });
        const ownerOf = encodeFunctionResult({ abi: erc721Abi, functionName: 'ownerOf', result: owner });
        const digits = encodeFunctionResult({ abi: erc20Abi, functionName: 'decimals', result: decimals });
        expect(createErc20BalanceRead(contract, owner).decode(balance.slice(2))).toBe(value);
        expect(createErc721OwnerRead(contract, value).decode(ownerOf.slice(2))).toBe(owner.toLowerCase());
        expect(createErc20DecimalsRead(contract).decode(digits.slice(2))).toBe(decimals);
        expect(decodeFunctionResult({ abi: erc20Abi, functionName: 'balanceOf', data: balance })).toBe(value);
      }),
    );
  });

  it('return data of reads: is rejected in any other shape', () => {
    const odd = fc.nat(2_000).filter((bytes) => bytes < 32 || bytes > 1_024 || bytes % 32 !== 0);
    fc.assert(
      fc.property(odd, (size) => {
        expect(() => createErc20BalanceRead(contract, contract).decode('00'.repeat(size))).toThrow(
          MalformedReturnDataError,
        );
      }),
    );
    fc.assert(
      fc.property(fc.bigInt(2n ** 160n, maxUint256), (value) => {
        const word = value.toString(16).padStart(64, '0');
        expect(() => createErc721OwnerRead(contract, 1n).decode(word)).toThrow(MalformedReturnDataError);
        expect(() => createErc20DecimalsRead(contract).decode(word)).toThrow(MalformedReturnDataError);
      }),
    );
  });
});

import { describe, expect, it } from '@jest/globals';
import { evmAddress } from './evm-address.js';

/** Test cases of ERC-55. */
const checksummed = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
];

describe('evmAddress', () => {
  it.each(checksummed)('converts %s to lower case, with its checksum and in a single case', (address) => {
    const upper = `0x${address.slice(2).toUpperCase()}`;
    const lower = address.toLowerCase();
    for (const text of [address, upper, lower]) expect(evmAddress.parse(text)).toBe(lower);
  });

  it.each(checksummed.slice(2))('rejects %s with one letter in the wrong case', (address) => {
    const at = address.search(/[A-F]/);
    const wrong = address.slice(0, at) + address.charAt(at).toLowerCase() + address.slice(at + 1);
    expect(evmAddress.safeParse(wrong).error?.issues[0]?.message).toMatch(/checksum/);
  });

  it.each([
    '',
    '0x',
    '0x12',
    `0X${'a'.repeat(40)}`,
    'a'.repeat(40),
    `0x${'a'.repeat(41)}`,
    `0x${'g'.repeat(40)}`,
    ` 0x${'a'.repeat(40)}`,
  ])('rejects %j', (text) => {
    expect(evmAddress.safeParse(text).success).toBe(false);
  });
});

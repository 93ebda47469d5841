import { expect, it } from '@jest/globals';
import { saysHeld } from './bundler-client.service.js';

it.each([
  'Already known',
  'already known',
  'UserOperation is already in the mempool',
  'duplicate user operation',
  // Digits of a hash spell no word: this one contains "fee".
  'already known: 0x5feed1c0ffee0000000000000000000000000000000000000000000000000000',
  'already known: 5feed1c0ffee0000000000000000000000000000000000000000000000000000',
])('saysHeld: takes "%s" as an answer about the bytes that were sent', (answer) => {
  expect(saysHeld(answer)).toBe(true);
});

it.each([
  // alto
  'AA25 invalid account nonce: User operation is already in mempool and getting processed with same nonce and sender',
  'AA25 invalid account nonce: User operation already present in mempool, bump the gas price by minimum 10%',
  'AA25 invalid account nonce: Another UserOperation with same sender and nonce is already being processed',
  'AA10 sender already constructed: A conflicting userOperation with initCode for this sender is already in the mempool, bump the gas price by minimum 10%',
  // Skandha
  'User op cannot be replaced: fee too low',
  // Voltaire
  'invalid UserOperation struct/fields',
  'already in the mempool: replacing it needs higher fees',
  'already in the mempool with a maxFeePerGas of 0x3',
])('saysHeld: does not take "%s" as an answer about the bytes that were sent', (answer) => {
  expect(saysHeld(answer)).toBe(false);
});

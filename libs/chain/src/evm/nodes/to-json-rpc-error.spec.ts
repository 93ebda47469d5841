import { describe, expect, it } from '@jest/globals';
import { toJsonRpcError } from './to-json-rpc-error.js';

describe('toJsonRpcError', () => {
  it.each([
    [3, 'execution reverted: ERC721: invalid token ID', 'reverted'],
    [3, 'out of gas', 'reverted'],
    [-32000, 'execution reverted', 'reverted'],
    [-32015, 'VM execution error.', 'reverted'],
    [-32603, 'VM Exception while processing transaction: reverted with reason', 'reverted'],
    [-32000, 'invalid opcode: INVALID', 'halted'],
    [-32603, 'EVM error InvalidFEOpcode', 'halted'],
    [-32000, 'stack underflow (0 <=> 1)', 'halted'],
    [-32000, 'invalid jump destination', 'halted'],
    [-32000, 'out of gas', 'out_of_gas'],
    [-32603, 'EVM error OutOfGas', 'out_of_gas'],
    [-32000, 'gas required exceeds allowance (50000000)', 'out_of_gas'],
    [-32000, 'execution aborted (timeout = 5s)', 'too_heavy'],
    [-32003, 'response too large', 'too_heavy'],
    [-32000, 'call retuned result on length 120000 exceeding limit 100000', 'too_heavy'],
    [-32005, 'limit exceeded', 'unavailable'],
    [-32005, 'daily request count exceeded, request rate limited', 'unavailable'],
    [429, 'Your app has exceeded its compute units per second capacity', 'unavailable'],
    [-32000, 'header not found', 'unavailable'],
    [-32000, 'missing trie node', 'unavailable'],
    [-32603, 'Internal error', 'unavailable'],
    [-32601, 'the method eth_call does not exist', 'unavailable'],
    [0, '', 'unavailable'],
    [-32000, 'See https://developers.google.com/identity/sign-in for your key', 'unavailable'],
    [-32000, 'Your plan request count exceeds allowance, upgrade', 'unavailable'],
    [-32000, 'compute units: response rate exceeded limit', 'unavailable'],
    [-32000, 'response size exceeded', 'too_heavy'],
    [-32603, 'EVM error MemoryOOG', 'out_of_gas'],
  ])('%d %s: %s', (code, message, kind) => {
    expect(toJsonRpcError({ code, message }).kind).toBe(kind);
  });
});

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
    [-32603, 'EVM error OutOfOffset', 'halted'],
    [-32603, 'EVM error PrecompileError', 'halted'],
    [-32603, 'EVM error CreateContractStartingWithEF', 'halted'],
    [-32000, 'EVM error: PrecompileErrorWithContext("bad point")', 'halted'],
    [-32000, 'EVM error: CallTooDeep', 'halted'],
    [-32603, 'EVM error FatalExternalError', 'unavailable'],
    [-32000, 'return data out of bounds', 'halted'],
    [-32000, 'write protection', 'halted'],
    [-32000, 'stack limit reached 1024 (1023)', 'halted'],
    [-32000, 'max call depth exceeded', 'halted'],
    [-32000, 'insufficient balance for transfer', 'halted'],
    [-32000, 'contract address collision', 'halted'],
    [-32000, 'gas uint64 overflow', 'halted'],
    [-32000, 'max initcode size exceeded: code size 50000 limit 49152', 'halted'],
    [-32000, 'invalid code: must not begin with 0xef', 'halted'],
    [-32015, 'AccessViolation', 'halted'],
    [-32015, 'StaticCallViolation', 'halted'],
    [-32015, 'PrecompileFailure', 'halted'],
    [-32015, 'BadInstruction', 'halted'],
    [-32015, 'invalid instruction', 'halted'],
    [-32015, 'precompile error', 'halted'],
    [-32015, 'InvalidCode', 'halted'],
  ])('%d %s: %s', (code, message, kind) => {
    expect(toJsonRpcError({ code, message }).kind).toBe(kind);
  });

  it.each([
    [-32000, 'header not found', false],
    [-32000, 'missing trie node 56e81f17 (path )', false],
    [-32000, 'historical state 56e81f17 is not available', false],
    [-32601, 'the method eth_call does not exist', false],
    [-32005, 'limit exceeded', undefined],
    [-32000, 'invalid input length', true],
    [-32603, 'method handler crashed', true],
    [0, '', true],
  ])('%d %s: unexplained %s', (code, message, unexplained) => {
    expect(toJsonRpcError({ code, message }).details.unexplained).toBe(unexplained);
  });
});

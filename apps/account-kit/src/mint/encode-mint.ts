import type { Address, Hex } from 'viem';
import {
  concatHex,
  encodeAbiParameters,
  getContractAddress,
  keccak256,
  parseAbiParameters,
  stringToHex,
} from 'viem/utils';
import type { AccountCall } from '../evm/operations/encode-execute.js';
import { DETERMINISTIC_DEPLOYER } from '../evm/accounts/account-contracts.js';
import { fungibleTokenCode } from './fungible-token-code.js';

export const MINT_DECIMALS = 18;
/** All tokens that will ever exist, in the smallest unit (contract.md section 10). */
export const MINT_SUPPLY = 1_000_000_000n * 10n ** BigInt(MINT_DECIMALS);

export interface MintedToken {
  readonly name: string;
  readonly symbol: string;
  /** Gets the whole supply. */
  readonly recipient: Address;
  /** The operation that mints: it makes the salt unique, so that two mints of the same token do not collide. */
  readonly operationId: string;
}

const CONSTRUCTOR = parseAbiParameters('string name, string symbol, address recipient, uint256 supply');

const toSalt = (operationId: string): Hex => keccak256(stringToHex(operationId));

const toInitCode = ({ name, symbol, recipient }: MintedToken): Hex =>
  concatHex([fungibleTokenCode, encodeAbiParameters(CONSTRUCTOR, [name, symbol, recipient, MINT_SUPPLY])]);

/** Encodes the call of a smart account that deploys the token (contracts/FungibleToken.sol). */
export const encodeMint = (token: MintedToken): AccountCall => ({
  target: DETERMINISTIC_DEPLOYER,
  value: 0n,
  data: concatHex([toSalt(token.operationId), toInitCode(token)]),
});

/** Computes the address that the token will have, the same on every chain. */
export const getMintedTokenAddress = (token: MintedToken): Address =>
  getContractAddress({
    opcode: 'CREATE2',
    from: DETERMINISTIC_DEPLOYER,
    salt: toSalt(token.operationId),
    bytecode: toInitCode(token),
  });

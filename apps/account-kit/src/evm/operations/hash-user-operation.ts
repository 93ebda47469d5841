import type { Hex } from 'viem';
import { toPackedUserOperation } from 'viem/account-abstraction';
import { concatHex, keccak256, numberToHex, padHex, stringToHex } from 'viem/utils';
import { ACCOUNT_CONTRACTS, type AccountVersion } from '../accounts/account-contracts.js';
import type { UserOperationFields } from './user-operation.js';

const hashText = (text: string): Hex => keccak256(stringToHex(text));

const OPERATION_TYPE = hashText(
  'PackedUserOperation(address sender,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,bytes paymasterAndData)',
);
const DOMAIN_TYPE = hashText(
  'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)',
);
const DOMAIN_NAME = hashText('ERC4337');
const DOMAIN_VERSION = hashText('1');
/** Domain separators, by chain id. */
const domains = new Map<number, Hex>();

/**
 * The hash by which the EntryPoint names an operation. It does not depend on the signature. viem's general functions give the same, and
 * take three times as long; each operation is hashed before it is signed.
 */
export function hashUserOperation(
  version: AccountVersion,
  chainId: number,
  operation: UserOperationFields,
): Hex {
  const words = toWords(operation);
  if (version === '0.8') {
    const struct = keccak256(concatHex([OPERATION_TYPE, ...words]));
    return keccak256(concatHex(['0x1901', getDomain(chainId), struct]));
  }
  const inner = keccak256(concatHex(words));
  return keccak256(concatHex([inner, toWord(ACCOUNT_CONTRACTS[version].entryPoint), toWord(chainId)]));
}

/** Encodes the eight words that both EntryPoints hash. */
function toWords(operation: UserOperationFields): Hex[] {
  const packed = toPackedUserOperation({ ...operation, signature: '0x' });
  return [
    toWord(packed.sender),
    toWord(packed.nonce),
    keccak256(packed.initCode),
    keccak256(packed.callData),
    packed.accountGasLimits,
    toWord(packed.preVerificationGas),
    packed.gasFees,
    keccak256(packed.paymasterAndData),
  ];
}

/** The domain separator of EntryPoint 0.8 (EIP-712). */
function getDomain(chainId: number): Hex {
  const known = domains.get(chainId);
  if (known !== undefined) return known;
  const entryPoint = toWord(ACCOUNT_CONTRACTS['0.8'].entryPoint);
  const words = [DOMAIN_TYPE, DOMAIN_NAME, DOMAIN_VERSION, toWord(chainId), entryPoint];
  const domain = keccak256(concatHex(words));
  domains.set(chainId, domain);
  return domain;
}

const toWord = (value: Hex | bigint | number): Hex =>
  typeof value === 'string' ? padHex(value, { size: 32 }) : numberToHex(value, { size: 32 });

import type { EvmAddress } from '@app/dto';
import { MalformedReturnDataError } from '../codec/abi-decode.js';
import { encodeAddress, encodeNumber, toLowerCaseAddress } from '../codec/abi-encode.js';
import type { ContractRead } from '../codec/contract-read.js';

/** A POAP of an owner. */
export interface PoapDetails {
  readonly tokenId: bigint;
  readonly eventId: bigint;
}

const WORD_DIGITS = 64;
const RESULT_DIGITS = 2 * WORD_DIGITS;

/** tokenDetailsOfOwnerByIndex(address, uint256) of the POAP contract: one POAP of the owner, by its position. */
export function createPoapDetailsRead(
  contract: EvmAddress,
  owner: string,
  index: number,
): ContractRead<PoapDetails> {
  return {
    to: toLowerCaseAddress(contract),
    data: `67e971ce${encodeAddress(owner)}${encodeNumber(index)}`,
    decode: decodeDetails,
  };
}

function decodeDetails(returnData: string): PoapDetails {
  if (returnData.length !== RESULT_DIGITS)
    throw new MalformedReturnDataError('the contract answered no POAP');
  const readWord = (start: number) => BigInt(`0x${returnData.slice(start, start + WORD_DIGITS)}`);
  return { tokenId: readWord(0), eventId: readWord(WORD_DIGITS) };
}

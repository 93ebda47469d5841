import { hasChecksum } from '@app/dto';
import { type SignInForm } from './sign-in-form.js';

/**
 * https://eips.ethereum.org/EIPS/eip-4361. The checksum of ERC-55 is demanded of contract accounts too: an address in one
 * case would be a second spelling of the same account, and the wallets all show the mixed case.
 */
export const ethereumForm: SignInForm<number> = {
  greeting: ' wants you to sign in with your Ethereum account:',
  emptyLines: 2,
  isAddress: (text) => /^0x[0-9a-fA-F]{40}$/.test(text) && hasChecksum(text),
  addressReason: 'must be 0x and 40 hex digits in the mixed case of ERC-55',
  chainIdOf: (text) => {
    const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : NaN;
    return Number.isSafeInteger(id) ? id : undefined;
  },
  chainIdReason: 'must be a number from 1 to 2^53-1 in plain decimal digits',
};

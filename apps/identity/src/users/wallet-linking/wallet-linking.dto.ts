import { accountBalance, EXAMPLES } from '@app/dto';
import { z } from 'zod';
import { linkSignatureType } from '../../wallet-signatures/signature-type.js';

export const accountAuthChallenge = z
  .object({ message: z.string().meta({ description: 'The text for the wallet to sign' }) })
  .meta({ id: 'AccountAuthChallenge' });
export type AccountAuthChallenge = z.output<typeof accountAuthChallenge>;

/** Proof that the user controls a wallet: the challenge's message, signed. */
export const accountAddressRequest = z
  .strictObject({
    address: z.string().min(1).max(128).meta({ description: 'An EVM or Solana address, or a CAIP-10 id' }),
    message: z
      .string()
      .min(1)
      .max(8_192)
      .meta({ description: 'The exact text from `GET /account/auth-message`' }),
    signedMessage: z.string().min(1).max(8_192).meta({
      description:
        'EVM: 0x and hex digits (EIP-191; ERC-1271 and ERC-6492 for contract wallets). Solana: Ed25519 in base58, base64 or 0x hex',
    }),
    chainId: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .meta({ description: 'Decimal digits or CAIP-2; required for a contract wallet' }),
    signatureType: linkSignatureType,
  })
  .meta({
    id: 'AccountAddressRequest',
    example: {
      address: EXAMPLES.holder,
      message: 'The text of GET /account/auth-message',
      signedMessage: '0x…',
    },
  });
export type AccountAddressRequest = Readonly<z.output<typeof accountAddressRequest>>;

export const walletBalance = z
  .object({
    address: z.string(),
    accounts: z.array(accountBalance).meta({
      description: 'Balances of native coins and watched tokens, as far as known within two seconds',
    }),
  })
  .meta({ id: 'WalletBalance' });
export type WalletBalance = z.output<typeof walletBalance>;

import { pageOf, userPlatform } from '@app/dto';
import { z } from 'zod';

const walletConnection = z
  .object({
    id: z.string(),
    createdTime: z.iso.datetime(),
    address: z.string(),
    accountId: z.string().meta({ description: 'CAIP-10' }),
    userId: z.string(),
    platform: userPlatform,
    walletType: z.string(),
    chainId: z.string(),
    metadata: z.looseObject({}),
  })
  .meta({ id: 'WalletConnection' });

export const walletConnectionPage = pageOf(walletConnection, 'WalletConnectionPage');

export const walletParams = z.object({ address: z.string().min(1).max(128) });

/** A wallet's proof that it is the user's: the challenge's message, signed. */
export const accountAddressRequest = z
  .strictObject({
    address: z.string().min(1).max(128),
    message: z.string().min(1).max(8_192),
    signedMessage: z.string().min(1).max(8_192),
    chainId: z.string().min(1).max(32).optional(),
  })
  .meta({ id: 'AccountAddressRequest' });

const accountBalance = z.object({
  cashtag: z.string(),
  tokenAddress: z.string(),
  chainId: z.number(),
  balance: z.string(),
});

export const walletBalance = z
  .object({ address: z.string(), accounts: z.array(accountBalance) })
  .meta({ id: 'WalletBalance' });

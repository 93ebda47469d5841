import { EXAMPLES, userPlatform } from '@app/dto';
import { z } from 'zod';
import { accountAddressRequest } from '../users/wallet-linking/wallet-linking.dto.js';

export const platformUserParams = z.object({
  communityId: z.string().min(1).max(128).meta({ example: EXAMPLES.communityId }),
  platformUserId: z.string().min(1).max(256).meta({
    description: "An id on the user's platform, or a user id",
    example: EXAMPLES.platformUserId,
  }),
});
export type PlatformUserParams = z.output<typeof platformUserParams>;

export const platformWalletParams = platformUserParams.extend({
  address: z.string().min(1).max(256).meta({
    description: 'An address (an EVM address in any letter case), a CAIP-10 id, or the id of the wallet',
    example: EXAMPLES.chatter,
  }),
});
export type PlatformWalletParams = z.output<typeof platformWalletParams>;

export const platformWalletChallenge = z
  .object({
    message: z.string().meta({ description: 'The text for the wallet to sign' }),
    requestId: z.string(),
    expiresAt: z.iso.datetime(),
    url: z.string().meta({ description: 'The page on which the user can sign it with a browser wallet' }),
  })
  .meta({ id: 'PlatformWalletChallenge' });
export type PlatformWalletChallenge = z.output<typeof platformWalletChallenge>;

const { address, signedMessage, chainId, signatureType } = accountAddressRequest.shape;

export const platformWalletRequest = z
  .strictObject({
    requestId: z.string().min(1).max(128),
    address,
    signature: signedMessage,
    chainId,
    signatureType,
  })
  .meta({
    id: 'PlatformWalletRequest',
    example: { requestId: 'The id of the challenge', address: EXAMPLES.holder, signature: '0x…' },
  });
export type PlatformWalletRequest = Readonly<z.output<typeof platformWalletRequest>>;

const ADDRESS_FIELDS = 'Only for applications that are approved for `user:wallet:read`';

export const platformWallet = z
  .object({
    id: z.string(),
    createdTime: z.iso.datetime(),
    address: z.string().optional().meta({ description: ADDRESS_FIELDS }),
    accountId: z
      .string()
      .optional()
      .meta({ description: `CAIP-10. ${ADDRESS_FIELDS}` }),
    platform: userPlatform.optional().meta({ description: ADDRESS_FIELDS }),
    walletType: z.string().optional().meta({ description: ADDRESS_FIELDS }),
    chainId: z.string().optional().meta({ description: ADDRESS_FIELDS }),
  })
  .meta({ id: 'PlatformUserWallet' });
export type PlatformWallet = z.output<typeof platformWallet>;

export const platformWalletList = z
  .object({ items: z.array(platformWallet) })
  .meta({ id: 'PlatformUserWallets' });
export type PlatformWalletList = z.output<typeof platformWalletList>;

import { EXAMPLES, userPlatform, createPageSchema } from '@app/dto';
import { z } from 'zod';
import { profileName, profilePicture } from './profile/profile-fields.js';

export const user = z
  .object({
    id: z.string(),
    platform: userPlatform,
    address: z.string().optional().meta({
      description:
        'CAIP-10: the wallet from which the id follows. An externally owned account is named on chain 1, a Solana account on mainnet',
    }),
    userName: z.string().optional(),
    username: z.string().optional(),
    name: z.string().optional(),
    picture: z.string().optional(),
    createdTime: z.iso.datetime(),
  })
  .meta({
    id: 'User',
    description:
      'An identity on one platform. Names and the picture need the scope `user:read`, and are absent until the user sets them.',
  });
export type User = z.output<typeof user>;

export const userChange = z
  .strictObject({
    name: profileName.nullable().optional().meta({
      description: '1 to 64 code points without invisible ones; stored in NFC. null removes it',
    }),
    picture: profilePicture.nullable().optional().meta({
      description: 'An https URL of a public host. null removes it',
    }),
  })
  .meta({
    id: 'UserChange',
    description: 'Omitted fields stay unchanged. Usernames are set in the portal.',
    example: { name: 'Ada Lovelace', picture: `https://pictures.example/${EXAMPLES.holderId}.png` },
  });
export type UserChange = z.output<typeof userChange>;

export const linkedUsers = z
  .object({ items: z.array(z.string()).meta({ description: 'Ids of users that share an Ethereum address' }) })
  .meta({ id: 'LinkedUsers' });
export type LinkedUsersResponse = z.output<typeof linkedUsers>;

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

export const walletConnectionPage = createPageSchema(walletConnection, 'WalletConnectionPage');
export type WalletConnectionPage = z.output<typeof walletConnectionPage>;

export const walletParams = z.object({
  address: z.string().min(1).max(256).meta({
    description: 'An address (an EVM address in any letter case) or a CAIP-10 id',
    example: EXAMPLES.holder,
  }),
});

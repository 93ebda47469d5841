import { createPageSchema, EXAMPLES, userPlatform } from '@app/dto';
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

export const walletConnectionPage = createPageSchema(walletConnection, 'WalletConnectionPage');
export type WalletConnectionPage = z.output<typeof walletConnectionPage>;

export const walletParams = z.object({
  address: z.string().min(1).max(256).meta({
    description: 'An address (an EVM address in any letter case) or a CAIP-10 id',
    example: EXAMPLES.holder,
  }),
});

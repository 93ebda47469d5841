import { derivedKey, PageTokens } from '@app/common';
import { configClass, opaqueTokenConfigSchema } from '@app/config';
import { Module } from '@nestjs/common';
import { UsersModule } from '../users/users.module.js';
import { LinkedUsers } from './linked-users.js';
import { OwnWalletsService } from './own-wallets.service.js';
import { WalletList } from './wallet-list.js';

class OpaqueTokenConfig extends configClass(opaqueTokenConfigSchema) {}

@Module({
  imports: [UsersModule],
  providers: [
    OpaqueTokenConfig,
    {
      provide: PageTokens,
      inject: [OpaqueTokenConfig],
      useFactory: ({ OPAQUE_TOKEN_SECRET }: OpaqueTokenConfig) =>
        new PageTokens(derivedKey(OPAQUE_TOKEN_SECRET, 'page tokens')),
    },
    LinkedUsers,
    OwnWalletsService,
    WalletList,
  ],
  exports: [LinkedUsers, OwnWalletsService, WalletList],
})
export class WalletsModule {}

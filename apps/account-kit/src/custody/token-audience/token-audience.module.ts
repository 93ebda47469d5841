import { Module } from '@nestjs/common';
import { KeyVaultModule } from '../key-vault.module.js';
import { PlatformsModule } from '../../owners/platforms.module.js';
import { CodehostAudienceService } from './codehost-audience.service.js';
import { CodehostTokenClient } from './codehost-token-client.js';
import { TokenAudienceService } from './token-audience.service.js';

@Module({
  imports: [PlatformsModule, KeyVaultModule],
  providers: [CodehostTokenClient, CodehostAudienceService, TokenAudienceService],
  exports: [TokenAudienceService],
})
export class TokenAudienceModule {}

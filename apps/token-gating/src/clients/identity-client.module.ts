import { Module } from '@nestjs/common';
import { IdentityClientConfig } from './identity-client.config.js';
import { IdentityClient } from './identity-client.js';

@Module({ providers: [IdentityClientConfig, IdentityClient], exports: [IdentityClient] })
export class IdentityClientModule {}

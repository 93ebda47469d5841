import { Module } from '@nestjs/common';
import { IdentityClient } from './identity-client.js';
import { IdentityClientConfig } from './identity-client.config.js';

@Module({ providers: [IdentityClientConfig, IdentityClient], exports: [IdentityClient] })
export class ClientsModule {}

import { Module } from '@nestjs/common';
import { EvmModule } from '../evm/evm.module.js';
import { SponsoringService } from './sponsoring.service.js';

@Module({ imports: [EvmModule], providers: [SponsoringService], exports: [SponsoringService] })
export class SponsoringModule {}

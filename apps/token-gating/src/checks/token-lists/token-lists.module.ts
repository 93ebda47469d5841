import { Module } from '@nestjs/common';
import { SafeFetcherModule } from '../../clients/safe-fetcher.module.js';
import { TokenListService } from '../token-list.service.js';

@Module({ imports: [SafeFetcherModule], providers: [TokenListService], exports: [TokenListService] })
export class TokenListsModule {}

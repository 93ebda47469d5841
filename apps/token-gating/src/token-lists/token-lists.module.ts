import { Module } from '@nestjs/common';
import { OutboundModule } from '../outbound/outbound.module.js';
import { TokenLists } from './token-lists.js';

@Module({ imports: [OutboundModule], providers: [TokenLists], exports: [TokenLists] })
export class TokenListsModule {}

import { Module } from '@nestjs/common';
import { UserOperationsModule } from '../user-operations/user-operations.module.js';
import { MintService } from './mint.service.js';

@Module({ imports: [UserOperationsModule], providers: [MintService], exports: [MintService] })
export class MintModule {}

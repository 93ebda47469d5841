import { Module } from '@nestjs/common';
import { DirectoryController } from './directory.controller.js';
import { DirectoryService } from './directory.service.js';

/** Internal API with which other apps look up users and wallets. */
@Module({ controllers: [DirectoryController], providers: [DirectoryService] })
export class DirectoryModule {}

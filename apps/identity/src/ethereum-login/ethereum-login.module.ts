import { Module } from '@nestjs/common';
import { EthereumLoginController } from './ethereum-login.controller.js';

@Module({ controllers: [EthereumLoginController] })
export class EthereumLoginModule {}

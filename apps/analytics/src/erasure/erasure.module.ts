import { Module } from '@nestjs/common';
import { ErasureSweeper } from './erasure-sweeper.js';

@Module({ providers: [ErasureSweeper] })
export class ErasureModule {}

// An empty Nest app that has loaded the packages named in PACKAGES, and nothing of ours.
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

for (const name of /** @type {string[]} */ (JSON.parse(process.env.PACKAGES ?? '[]'))) await import(name);

class EmptyModule {}
Module({})(EmptyModule);
const app = await NestFactory.create(EmptyModule, { logger: false });
await app.listen(Number(process.env.PORT), '127.0.0.1');
process.send?.('ready');

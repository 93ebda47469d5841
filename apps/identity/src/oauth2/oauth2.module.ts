import { Module } from '@nestjs/common';
import { OAuth2Controller } from './oauth2.controller.js';

@Module({ controllers: [OAuth2Controller] })
export class OAuth2Module {}

import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { ServiceContextModule } from '../service-context.module.js';
import { createSchemaConverter } from './create-schema-converter.js';

function neverStarted(): never {
  throw new Error('A document is made without starting the app');
}

/** One app's OpenAPI document. Nothing is started: in preview mode no provider is constructed. */
export async function createDocument(module: Type): Promise<OpenAPIObject> {
  const root = ServiceContextModule.forRoot(module, neverStarted);
  const app = await NestFactory.create(root, { preview: true, logger: false, abortOnError: false });
  return SwaggerModule.createDocument(app, new DocumentBuilder().setOpenAPIVersion('3.0.3').build(), {
    autoTagControllers: false,
    operationIdFactory: (controller, method) => `${controller}.${method}`,
    standardSchemaConverter: createSchemaConverter(),
  });
}

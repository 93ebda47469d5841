import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { ServiceContextModule } from '../service-context.module.js';
import { createSchemaConverter } from './create-schema-converter.js';

function failToStart(): never {
  throw new Error('The app must not start for its OpenAPI document');
}

/** Creates an app's OpenAPI document in Nest's preview mode, which constructs no provider. */
export async function createDocument(module: Type): Promise<OpenAPIObject> {
  const root = ServiceContextModule.forRoot(module, failToStart);
  const app = await NestFactory.create(root, { preview: true, logger: false, abortOnError: false });
  return SwaggerModule.createDocument(app, new DocumentBuilder().setOpenAPIVersion('3.0.3').build(), {
    autoTagControllers: false,
    operationIdFactory: (controller, method) => `${controller}.${method}`,
    standardSchemaConverter: createSchemaConverter(),
  });
}

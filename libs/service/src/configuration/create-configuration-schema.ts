import { isDeepStrictEqual } from 'node:util';
import type { Type } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { type ConfigClass, describeVariable, serviceConfigSchema } from '@app/config';
import { z } from 'zod';
import { ServiceContextModule } from '../service-context.js';

function failToStart(): never {
  throw new Error('The app must not start for its configuration schema');
}

/**
 * Creates the schema of an app's whole configuration: what every app reads, and the schemas of all config classes that
 * its modules provide. Uses Nest's preview mode, which constructs no provider.
 * @throws Error when two schemas describe one variable differently
 */
export async function createConfigurationSchema(module: Type): Promise<z.ZodObject<z.ZodRawShape>> {
  const root = ServiceContextModule.forRoot(module, failToStart);
  const app = await NestFactory.create(root, { preview: true, logger: false, abortOnError: false });
  const shape: Record<string, z.core.$ZodType> = { ...serviceConfigSchema.shape };
  for (const { configSchema } of findConfigClasses(app.get(ModulesContainer)))
    for (const [name, schema] of Object.entries(configSchema.shape))
      shape[name] = shape[name] === undefined ? schema : merge(name, shape[name], schema);
  return z.object(shape);
}

function* findConfigClasses(modules: ModulesContainer): Generator<ConfigClass> {
  for (const { providers } of modules.values())
    for (const { metatype } of providers.values()) if (isConfigClass(metatype)) yield metatype;
}

const isConfigClass = (provider: unknown): provider is ConfigClass =>
  typeof provider === 'function' && 'configSchema' in provider;

/** The stricter one: an app requires what any of its features requires. */
function merge(name: string, first: z.core.$ZodType, second: z.core.$ZodType): z.core.$ZodType {
  const { default: firstDefault, ...one } = describeVariable(name, first);
  const { default: secondDefault, ...other } = describeVariable(name, second);
  const isRequired = firstDefault === undefined || secondDefault === undefined;
  if (!isDeepStrictEqual(one, other) || (!isRequired && firstDefault !== secondDefault))
    throw new Error(`Two schemas describe ${name} differently`);
  return secondDefault === undefined ? second : first;
}

import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { createConfigClass, describeVariable, envInteger, serviceConfigSchema } from '@app/config';
import { Module } from '@nestjs/common';
import { z } from 'zod';
import { createConfigurationSchema } from './create-configuration-schema.js';

const size = envInteger(1, 9).describe('Size of the pool.');

class OptionalSizeConfig extends createConfigClass(z.object({ SIZE: size.optional() })) {}
class SizeConfig extends createConfigClass(z.object({ SIZE: size })) {}
class OtherSizeConfig extends createConfigClass(z.object({ SIZE: envInteger(1, 10).describe('Size.') })) {}

@Module({ providers: [SizeConfig] })
class SizeModule {}

@Module({ imports: [SizeModule], providers: [OptionalSizeConfig] })
class AppModule {}

@Module({ imports: [SizeModule], providers: [OtherSizeConfig] })
class InconsistentAppModule {}

describe('createConfigurationSchema', () => {
  it('createConfigurationSchema: finds the config classes of all modules, and requires what one of them requires', async () => {
    const { shape } = await createConfigurationSchema(AppModule);
    expect(Object.keys(shape)).toEqual([...Object.keys(serviceConfigSchema.shape), 'SIZE']);
    expect(describeVariable('SIZE', shape['SIZE'] ?? z.never()).default).toBeUndefined();
  });

  it('createConfigurationSchema: rejects a variable with two descriptions', async () => {
    await expect(createConfigurationSchema(InconsistentAppModule)).rejects.toThrow(/SIZE differently/);
  });
});

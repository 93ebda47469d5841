import { type DynamicModule, Global, Module, type Type } from '@nestjs/common';
import { ServiceContext } from './service-context.js';

/** The root module of an app, which provides ServiceContext. */
@Global()
@Module({})
export class ServiceContextModule {
  static forRoot(app: Type, context: () => ServiceContext): DynamicModule {
    return {
      module: ServiceContextModule,
      imports: [app],
      providers: [{ provide: ServiceContext, useFactory: context }],
      exports: [ServiceContext],
    };
  }
}

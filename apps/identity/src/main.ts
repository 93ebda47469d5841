import { bootstrap } from '@app/service';
import { AppModule } from './app.module.js';

/** A dynamic import keeps the test wallet out of production processes. */
const module = process.env['TEST_WALLET']
  ? (await import('./local-app.module.js')).LocalAppModule
  : AppModule;

bootstrap({ name: 'identity', module });

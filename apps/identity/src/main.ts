import { bootstrap } from '@app/service';
import { AppModule } from './app.module.js';

/** Without its variable nothing of the test wallet is loaded. */
const module = process.env['TEST_WALLET']
  ? (await import('./local-app.module.js')).LocalAppModule
  : AppModule;

bootstrap({ name: 'identity', module });

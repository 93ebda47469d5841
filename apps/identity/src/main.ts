import type { Type } from '@nestjs/common';
import { bootstrap, serveDirectly } from '@app/service';
import { AppModule } from './app.module.js';
import { userProfileRoute } from './users/account.controller.js';

/** A dynamic import keeps the test wallet out of production processes. */
async function loadModule(): Promise<Type> {
  if (!process.env['TEST_WALLET']) return AppModule;
  const { LocalAppModule } = await import('./local-app.module.js');
  return LocalAppModule;
}

void loadModule().then((module) => {
  bootstrap({ name: 'identity', module, createFirstHandler: serveDirectly(userProfileRoute) });
});

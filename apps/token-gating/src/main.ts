import { bootstrap, serveDirectly } from '@app/service';
import { checkRolesRoute } from './access-control/check-roles.route.js';
import { AppModule } from './app.module.js';

bootstrap({ name: 'token-gating', module: AppModule, createFirstHandler: serveDirectly(checkRolesRoute) });

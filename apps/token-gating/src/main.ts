import { bootstrap, serveDirectly } from '@app/service';
import { DIRECT_ROUTES } from './access-control/access-control.routes.js';
import { AppModule } from './app.module.js';

bootstrap({ name: 'token-gating', module: AppModule, createFirstHandler: serveDirectly(...DIRECT_ROUTES) });

import { bootstrap } from '@app/service';
import { AppModule } from './app.module.js';
import { configureGateway } from './configure-gateway.js';
import { GatewayConfig } from './gateway.config.js';
import { createRequestReceiver } from './receive-request.js';

bootstrap({
  name: 'gateway',
  module: AppModule,
  facesClients: true,
  findPublicUrl: (app) => app.get(GatewayConfig).PUBLIC_URL,
  configure: configureGateway,
  createFirstHandler: createRequestReceiver,
});

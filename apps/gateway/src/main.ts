import { bootstrap } from '@app/service';
import { AppModule } from './app.module.js';
import { configureGateway } from './configure-gateway.js';

bootstrap({ name: 'gateway', module: AppModule, facesClients: true, configure: configureGateway });

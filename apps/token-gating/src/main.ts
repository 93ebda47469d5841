import { bootstrap } from '@app/service';
import { AppModule } from './app.module.js';

bootstrap({ name: 'token-gating', module: AppModule });

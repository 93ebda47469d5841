import { Module } from '@nestjs/common';
import { ClientApplicationsModule } from '../client-applications/client-applications.module.js';
import { EthereumLoginModule } from '../ethereum-login/ethereum-login.module.js';
import { OAuth2Module } from '../oauth2/oauth2.module.js';
import { OperatorsModule } from '../operators/operators.module.js';
import { PublicUrlsConfig } from '../public-urls.config.js';
import { ApplicationNames } from './applications/application-names.js';
import { AssetStore } from './assets/asset-store.js';
import { AssetsController } from './assets/assets.controller.js';
import { ConsentController } from './consent/consent.controller.js';
import { Interactions } from './interactions/interactions.js';
import { ApplicationLoginController } from './login/application-login.controller.js';
import { LoginScriptController } from './login/login-script.controller.js';
import { LoginController } from './login/login.controller.js';
import { PageLogins } from './login/page-logins.js';
import { LogoutController } from './logout/logout.controller.js';
import { ApplicationPage } from './portal/application-page.js';
import { ApplicationsController } from './portal/applications.controller.js';
import { ApprovalsController } from './portal/approvals.controller.js';
import { AuditController } from './portal/audit.controller.js';
import { Connections } from './portal/connections.js';
import { ConnectionsController } from './portal/connections.controller.js';
import { CredentialsPageController } from './portal/credentials.controller.js';
import { EndCredentialController } from './portal/end-credential.controller.js';
import { OperatorVisits } from './portal/operator-visits.js';
import { PlansController } from './portal/plans.controller.js';
import { PortalController } from './portal/portal.controller.js';
import { SessionModule } from '../browser-sessions/session.module.js';
import { PageRenderer } from './views/page-renderer.js';
import { PageScripts } from './views/page-scripts.js';

/** The pages that people see: /login, /consent, /portal, /logout, and what they are made of. */
@Module({
  imports: [EthereumLoginModule, ClientApplicationsModule, OAuth2Module, OperatorsModule, SessionModule],
  controllers: [
    AssetsController,
    LoginScriptController,
    LoginController,
    ApplicationLoginController,
    ConsentController,
    LogoutController,
    PortalController,
    ApplicationsController,
    CredentialsPageController,
    ConnectionsController,
    EndCredentialController,
    ApprovalsController,
    PlansController,
    AuditController,
  ],
  providers: [
    ApplicationNames,
    ApplicationPage,
    AssetStore,
    Connections,
    Interactions,
    OperatorVisits,
    PageLogins,
    PageRenderer,
    PageScripts,
    PublicUrlsConfig,
  ],
  // What more pages are made of.
  exports: [AssetStore, PageScripts, PublicUrlsConfig, SessionModule],
})
export class PagesModule {}

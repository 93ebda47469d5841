import { ChainConfig } from '@app/chain/evm';
import { Module } from '@nestjs/common';
import { EthereumLoginModule } from '../ethereum-login/ethereum-login.module.js';
import { OAuth2Module } from '../oauth2/oauth2.module.js';
import { OperatorsModule } from '../operators/operators.module.js';
import { BrowserSessionConfig } from '../browser-sessions/browser-session.config.js';
import { PublicUrlsConfig } from '../common/identity.config.js';
import { ClientsModule } from '../clients/clients.module.js';
import { PlatformWalletsModule } from '../platform-wallets/platform-wallets.module.js';
import { PasskeysModule } from '../passkeys/passkeys.module.js';
import { AssetStore, AssetsController } from './assets/assets.controller.js';
import { CommunitiesController, CommunityReportsController } from './communities/communities.controller.js';
import { CommunitiesService } from './communities/communities.service.js';
import { CommunityApi } from './communities/community-api.js';
import { CommunityPageRenderer } from './communities/community-page-renderer.js';
import { CommunityAdministratorsController } from './communities/community-administrators.controller.js';
import { CommunityApplicationsController } from './communities/community-applications.controller.js';
import { CommunityInvitationsController } from './communities/community-invitations.controller.js';
import { CommunityMembersController } from './communities/community-members.controller.js';
import { CommunitySettingsController } from './communities/community-settings.controller.js';
import { MemberCheckService } from './communities/member-check.service.js';
import { MembershipListController, MembershipsController } from './communities/memberships.controller.js';
import { TypedNamesService } from './communities/typed-names.service.js';
import { RuleWordsService } from './communities/rule-words.service.js';
import { PeopleService } from './communities/people.service.js';
import { OwnershipOffersController } from './communities/ownership-offers.controller.js';
import { CommunityRolesController } from './communities/community-roles.controller.js';
import { OnceFormService } from './communities/once-form.service.js';
import { AccountNoticesService } from './portal/account-notices.service.js';
import { EndpointApi } from './portal/endpoint-api.js';
import { EndpointsController } from './portal/endpoints.controller.js';
import { ConsentController } from './consent/consent.controller.js';
import { PageNoticesService } from './sessions/page-notices.service.js';
import { InteractionService } from './consent/interaction.service.js';
import { ApplicationLoginController } from './login/application-login.controller.js';
import { LoginScriptController, LoginController, PageLoginService } from './login/login.controller.js';
import { FrontDoorController, UnknownPageController } from './login/front-door.controller.js';
import { LogoutReturnService, LogoutController, SignedOutController } from './login/logout.controller.js';
import { InvitationController } from './invitations/invitation.controller.js';
import {
  PasskeyReviewsController,
  PasskeyScriptController,
  PasskeysController,
} from './passkeys/passkeys.controller.js';
import { ApplicationPageRenderer } from './portal/application-page-renderer.js';
import { ApplicationsController } from './portal/applications.controller.js';
import { ApprovalsController } from './operator-portal/approvals.controller.js';
import { AccountPoliciesController } from './operator-portal/account-policies.controller.js';
import { FreezesController } from './operator-portal/freezes.controller.js';
import { SuspensionsController } from './operator-portal/suspensions.controller.js';
import { SearchController } from './operator-portal/search.controller.js';
import { AuditController } from './operator-portal/audit.controller.js';
import { AssetClaimsController, AssetClaimsService } from './portal/asset-claims.controller.js';
import { VerifiableCredentialsController } from './portal/verifiable-credentials.controller.js';
import { ConnectionService, ConnectionsController } from './portal/connections.controller.js';
import { CredentialsPageController, SecretsController } from './portal/credentials-page.controller.js';
import { RevokeCredentialController } from './portal/revoke-credential.controller.js';
import { FormSubmissionQueries } from './portal/form-submissions.queries.js';
import { FormSubmissionSweeper, SecretFormService } from './portal/secret-form.service.js';
import { OperatorSessionService } from './operator-portal/operator-session.service.js';
import { PlansController } from './operator-portal/plans.controller.js';
import { PortalController } from './portal/portal.controller.js';
import { ProfileController } from './portal/profile.controller.js';
import { BrowserSessionsModule } from '../browser-sessions/browser-sessions.module.js';
import { WalletLinkScriptController, WalletLinkController } from './wallet-links/wallet-link.controller.js';
import { WalletConnectConfig } from './wallet-links/wallet-connect.config.js';
import { WalletConnectService } from './wallet-links/wallet-connect.service.js';
import { OwnCollectionsConfig } from './rules/own-collections.config.js';
import { RuleApi } from './rules/rule-api.js';
import { RuleBuilderController } from './rules/rule-builder.controller.js';
import { RulePages } from './rules/rule-pages.js';
import { RuleSavingService } from './rules/rule-saving.service.js';
import { RulesController } from './rules/rules.controller.js';
import { LinkedRolesService } from './wallet-links/linked-roles.service.js';
import {
  OwnWalletsController,
  OwnWalletsScriptController,
  OwnWalletsService,
} from './wallet-links/own-wallets.controller.js';
import { PageRenderer } from './views/page-renderer.js';
import { PageScriptRegistry } from './views/page-script-registry.js';
import { ApplicationsModule } from '../applications/applications.module.js';
import { UsersModule } from '../users/users.module.js';

/** The pages /login, /consent, /portal, /wallet-links and /logout with their assets. */
@Module({
  imports: [
    ClientsModule,
    EthereumLoginModule,
    ApplicationsModule,
    OAuth2Module,
    OperatorsModule,
    BrowserSessionsModule,
    PlatformWalletsModule,
    UsersModule,
    PasskeysModule,
  ],
  controllers: [
    AssetsController,
    FrontDoorController,
    LoginScriptController,
    LoginController,
    // Before the login pages of authorization requests, whose path has any id.
    SignedOutController,
    ApplicationLoginController,
    ConsentController,
    LogoutController,
    PortalController,
    ProfileController,
    ApplicationsController,
    EndpointsController,
    CredentialsPageController,
    SecretsController,
    ConnectionsController,
    CommunitiesController,
    CommunityReportsController,
    CommunityRolesController,
    CommunityMembersController,
    CommunityInvitationsController,
    CommunityAdministratorsController,
    CommunityApplicationsController,
    CommunitySettingsController,
    MembershipListController,
    MembershipsController,
    OwnershipOffersController,
    InvitationController,
    AssetClaimsController,
    VerifiableCredentialsController,
    RevokeCredentialController,
    PasskeysController,
    PasskeyScriptController,
    PasskeyReviewsController,
    SearchController,
    ApprovalsController,
    PlansController,
    AuditController,
    AccountPoliciesController,
    FreezesController,
    SuspensionsController,
    RulesController,
    RuleBuilderController,
    OwnWalletsController,
    OwnWalletsScriptController,
    WalletLinkController,
    WalletLinkScriptController,
    // Last, because its routes match every path of a page.
    UnknownPageController,
  ],
  providers: [
    AccountNoticesService,
    EndpointApi,
    ApplicationPageRenderer,
    AssetClaimsService,
    AssetStore,
    BrowserSessionConfig,
    ChainConfig,
    CommunitiesService,
    CommunityApi,
    CommunityPageRenderer,
    ConnectionService,
    FormSubmissionQueries,
    FormSubmissionSweeper,
    InteractionService,
    LinkedRolesService,
    LogoutReturnService,
    MemberCheckService,
    OnceFormService,
    OperatorSessionService,
    OwnCollectionsConfig,
    OwnWalletsService,
    PageLoginService,
    PageNoticesService,
    PageRenderer,
    PageScriptRegistry,
    PeopleService,
    PublicUrlsConfig,
    RuleWordsService,
    RuleApi,
    RulePages,
    RuleSavingService,
    SecretFormService,
    TypedNamesService,
    WalletConnectConfig,
    WalletConnectService,
  ],
  // LocalAppModule uses them.
  exports: [
    AssetStore,
    ClientsModule,
    CommunityApi,
    PageLoginService,
    PageRenderer,
    PageScriptRegistry,
    PublicUrlsConfig,
    BrowserSessionsModule,
    UsersModule,
  ],
})
export class PagesModule {}

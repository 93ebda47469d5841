import {
  type CallbackStatesRequest,
  callbackStatesRequest,
  type CallbackStatesResponse,
  callbackStatesResponse,
  type EndedMembershipRequest,
  endedMembershipRequest,
  type EndedMembershipResponse,
  endedMembershipResponse,
  type NewPortalCommunityRequest,
  newPortalCommunityRequest,
  type PortalCatalogue,
  portalCatalogue,
  portalDone,
  type PortalInvitation,
  portalInvitation,
  type PortalInvitationRequest,
  portalInvitationRequest,
  type PortalMemberCheckRequest,
  portalMemberCheckRequest,
  type PortalMemberCheckResponse,
  portalMemberCheckResponse,
  type PortalMember,
  portalMember,
  type PortalMemberRequest,
  portalMemberRequest,
  type PortalMembersRequest,
  portalMembersRequest,
  type PortalMembersResponse,
  portalMembersResponse,
  type PortalTokenRequest,
  portalTokenRequest,
  portalTokenResponse,
  type RuleTrialRequest,
  ruleTrialRequest,
  type RuleTrialResponse,
  ruleTrialResponse,
} from '@app/dto';
import { InternalController, Returns } from '@app/service';
import { Body, Post } from '@nestjs/common';
import { CatalogueService } from '../catalogue/catalogue.service.js';
import { TokenDetailsService } from '../catalogue/token-details.service.js';
import { PortalCommunitiesConfig } from '../communities/without-application/portal-communities.config.js';
import {
  MAX_MEMBERS_WITHOUT_APPLICATION,
  MAX_OWNED_WITHOUT_APPLICATION,
  MAX_RULES_WITHOUT_APPLICATION,
  TYPES_WITHOUT_APPLICATION,
} from '../communities/without-application/rule-limits.js';
import { NewCommunitiesService } from '../communities/without-application/new-communities.service.js';
import { PortalInvitationsService } from './portal-invitations.service.js';
import { PortalMembersService } from './portal-members.service.js';
import { PortalUsageService } from './portal-usage.service.js';
import { RuleTrialsService } from './rule-trials.service.js';

/** What identity's console for those who run communities needs beside the operations (docs/adr/0115). */
@InternalController('internal/portal', 'identity')
export class PortalController {
  constructor(
    private readonly newCommunities: NewCommunitiesService,
    private readonly catalogue: CatalogueService,
    private readonly tokens: TokenDetailsService,
    private readonly usage: PortalUsageService,
    private readonly trials: RuleTrialsService,
    private readonly invitations: PortalInvitationsService,
    private readonly members: PortalMembersService,
    private readonly config: PortalCommunitiesConfig,
  ) {}

  @Post('new-communities')
  @Returns(portalDone)
  async countNewCommunity(
    @Body({ schema: newPortalCommunityRequest }) { address }: NewPortalCommunityRequest,
  ): Promise<object> {
    await this.newCommunities.count(address);
    return {};
  }

  @Post('new-communities/refused')
  @Returns(portalDone)
  async takeBackNewCommunity(
    @Body({ schema: newPortalCommunityRequest }) { address }: NewPortalCommunityRequest,
  ): Promise<object> {
    await this.newCommunities.takeBack(address);
    return {};
  }

  @Post('catalogue')
  @Returns(portalCatalogue)
  listCatalogue(): PortalCatalogue {
    const limits = {
      ruleTypes: [...TYPES_WITHOUT_APPLICATION],
      maxRules: MAX_RULES_WITHOUT_APPLICATION,
      maxMembers: MAX_MEMBERS_WITHOUT_APPLICATION,
      maxCommunities: MAX_OWNED_WITHOUT_APPLICATION,
    };
    return {
      ...this.catalogue.listChains(),
      ...this.catalogue.listRuleTypes(),
      withoutApplication: this.config.PORTAL_COMMUNITIES ? limits : undefined,
    };
  }

  @Post('tokens')
  @Returns(portalTokenResponse)
  async readToken(@Body({ schema: portalTokenRequest }) { userId, ...target }: PortalTokenRequest) {
    await this.usage.count(userId);
    const details = await this.tokens.read({ ...target, tenantId: userId });
    return { chainId: target.chainId, ...details };
  }

  @Post('rule-trials')
  @Returns(ruleTrialResponse)
  tryRules(@Body({ schema: ruleTrialRequest }) request: RuleTrialRequest): Promise<RuleTrialResponse> {
    return this.trials.tryRules(request);
  }

  @Post('member-checks')
  @Returns(portalMemberCheckResponse)
  checkMember(
    @Body({ schema: portalMemberCheckRequest }) request: PortalMemberCheckRequest,
  ): Promise<PortalMemberCheckResponse> {
    return this.trials.checkMember(request);
  }

  @Post('invitations')
  @Returns(portalInvitation)
  readInvitation(
    @Body({ schema: portalInvitationRequest }) request: PortalInvitationRequest,
  ): Promise<PortalInvitation> {
    return this.invitations.read(request);
  }

  @Post('members')
  @Returns(portalMembersResponse)
  listMembers(
    @Body({ schema: portalMembersRequest }) request: PortalMembersRequest,
  ): Promise<PortalMembersResponse> {
    return this.members.list(request);
  }

  @Post('members/find')
  @Returns(portalMember)
  findMember(@Body({ schema: portalMemberRequest }) request: PortalMemberRequest): Promise<PortalMember> {
    return this.members.find(request);
  }

  @Post('members/ended')
  @Returns(endedMembershipResponse)
  findEndedMembership(
    @Body({ schema: endedMembershipRequest }) request: EndedMembershipRequest,
  ): Promise<EndedMembershipResponse> {
    return this.members.findDeparture(request);
  }

  @Post('callback-states')
  @Returns(callbackStatesResponse)
  loadCallbackStates(
    @Body({ schema: callbackStatesRequest }) request: CallbackStatesRequest,
  ): Promise<CallbackStatesResponse> {
    return this.members.loadCallbackStates(request);
  }
}

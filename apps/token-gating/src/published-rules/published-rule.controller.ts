import { CurrentPrincipal, type Principal } from '@app/auth';
import { tokenGatingResponse, type TokenGatingResponse } from '@app/dto';
import { Operation, Returns } from '@app/service';
import { Body, Controller, Get, Param, Post, Put } from '@nestjs/common';
import {
  publishedRulesBody,
  type PublishedRulesBody,
  publishedRulesCheck,
  type PublishedRulesCheck,
  publishingClientParams,
  type PublishingClientParams,
  writtenPublishedRules,
  type WrittenPublishedRules,
} from './published-rules.dto.js';
import { PublishedRulesService } from './published-rules.service.js';

const access = { caller: 'client', scope: 'token-gating' } as const;

/** The rules that an application publishes, and checks of them by name. */
@Controller()
export class PublishedRuleController {
  constructor(private readonly rules: PublishedRulesService) {}

  @Get('client-applications/:clientId/published-rules')
  @Operation({
    ...access,
    summary: 'Get the rules that browsers may have checked by name',
    description: 'The rules as they were written, for the client application itself, by its API key.',
    errors: ['403 client_required', '404 client_not_found'],
  })
  @Returns(writtenPublishedRules)
  getPublishedRules(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: publishingClientParams }) { clientId }: PublishingClientParams,
  ): Promise<WrittenPublishedRules> {
    return this.rules.list(principal, clientId);
  }

  @Put('client-applications/:clientId/published-rules')
  @Operation({
    ...access,
    summary: 'Replace the rules that browsers may have checked by name',
    description:
      'Each rule is an entry of `rules` of check-roles, with a name; together they must fit one check. For the client application ' +
      'itself, by its API key. The rules count from the next check on. Pages name them with a publishable id, which shows their ' +
      'names to everybody, but not what is in them.',
    errors: [
      '400 chain_not_supported',
      '400 rule_not_supported',
      '400 rule_read_limit_exceeded',
      '400 token_list_limit_exceeded',
      '400 url_invalid',
      '403 client_required',
      '404 client_not_found',
    ],
  })
  @Returns(writtenPublishedRules)
  replacePublishedRules(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: publishingClientParams }) { clientId }: PublishingClientParams,
    @Body({ schema: publishedRulesBody }) body: PublishedRulesBody,
  ): Promise<WrittenPublishedRules> {
    return this.rules.replace(principal, clientId, body);
  }

  @Post('access-control/check-published-rules')
  @Operation({
    ...access,
    summary: 'Check which roles published rules grant to an address',
    description:
      'Answers as check-roles does, at once, for rules that the application has published and that the body names, and for one plain ' +
      'address. Anybody can name any address: a page may show what the answer says, and a server decides again. `Prefer` is ignored.',
    allowsPublishableId: true,
    errors: [
      '400 chain_not_supported',
      '400 rule_not_supported',
      '400 rule_read_limit_exceeded',
      '400 token_list_limit_exceeded',
      '400 url_invalid',
      '403 client_required',
      '404 published_rule_not_found',
      '503 roles_unavailable',
      '503 rules_unavailable',
    ],
  })
  @Returns(tokenGatingResponse)
  checkPublishedRules(
    @CurrentPrincipal() principal: Principal,
    @Body({ schema: publishedRulesCheck }) body: PublishedRulesCheck,
  ): Promise<TokenGatingResponse> {
    return this.rules.check(principal, body);
  }
}
